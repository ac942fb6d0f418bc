"""Graphs whose shapes, types or attributes do not fit, and very large ones."""

import numpy as np
from built import ints, model, node, value, weight
from case import ANY, ERROR, OK
from onnx import TensorProto, helper, numpy_helper
from onnx_graphs import edited


def layers(*nodes, weights=(), **options):
    """Nodes that turn "h", the first layer's [batch,16], into "out"."""
    first = node("Gemm", "x w1 b1", "h")
    everything = [weight("w1", 8, 16), weight("b1", 16), *weights]
    options.setdefault("outputs", [value("out", "batch", 16)])
    return model([first, *nodes], everything, **options)


def add_shapes(corpus):
    def dims(index, *shape):
        def edit(m):
            m.graph.initializer[index].dims[:] = shape

        return edited(edit)

    # Sizes that overflow when multiplied, some of them back to the right size.
    for name, shape in {
        "huge": (2**62, 16),
        "overflow": (2**32, 2**32),
        "product": (2**62, 2**62, 4, 4),
        "wraps": (2**61 + 1, 128),
        "max": (2**63 - 1,),
        "gib": (2**20, 2**20),
    }.items():
        corpus.check(f"dims-{name}", dims(0, *shape), ERROR, "w1")
    corpus.check("dims-negative", dims(0, -8, -16), ERROR, "w1")
    corpus.check("dims-minus-one", dims(0, -1, 16), ERROR, "w1")
    corpus.check("dims-zero", dims(0, 0, 16), ERROR)
    corpus.check("dims-none", dims(0), ERROR, "w1|/h/MatMul")
    corpus.check("dims-swapped", dims(0, 16, 8), ERROR)
    corpus.check("dims-rank-4000", dims(0, *([1] * 3998 + [8, 16])), ERROR)

    def entry(*shape, kind=TensorProto.FLOAT):
        def edit(m):
            m.graph.input[0].CopyFrom(value("x", *shape, kind=kind))

        return edited(edit)

    corpus.check("input-huge", entry("batch", 2**62), ERROR)
    corpus.check("input-huge-batch", entry(2**62, 8), ERROR)
    corpus.check("input-negative", entry(-5, 8), ERROR)
    corpus.check("input-zero", entry(0, 8), ANY)
    corpus.check("input-mismatch", entry("batch", 9), ERROR, "/h/MatMul")
    corpus.check("input-scalar", entry(), ERROR)
    corpus.check("input-rank-1", entry("batch"), ERROR)
    corpus.check("input-rank-2000", entry("batch", *([1] * 2000), 8), ANY)
    for name in ("INT64", "DOUBLE", "FLOAT16", "BFLOAT16", "STRING", "UNDEFINED"):
        kind = TensorProto.DataType.Value(name)
        corpus.check(f"input-{name.lower()}", entry("batch", 8, kind=kind), ERROR)
    corpus.check("input-type-99", entry("batch", 8, kind=99), ERROR)

    def output(*shape):
        return edited(lambda m: m.graph.output[0].CopyFrom(value("out", *shape)))

    corpus.check("output-wrong-dims", output("batch", 77), ANY)
    corpus.check("output-invented-dims", output("batch", "MatMuloutput_dim_1"), OK)

    def reshape(name, shape, kind=ERROR):
        made = layers(
            node("Reshape", "h shape", "out"),
            weights=[ints("shape", *shape)],
            outputs=[value("out", "batch", 4, 4)],
        )
        place = "/out/Reshape" if kind == ERROR else None
        corpus.check(f"reshape-{name}", made, kind, place)

    reshape("two-unknown", (-1, -1))
    reshape("minus-two", (-2, 16))
    reshape("no-fit", (-1, 7))
    reshape("zero-outside", (-1, 16, 0))
    reshape("huge", (2**62, 2**62))
    reshape("wraps", (-1, 2**32, 2**32, 16))
    reshape("fits", (-1, 4, 4), OK)
    asked = layers(
        node("Reshape", "h s", "out"),
        inputs=[value("x", "batch", 8), value("s", 2, kind=TensorProto.INT64)],
    )
    corpus.check("reshape-by-input", asked, ERROR)
    corpus.check(
        "reshape-by-float",
        layers(node("Reshape", "h s", "out"), weights=[weight("s", 2)]),
        ERROR,
        "/out/Reshape",
    )
    wide = layers(node("Add", "h b", "out"), weights=[weight("b", 7)])
    corpus.check("add-no-broadcast", wide, ERROR, "/out/Add")
    corpus.check(
        "matmul-mismatch",
        layers(node("MatMul", "h w", "out"), weights=[weight("w", 15, 4)]),
        ERROR,
        "/out/MatMul",
    )
    corpus.check(
        "gemm-mismatch",
        layers(node("Gemm", "h w", "out", transB=1), weights=[weight("w", 16, 4)]),
        ERROR,
        "/out/Gemm",
    )
    corpus.check(
        "gemm-bias",
        layers(
            node("Gemm", "h w c", "out"), weights=[weight("w", 16, 4), weight("c", 3)]
        ),
        ERROR,
        "/out/Gemm",
    )
    corpus.check(
        "gemm-rank-3",
        layers(node("Gemm", "h w", "out"), weights=[weight("w", 1, 16, 4)]),
        ERROR,
        "/out/Gemm",
    )


