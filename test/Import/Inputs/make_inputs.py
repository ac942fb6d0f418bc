"""Makes the models beside it, for tests of single features of the importer.

Needs onnx and numpy; the files are committed, so tests need neither.
"""

import os

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FOLDER = os.path.dirname(os.path.abspath(__file__))


def weight(name, *shape):
    values = np.arange(1, 1 + int(np.prod(shape)), dtype=np.float32)
    return numpy_helper.from_array(values.reshape(shape), name)


def ints(name, *values, shape=None):
    array = np.array(values, np.int64)
    return numpy_helper.from_array(
        array if shape is None else array.reshape(shape), name
    )


def node(kind, inputs, output, **attributes):
    return helper.make_node(kind, inputs.split(), [output], output, **attributes)


def value(name, *shape, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def save(name, nodes, initializers, inputs=None, outputs=None):
    graph = helper.make_graph(
        nodes,
        "graph",
        inputs or [value("x", "batch", 6)],
        outputs or [value("out", "batch", 2)],
        initializers,
    )
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8
    )
    onnx.save(model, os.path.join(FOLDER, name + ".onnx"))


# The target of Reshape computed from x's shape by every integer operator:
# [batch, 6] -> [batch, 3, 2] -> [batch, 2, 3].
save(
    "integers",
    [
        node("Shape", "x", "shape"),
        node("Gather", "shape zero", "batch0"),
        node("Unsqueeze", "batch0 first", "batch1"),
        node("Slice", "shape one two", "width"),
        node("Div", "width two", "half"),
        node("Cast", "half", "half32", to=TensorProto.INT32),
        node("Cast", "half32", "half64", to=TensorProto.INT64),
        node("Concat", "batch1 half64 two", "split", axis=0),
        node("Reshape", "x split", "r"),
        node("Mul", "width one", "w1"),
        node("Sub", "w1 two", "w2"),
        node("Sub", "w2 two", "w3"),
        node("Add", "w3 one", "w4"),
        node("Neg", "one", "open"),
        node("Concat", "batch1 open w4", "split2", axis=-1),
        node("Reshape", "r split2", "r2"),
        node("Squeeze", "first", "axis0"),
        node("Reshape", "r2 rows", "r3"),
        node("MatMul", "r3 w", "out"),
    ],
    [
        ints("zero", 0, shape=()), ints("first", 0), ints("one", 1), ints("two", 2),
        ints("rows", 0, -1), weight("w", 6, 2),
    ],
)  # fmt: skip

# Float forms: Neg, Div, Unsqueeze, Squeeze, MatMul with vectors, a constant
# vector, integers as numbers, and a branch that nothing uses.
half = numpy_helper.from_array(np.array([0.5, 0.25], np.float32))
save(
    "floats",
    [
        helper.make_node("Constant", [], ["pair"], "pair", value=half),
        node("Cast", "counts", "numbers", to=TensorProto.FLOAT),
        node("Neg", "x", "n"),
        node("Div", "n numbers", "d"),
        node("Unsqueeze", "d axes", "u"),
        node("MatMul", "u w", "m"),
        node("Squeeze", "m axes", "s"),
        node("Mul", "s pair", "p"),
        node("MatMul", "x v", "column"),
        node("Unsqueeze", "column one", "c"),
        node("Add", "p c", "out"),
        node("Erf", "unused", "nowhere"),
    ],
    [
        weight("w", 6, 2), weight("v", 6), weight("unused", 3), ints("axes", 1),
        ints("one", 1), ints("counts", 1, 2, 3, 4, 5, 6),
    ],
)  # fmt: skip

# An integer input that becomes numbers.
save(
    "integer_input",
    [node("Cast", "x", "f", to=TensorProto.FLOAT), node("MatMul", "f w", "out")],
    [weight("w", 6, 2)],
    inputs=[value("x", "batch", 6, kind=TensorProto.INT64)],
)

# The batch is 3 in the input and in a constant.
save(
    "fixed_batch",
    [node("Reshape", "x shape", "r"), node("MatMul", "r w", "out")],
    [ints("shape", 3, 6), weight("w", 6, 2)],
    inputs=[value("x", 3, 6)],
    outputs=[value("out", 3, 2)],
)
save(
    "fixed_reshape",
    [node("Reshape", "x shape", "r"), node("MatMul", "r w", "out")],
    [ints("shape", 3, 6), weight("w", 6, 2)],
)

# Several nodes whose shapes do not fit: all of them are reported.
save(
    "bad_shapes",
    [
        node("Gemm", "x w", "g", transB=1),
        node("Add", "x b", "a"),
        node("MatMul", "x w5", "m"),
        node("Transpose", "x", "t", perm=[0, 0]),
        node("Softmax", "x", "s", axis=2),
        node("Flatten", "x", "f", axis=1.5),
        node("Concat", "g a m t s f", "out", axis=0),
    ],
    [weight("w", 6, 2), weight("b", 4), weight("w5", 5, 2)],
)

# Supported operators in forms that are not.
save(
    "bad_forms",
    [
        node("Concat", "x x", "c", axis=1),
        node("Slice", "c one two", "s"),
        node("MatMul", "x stack", "b"),
        node("Reshape", "b x", "r"),
        node("Relu", "one", "i"),
        node("Relu", "x", "odd", colour=1),
        node("Sum", "s b r i odd", "out"),
    ],
    [weight("stack", 2, 6, 2), ints("one", 1), ints("two", 2)],
)

# Nothing to train.
save("no_parameters", [node("Relu", "x", "out")], [], outputs=[value("out", "batch", 6)])
