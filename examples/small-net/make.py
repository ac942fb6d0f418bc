"""Writes the small-net task: its model and its data.

800 points x ~ N(0, I16); the label is the argmax of a random teacher 16-24-6
(weights N(0,1)/4 and N(0,1), relu, no biases), and 10 % of the labels are
replaced by uniform ones. The model is a student 16-24-6 with relu and biases,
weights N(0, 2/16) and N(0, 1/24), biases 0. Needs numpy and onnx.

    python make.py FOLDER
"""

import argparse
import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

INPUTS, HIDDEN, CLASSES = 16, 24, 6


def model(seed=1234):
    random = np.random.default_rng(seed)
    first = random.normal(0, np.sqrt(2 / INPUTS), (INPUTS, HIDDEN))
    second = random.normal(0, np.sqrt(1 / HIDDEN), (HIDDEN, CLASSES))
    values = {
        "fc1.weight": first,
        "fc1.bias": np.zeros(HIDDEN),
        "fc2.weight": second,
        "fc2.bias": np.zeros(CLASSES),
    }
    graph = helper.make_graph(
        [
            helper.make_node("Gemm", ["x", "fc1.weight", "fc1.bias"], ["a"], "fc1"),
            helper.make_node("Relu", ["a"], ["h"], "relu"),
            helper.make_node(
                "Gemm", ["h", "fc2.weight", "fc2.bias"], ["logits"], "fc2"
            ),
        ],
        "small-net",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", INPUTS])],
        [
            helper.make_tensor_value_info(
                "logits", TensorProto.FLOAT, ["batch", CLASSES]
            )
        ],
        [
            numpy_helper.from_array(value.astype(np.float32), name)
            for name, value in values.items()
        ],
    )
    made = helper.make_model(
        graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)]
    )
    onnx.checker.check_model(made)
    return made


def data(rows=800, seed=4321):
    random = np.random.default_rng(seed)
    x = random.standard_normal((rows, INPUTS))
    first = random.standard_normal((INPUTS, HIDDEN)) / 4
    second = random.standard_normal((HIDDEN, CLASSES))
    y = (np.maximum(x @ first, 0) @ second).argmax(axis=1)
    noisy = random.random(rows) < 0.1
    return x, np.where(noisy, random.integers(0, CLASSES, rows), y)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    onnx.save(model(), args.folder / "small-net.onnx")
    x, y = data()
    np.save(args.folder / "x.npy", x.astype(np.float32))
    np.save(args.folder / "y.npy", y.astype(np.int64))


if __name__ == "__main__":
    main()
