"""Writes the least-squares task: its model and its data.

The model is x W with W f32[30,1] = 0. The data are n = 2000 rows: x_kj is
s_j N(0,1) with s_j the square root of the geometric sequence from 1 to 1/30,
w_j is N(0,1)/s_j, y = x w + noise N(0,1), drawn in this order by numpy's
default generator with seed 1234. Needs numpy and onnx.

    python make.py FOLDER [--noise 5]
"""

import argparse
import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def model(inputs=30):
    """x W, as one MatMul with a free batch dimension."""
    weight = numpy_helper.from_array(np.zeros((inputs, 1), np.float32), "w")
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["prediction"], "product")],
        "least-squares",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", inputs])],
        [helper.make_tensor_value_info("prediction", TensorProto.FLOAT, ["batch", 1])],
        [weight],
    )
    made = helper.make_model(
        graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)]
    )
    onnx.checker.check_model(made)
    return made


def data(noise, rows=2000, inputs=30, seed=1234):
    random = np.random.default_rng(seed)
    scale = np.sqrt(np.geomspace(1, 1 / 30, inputs))
    x = random.standard_normal((rows, inputs)) * scale
    w = random.standard_normal(inputs) / scale
    y = x @ w + noise * random.standard_normal(rows)
    return x, y


def describe(x, y):
    """What the specification states of its realisation, with F = mean of half
    the squared error."""
    best, *_ = np.linalg.lstsq(x, y, rcond=None)
    floor = 0.5 * np.mean((x @ best - y) ** 2)
    gap = 0.5 * np.mean(y**2) - floor
    largest = np.linalg.eigvalsh(x.T @ x / len(x)).max()
    return {"F*": floor, "F(0) - F*": gap, "L": largest}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--noise", type=float, default=5)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    onnx.save(model(), args.folder / "least-squares.onnx")
    x, y = data(args.noise)
    np.save(args.folder / "x.npy", x.astype(np.float32))
    np.save(args.folder / "y.npy", y.astype(np.float32).reshape(-1, 1))
    for name, value in describe(x, y).items():
        print(f"{name:10} {value:.6g}")


if __name__ == "__main__":
    main()
