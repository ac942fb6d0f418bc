"""Writes the quadratic task: its model and its data.

The model is x + w with w f32[64] = 0, and all labels are zero. The loss `mse` is
the mean over 64 numbers, so its gradient by w is (w + x) / 32: that of the
quadratic |w|² / 2 with the noise x, times 1/32. The rows x are independent normal
numbers, drawn by numpy's default generator with seed 1234. Needs numpy and onnx.

    python make.py FOLDER [--rows 4096] [--noise 1]
"""

import argparse
import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SIZE = 64


def model(size=SIZE):
    """x + w, as one Add with a free batch dimension."""
    weight = numpy_helper.from_array(np.zeros(size, np.float32), "w")
    graph = helper.make_graph(
        [helper.make_node("Add", ["x", "w"], ["distance"], "add")],
        "quadratic",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", size])],
        [helper.make_tensor_value_info("distance", TensorProto.FLOAT, ["batch", size])],
        [weight],
    )
    made = helper.make_model(
        graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)]
    )
    onnx.checker.check_model(made)
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rows", type=int, default=4096)
    parser.add_argument("--noise", type=float, default=1)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    onnx.save(model(), args.folder / "quadratic.onnx")
    random = np.random.default_rng(1234)
    x = args.noise * random.standard_normal((args.rows, SIZE))
    np.save(args.folder / "x.npy", x.astype(np.float32))
    np.save(args.folder / "y.npy", np.zeros((args.rows, SIZE), np.float32))


if __name__ == "__main__":
    main()
