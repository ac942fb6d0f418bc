"""Gradients of a saved model by differences in ONNX Runtime."""

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper

STEP = 2e-3  # small, for relu has corners; large, for losses are in f32


def run_model(model, inputs):
    """The only output of an ONNX model (a path or bytes) for one input x."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4  # opsets newer than it knows are its affair
    session = onnxruntime.InferenceSession(
        model, options, providers=["CPUExecutionProvider"]
    )
    return session.run(None, {"x": inputs})[0]


def sum_of_losses(model, inputs, wanted):
    """Softmax cross-entropy for integer labels, else the mean squared error of
    each sample; a closing Softmax or LogSoftmax counts as part of the loss."""
    out = run_model(model.SerializeToString(), inputs).astype(np.float64)
    if wanted.dtype != np.int64:
        return ((out - wanted) ** 2).mean(axis=tuple(range(1, out.ndim))).sum()
    last = model.graph.node[-1].op_type
    if last == "Softmax":
        out = np.log(out)
    elif last != "LogSoftmax":
        out = out - np.log(np.exp(out).sum(axis=1, keepdims=True))
    return -out[np.arange(len(out)), wanted].sum()


def compare(path, gradients, inputs, wanted):
    """Returns the first of `gradients` that is not the slope of the loss.

    Along a gradient the slope is the gradient's norm; of any other vector of
    the same norm, the slope along it is less.
    """
    model = onnx.load(path)
    weights = {tensor.name: tensor for tensor in model.graph.initializer}
    if missing := set(gradients) - set(weights):
        return f"the saved model has no tensors {sorted(missing)}"
    for name, gradient in gradients.items():
        tensor, norm = weights[name], np.linalg.norm(gradient)
        if norm == 0:
            return f"the gradient of '{name}' is zero"
        start = numpy_helper.to_array(tensor)
        losses = []
        for sign in (1, -1):
            moved = start + np.float32(sign * STEP / norm) * gradient
            tensor.CopyFrom(numpy_helper.from_array(moved, name))
            losses.append(sum_of_losses(model, inputs, wanted))
        tensor.CopyFrom(numpy_helper.from_array(start, name))
        slope = (losses[0] - losses[1]) / (2 * STEP)
        if not abs(slope - norm) <= 0.01 * norm:
            return f"'{name}': slope {slope:.6g} along a gradient of norm {norm:.6g}"
    return None