def add_attributes(corpus):
    def case(name, target, kind=ERROR, weights=()):
        place = "|".join((target.name, target.output[0])) if kind == ERROR else None
        corpus.check(name, layers(target, weights=weights), kind, place)

    case("perm-outside", node("Transpose", "h", "out", perm=[0, 5]))
    case("perm-repeats", node("Transpose", "h", "out", perm=[1, 1]))
    case("perm-short", node("Transpose", "h", "out", perm=[0]))
    case("perm-negative", node("Transpose", "h", "out", perm=[-1, 0]))
    case("perm-type", node("Transpose", "h", "out", perm=1))
    case("flatten-axis", node("Flatten", "h", "out", axis=99))
    case("flatten-axis-low", node("Flatten", "h", "out", axis=-(2**62)))
    case("softmax-axis", node("Softmax", "h", "out", axis=7))
    case("cast-unknown", node("Cast", "h", "out", to=99))
    case("cast-string", node("Cast", "h", "out", to=TensorProto.STRING))
    case("cast-nothing", node("Cast", "h", "out"))
    square = [weight("w", 16, 16)]
    case("gemm-alpha-type", node("Gemm", "h w", "out", alpha=1), weights=square)
    case("gemm-trans-type", node("Gemm", "h w", "out", transB=1.0), weights=square)
    case("gemm-trans-two", node("Gemm", "h w", "out", transB=2), ANY, square)
    case("gemm-alpha-nan", node("Gemm", "h w", "out", alpha=float("nan")), ANY, square)
    case("unknown-attribute", node("Relu", "h", "out", slope=0.1), ANY)
    untyped = node("Transpose", "h", "out", perm=[1, 0])
    untyped.attribute[0].ClearField("type")
    case("attribute-untyped", untyped, ANY)

    def constant(name, kind=ERROR, **attributes):
        made = helper.make_node("Constant", [], ["c"], name="/c/Constant", **attributes)
        corpus.check(
            f"constant-{name}",
            layers(made, node("Mul", "h c", "out")),
            kind,
            "/c/Constant|/out/Mul" if kind == ERROR else None,
        )

    constant("nothing")
    constant("two", value_float=1.0, value_int=1)
    constant("string", value_string="text")
    constant("floats", OK, value_floats=[0.5] * 16)
    short = numpy_helper.from_array(np.ones(16, np.float32))
    short.dims[0] = 17
    constant("short", value=short)
    branch = helper.make_graph(
        [node("Relu", "h", "b")], "b", [], [value("b", "batch", 16)]
    )
    test = numpy_helper.from_array(np.array(True), "test")
    choice = helper.make_node(
        "If", ["test"], ["out"], "/out/If", then_branch=branch, else_branch=branch
    )
    corpus.check("subgraph", layers(choice, weights=[test]), ERROR, "\\bIf\\b")


def add_large(corpus):
    """Graphs that are long or wide but in order."""
    chain = [node("Relu", f"h{i}" if i else "h", f"h{i + 1}") for i in range(3000)]
    corpus.check("long-chain", layers(*chain, node("Identity", "h3000", "out")), OK)
    doubling = [
        node("Add", f"h{i} h{i}" if i else "h h", f"h{i + 1}") for i in range(80)
    ]
    corpus.check("many-paths", layers(*doubling, node("Identity", "h80", "out")), OK)
    missing = [node("Erf", f"h{i}" if i else "h", f"h{i + 1}") for i in range(3000)]
    corpus.check(
        "many-missing", layers(*missing, node("Identity", "h3000", "out")), ERROR, "Erf"
    )


def add_shape_cases(corpus):
    add_shapes(corpus)
    add_attributes(corpus)
    add_large(corpus)
