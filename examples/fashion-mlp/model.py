"""Exports the example's model, an untrained MLP 784-512-512-10, to ONNX.

Needs PyTorch (torch, onnx, onnxscript); only needed to change the model, the
file it writes is part of the example.

    python model.py [fashion-mlp.onnx]
"""

import os
import sys
import tempfile

import onnx
import torch
from torch import nn


class FashionMLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(784, 512)
        self.fc2 = nn.Linear(512, 512)
        self.fc3 = nn.Linear(512, 10)

    def forward(self, x):
        x = torch.relu(self.fc1(x))
        x = torch.relu(self.fc2(x))
        return self.fc3(x)


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else "fashion-mlp.onnx"
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        exported = os.path.join(folder, "model.onnx")
        torch.onnx.export(
            FashionMLP(),
            (torch.zeros(64, 784),),
            exported,
            input_names=["x"],
            output_names=["logits"],
            dynamic_shapes={"x": {0: torch.export.Dim("batch")}},
            opset_version=18,
            dynamo=True,
            # The exporter's optimizer renames and merges parameters.
            optimize=False,
        )
        model = onnx.load(exported)  # reads the weights from beside the file
    # One file instead of two, and no source paths of this machine in it.
    for node in model.graph.node:
        for prop in [p for p in node.metadata_props if "stack_trace" in p.key]:
            node.metadata_props.remove(prop)
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, path)
    print(f"wrote {path} ({os.path.getsize(path)} bytes)")


if __name__ == "__main__":
    main()
