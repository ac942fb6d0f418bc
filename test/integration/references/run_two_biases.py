"""Trains y = x*w + b1 + b2 and compares with a NumPy loop.

Usage: run_two_biases.py RUBATO FOLDER
"""

import pathlib
import subprocess
import sys

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

rubato, folder = sys.argv[1], pathlib.Path(sys.argv[2])
random = numpy.random.default_rng(5)
samples, features, outputs, batch, rate, momentum = 64, 6, 3, 4, 0.05, 0.9
x = random.standard_normal((samples, features)).astype(numpy.float32)
y = random.standard_normal((samples, outputs)).astype(numpy.float32)
w = random.standard_normal((features, outputs)).astype(numpy.float32)
numpy.save(folder / "x.npy", x)
numpy.save(folder / "y.npy", y)

bias = numpy.zeros(outputs, numpy.float32)
graph = helper.make_graph(
    [
        helper.make_node("Gemm", ["x", "w", "b1"], ["h"], name="product"),
        helper.make_node("Add", ["h", "b2"], ["out"], name="second"),
    ],
    "two_biases",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", features])],
    [helper.make_tensor_value_info("out", TensorProto.FLOAT, ["n", outputs])],
    [
        numpy_helper.from_array(w, "w"),
        numpy_helper.from_array(bias, "b1"),
        numpy_helper.from_array(bias, "b2"),
    ],
)
model = helper.make_model(
    graph, ir_version=9, opset_imports=[helper.make_opsetid("", 17)]
)
onnx.save(model, folder / "model.onnx")


def reference(global_batch, rounds):
    """The same training in float64."""
    p = {"w": w.astype(float), "b1": bias.astype(float), "b2": bias.astype(float)}
    v = {name: numpy.zeros_like(value) for name, value in p.items()}
    for r in range(rounds):
        rows = numpy.arange(r * global_batch, (r + 1) * global_batch) % samples
        g = 2 / outputs * (x[rows] @ p["w"] + p["b1"] + p["b2"] - y[rows])
        g /= global_batch
        gradients = {"w": x[rows].T @ g, "b1": g.sum(0), "b2": g.sum(0)}
        for name in p:
            v[name] = momentum * v[name] + gradients[name]
            p[name] = p[name] - rate * v[name]
    return p


subprocess.run(
    [rubato, "compile", folder / "model.onnx", "--loss", "mse"]
    + ["--lr", str(rate), "--momentum", str(momentum)]
    + ["--batch", str(batch), "-o", folder / "train"],
    check=True,
)
for workers in (1, 2):
    global_batch = 2 * batch * workers
    subprocess.run(
        [folder / "train", "--input", folder / "x.npy"]
        + ["--label", folder / "y.npy", "--no-shuffle", "--quiet"]
        + ["--steps", "10", "--workers", str(workers)]
        + ["--global-batch", str(global_batch), "--save", folder / "out.onnx"],
        check=True,
    )
    trained = {
        t.name: numpy_helper.to_array(t)
        for t in onnx.load(folder / "out.onnx").graph.initializer
    }
    expected = reference(global_batch, 10)
    for name, value in expected.items():
        error = numpy.abs(trained[name] - value).max()
        if error > 1e-5:
            sys.exit(f"{name} is off by {error} with {workers} workers")
    if trained["b1"].tobytes() != trained["b2"].tobytes():
        sys.exit("the biases differ")
    plural = "" if workers == 1 else "s"
    print(f"two biases: equal bits after 10 rounds, {workers} worker{plural}")
