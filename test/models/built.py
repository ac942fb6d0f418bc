"""The models that are built by hand; called by make_models.py.

Needs onnx and numpy alone, so that other test scripts can use it too.
"""

import os

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def weight(name, *shape, scale=0.3):
    """A random initializer; its values depend on the name alone."""
    seed = sum(ord(letter) * (i + 1) for i, letter in enumerate(name))
    values = np.random.default_rng(seed).normal(scale=scale, size=shape)
    return numpy_helper.from_array(values.astype(np.float32), name)


def ints(name, *values):
    return numpy_helper.from_array(np.array(values, np.int64), name)


def value(name, *shape, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def node(kind, inputs, output, name=None, **attributes):
    """A node with one output, called /<output>/<kind> unless told otherwise."""
    return helper.make_node(
        kind, inputs.split(), [output], name=name or f"/{output}/{kind}", **attributes
    )


def model(nodes, initializers, inputs=None, outputs=None, opset=17, ir=8):
    graph = helper.make_graph(
        nodes,
        "graph",
        inputs or [value("x", "batch", 8)],
        outputs or [value("out", "batch", 5)],
        initializers,
    )
    imports = [helper.make_opsetid("", opset)]
    return helper.make_model(
        graph, opset_imports=imports, ir_version=ir, producer_name="rubato-test"
    )


def two_layers(end, opset=17, ir=8):
    """8-16-5 as MatMul+Add with relu; `end` turns "z" into "out"."""
    nodes = [
        node("MatMul", "x w1", "h"),
        node("Add", "h b1", "hb"),
        node("Relu", "hb", "r"),
        node("MatMul", "r w2", "y"),
        node("Add", "b2 y", "z"),
        *end,
    ]
    return model(
        nodes,
        [weight("w1", 8, 16), weight("b1", 16), weight("w2", 16, 5), weight("b2", 5)],
        opset=opset,
        ir=ir,
    )


def gemm(opset=13, ir=7):
    """Gemm in all its forms; a bias that broadcasts from [1,n] and from [1]."""
    nodes = [
        node("Transpose", "x", "xt", perm=[1, 0]),
        node("Gemm", "xt w1 b1", "h1", alpha=0.5, beta=2.0, transA=1),
        node("Tanh", "h1", "t1"),
        node("Gemm", "t1 w2 b2", "h2", transB=1, alpha=1.5),
        node("Sigmoid", "h2", "t2"),
        node("Gemm", "t2 w3", "h3"),
        node("Relu", "h3", "t3"),
        node("Gemm", "t3 w4 b4", "out", beta=0.25),
    ]
    weights = [
        weight("w1", 8, 16), weight("b1", 1, 16), weight("w2", 12, 16), weight("b2", 1),
        weight("w3", 12, 16), weight("w4", 16, 5), weight("b4", 5),
    ]  # fmt: skip
    return model(nodes, weights, opset=opset, ir=ir)


def elementwise():
    """Every elementwise op, broadcasting both ways, Constant, Cast, Identity."""
    half = numpy_helper.from_array(np.array(0.5, np.float32))
    nodes = [
        helper.make_node("Constant", [], ["half"], name="/half", value=half),
        helper.make_node("Constant", [], ["two"], name="/two", value_float=2.0),
        node("Sub", "x shift", "s"),
        node("Mul", "half s", "m"),
        node("Cast", "m", "c", to=TensorProto.FLOAT),
        node("MatMul", "c w1", "h"),
        node("Add", "h b1", "hb"),
        node("Sigmoid", "hb", "gate"),
        node("Tanh", "hb", "t"),
        node("Mul", "gate t", "g"),
        node("Identity", "g", "i"),
        node("Add", "i g", "gg"),
        node("Sub", "two gg", "d"),
        node("Gemm", "d w2 b2", "out", transB=1),
    ]
    weights = [
        weight("shift", 8), weight("w1", 8, 16), weight("b1", 16),
        weight("w2", 5, 16), weight("b2", 5),
    ]  # fmt: skip
    return model(nodes, weights)


def reshapes():
    """Reshape with 0 and -1, Flatten, Transpose of a batch of matrices."""
    shape = numpy_helper.from_array(np.array([0, 2, 4], np.int64))
    nodes = [
        helper.make_node("Constant", [], ["split"], name="/split", value=shape),
        node("Reshape", "x split", "r1"),
        node("Transpose", "r1", "t", perm=[0, 2, 1]),
        node("Flatten", "t", "f", axis=1),
        node("Gemm", "f w1 b1", "h"),
        node("Relu", "h", "r"),
        node("Reshape", "r merge", "r2"),
        node("Reshape", "r2 rows", "r3"),
        node("Gemm", "r3 w2 b2", "out"),
    ]
    weights = [
        ints("merge", -1, 4, 4), ints("rows", 0, -1),
        weight("w1", 8, 16), weight("b1", 16), weight("w2", 16, 5), weight("b2", 5),
    ]  # fmt: skip
    return model(nodes, weights)


def shared_weight():
    """One matrix used twice, once transposed: a tie that must stay one."""
    nodes = [
        node("MatMul", "x tied", "h"),
        node("Relu", "h", "r"),
        node("Transpose", "tied", "tiedT", perm=[1, 0]),
        node("MatMul", "r tiedT", "back"),
        node("Tanh", "back", "t"),
        node("Gemm", "t w b", "out"),
    ]
    weights = [weight("tied", 8, 16), weight("w", 8, 5), weight("b", 5)]
    return model(nodes, weights)


def merged():
    """Identity fed by an initializer: b2 is a parameter of its own."""
    nodes = [
        node("Identity", "b1", "b2"),
        node("Gemm", "x w1 b1", "h"),
        node("Relu", "h", "r"),
        node("Gemm", "r w2 b2", "h2"),
        node("Relu", "h2", "r2"),
        node("Gemm", "r2 w3 b3", "out"),
    ]
    weights = [
        weight("w1", 8, 16), weight("b1", 16), weight("w2", 16, 16),
        weight("w3", 16, 5), weight("b3", 5),
    ]  # fmt: skip
    return model(nodes, weights)


def typed_data():
    """Weights in float_data and int64_data instead of raw bytes."""
    result = reshapes()
    for tensor in result.graph.initializer:
        array = numpy_helper.to_array(tensor)
        tensor.ClearField("raw_data")
        if array.dtype == np.int64:
            tensor.int64_data.extend(array.flatten().tolist())
        else:
            tensor.float_data.extend(array.flatten().tolist())
    return result


def initializer_as_input():
    """Initializers listed as graph inputs too, as old files do."""
    result = gemm()
    for tensor in result.graph.initializer:
        result.graph.input.append(value(tensor.name, *tensor.dims))
    return result


def two_symbols():
    """Two symbolic dimensions; the second must be the rows of w1."""
    nodes = [
        node("MatMul", "x w1", "h"),
        node("Relu", "h", "r"),
        node("MatMul", "r w2", "out"),
    ]
    return model(
        nodes,
        [weight("w1", 8, 16), weight("w2", 16, 5)],
        inputs=[value("x", "batch", "features")],
    )


def unsupported():
    """Six nodes of four kinds that have no support, among some that have."""
    nodes = [
        node("Conv", "x k1", "c1", name="/stem/conv1/Conv", pads=[1, 1, 1, 1]),
        node("Erf", "c1", "e1", name="/stem/act/Erf"),
        node("Conv", "e1 k2", "c2", name="/stem/conv2/Conv", pads=[1, 1, 1, 1]),
        node("Erf", "c2", "e2", name="/act/Erf"),
        node("GlobalAveragePool", "e2", "p", name="/pool/GlobalAveragePool"),
        node("Flatten", "p", "f"),
        node("Gemm", "f w b", "g"),
        node("CumSum", "g axis", "out", name="/head/CumSum"),
    ]
    weights = [
        weight("k1", 4, 1, 3, 3), weight("k2", 8, 4, 3, 3), weight("w", 8, 5),
        weight("b", 5), numpy_helper.from_array(np.array(1, np.int64), "axis"),
    ]  # fmt: skip
    return model(nodes, weights, inputs=[value("x", "batch", 1, 6, 6)])


def domain():
    """A node of a domain nobody knows, and its opset import."""
    result = two_layers([node("Relu", "z", "pre")])
    custom = helper.make_node("Fancy", ["pre"], ["out"], "/fancy", domain="com.acme")
    result.graph.node.append(custom)
    result.opset_import.append(helper.make_opsetid("com.acme", 1))
    return result


def inner_softmax():
    """Softmax in the middle: not at the end, so the loss cannot absorb it."""
    nodes = [
        node("Gemm", "x w1 b1", "h"),
        node("Softmax", "h", "s", axis=-1),
        node("Gemm", "s w2 b2", "out"),
    ]
    weights = [
        weight("w1", 8, 16),
        weight("b1", 16),
        weight("w2", 16, 5),
        weight("b2", 5),
    ]
    return model(nodes, weights)


def built_models():
    """Returns {file name without suffix: model}."""
    identity = [node("Identity", "z", "out")]
    log_softmax = [node("LogSoftmax", "z", "out", axis=1)]
    return {
        "built_matmul_add": two_layers(identity),
        "built_softmax": two_layers([node("Softmax", "z", "out", axis=-1)]),
        "built_log_softmax": two_layers(log_softmax, opset=13, ir=7),
        "built_gemm": gemm(),
        "built_elementwise": elementwise(),
        "built_reshapes": reshapes(),
        "built_shared_weight": shared_weight(),
        "built_merged": merged(),
        "built_typed_data": typed_data(),
        "built_initializer_inputs": initializer_as_input(),
        "built_two_symbols": two_symbols(),
        "built_opset22": two_layers(identity, opset=22, ir=10),
        "built_opset24": gemm(opset=24, ir=11),
        "bad_opset9": two_layers(identity, opset=9, ir=7),
        "bad_ir6": two_layers(identity, opset=13, ir=6),
        "bad_unsupported": unsupported(),
        "bad_domain": domain(),
        "bad_inner_softmax": inner_softmax(),
    }


def write_built(folder):
    for name, content in built_models().items():
        if name != "bad_domain":
            onnx.checker.check_model(content, full_check=True)
        onnx.save(content, os.path.join(folder, f"{name}.onnx"))
