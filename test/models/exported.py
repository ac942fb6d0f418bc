"""The models that PyTorch's exporters write; called by make_models.py."""

import contextlib
import io
import os

import onnx
import torch
from torch import nn


class Mlp(nn.Module):
    """8-16-16-5 with relu."""

    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(8, 16)
        self.fc2 = nn.Linear(16, 16)
        self.fc3 = nn.Linear(16, 5)

    def forward(self, x):
        return self.fc3(torch.relu(self.fc2(torch.relu(self.fc1(x)))))


class ZeroBias(Mlp):
    """fc1.bias and fc2.bias are equal: the old exporter merges them."""

    def __init__(self):
        super().__init__()
        nn.init.zeros_(self.fc1.bias)
        nn.init.zeros_(self.fc2.bias)


class Buffered(nn.Module):
    """Shifts and scales its input by buffers: floats that are no parameters."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.linspace(-1, 1, 8))
        self.register_buffer("factor", torch.linspace(0.5, 2, 8))
        self.fc1 = nn.Linear(8, 16)
        self.fc2 = nn.Linear(16, 5)

    def forward(self, x):
        return self.fc2(torch.tanh(self.fc1((x - self.mean) * self.factor)))


class NoBias(nn.Module):
    """Linear layers without bias: Transpose(weight) and MatMul."""

    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(8, 16, bias=False)
        self.fc2 = nn.Linear(16, 5, bias=False)

    def forward(self, x):
        return self.fc2(torch.sigmoid(self.fc1(x)))


class Picture(nn.Module):
    """Takes [batch,2,2,2], flattens it, ends in log-softmax."""

    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(8, 16)
        self.fc2 = nn.Linear(16, 5)

    def forward(self, x):
        x = torch.relu(self.fc1(torch.flatten(x, 1)))
        return torch.log_softmax(self.fc2(x), dim=1)


class Sequence(nn.Module):
    """Takes [batch,length,8]: two symbolic dimensions, MatMul on rank 3."""

    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(8, 16)
        self.fc2 = nn.Linear(16, 5)

    def forward(self, x):
        return self.fc2(torch.relu(self.fc1(x)))


def strip(path, external):
    """Removes source paths of this machine; keeps or inlines the weights."""
    model = onnx.load(path, load_external_data=not external)
    for node in model.graph.node:
        for prop in [p for p in node.metadata_props if "stack_trace" in p.key]:
            node.metadata_props.remove(prop)
    onnx.save(model, path)
    if not external and os.path.exists(path + ".data"):
        os.remove(path + ".data")


def export(
    folder, name, model, shape=(4, 8), external=False, dims=("batch",), **options
):
    path = os.path.join(folder, f"exported_{name}.onnx")
    if options.get("dynamo", True):
        options["dynamic_shapes"] = {
            "x": {axis: torch.export.Dim(dim) for axis, dim in enumerate(dims)}
        }
        options.setdefault("optimize", False)
    else:
        options["dynamic_axes"] = {
            value: dict(enumerate(dims)) for value in ("x", "out")
        }
        options["do_constant_folding"] = False
    # On small models the exporter writes the weights apart only when told to.
    with contextlib.redirect_stdout(io.StringIO()):
        torch.onnx.export(
            model,
            (torch.zeros(*shape),),
            path,
            input_names=["x"],
            output_names=["out"],
            external_data=external,
            **options,
        )
    strip(path, external)


def write_exported(folder):
    def seeded(kind):
        torch.manual_seed(3)
        return kind()

    old = {"dynamo": False}
    export(folder, "new18", seeded(Mlp), opset_version=18)
    export(folder, "new21", seeded(Mlp), opset_version=21)
    export(folder, "new23", seeded(Mlp), opset_version=23)
    export(folder, "new_optimized", seeded(ZeroBias), opset_version=18, optimize=True)
    export(folder, "new_external", seeded(Mlp), opset_version=18, external=True)
    export(folder, "new_buffer", seeded(Buffered), opset_version=18)
    export(folder, "new_no_bias", seeded(NoBias), opset_version=18)
    export(folder, "new_picture", seeded(Picture), (4, 2, 2, 2), opset_version=18)
    export(
        folder, "new_sequence", seeded(Sequence), (4, 3, 8),
        dims=("batch", "length"), opset_version=18,
    )  # fmt: skip
    for opset in (13, 17):
        export(
            folder, f"old{opset}_eval", seeded(ZeroBias).eval(),
            opset_version=opset, training=torch.onnx.TrainingMode.EVAL, **old,
        )  # fmt: skip
        export(
            folder, f"old{opset}_train", seeded(ZeroBias).train(),
            opset_version=opset, training=torch.onnx.TrainingMode.TRAINING, **old,
        )  # fmt: skip
    export(folder, "old17_buffer", seeded(Buffered).eval(), opset_version=17, **old)
    export(folder, "old17_no_bias", seeded(NoBias).eval(), opset_version=17, **old)
    export(
        folder, "old17_picture", seeded(Picture).eval(), (4, 2, 2, 2),
        opset_version=17, **old,
    )  # fmt: skip
