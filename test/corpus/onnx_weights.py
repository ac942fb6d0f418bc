"""Weights of the wrong type or size, and external data in wrong places."""

import os

import built
import numpy as np
from built import node
from case import ANY, ERROR, OK
from onnx import TensorProto, numpy_helper


def base():
    return built.two_layers([node("Identity", "z", "out")])


def add_inline(corpus):
    def case(name, edit, kind=ERROR, contains="w1|/h/MatMul"):
        result = base()
        edit(result.graph.initializer[0])
        corpus.check(
            f"weight-{name}", result, kind, None if kind != ERROR else contains
        )

    def raw(change):
        def edit(tensor):
            tensor.raw_data = change(tensor.raw_data)

        return edit

    case("short", raw(lambda data: data[:-4]))
    case("ragged", raw(lambda data: data[:-1]))
    case("long", raw(lambda data: data + bytes(4)))
    case("empty", raw(lambda data: b""))
    case("absent", lambda tensor: tensor.ClearField("raw_data"))
    case("nan", raw(lambda data: b"\xff" * len(data)), ANY)

    def both(tensor):
        tensor.float_data.extend([1.0] * 128)

    def wrong_field(tensor):
        tensor.ClearField("raw_data")
        tensor.int64_data.extend([1] * 128)

    def few_floats(tensor):
        tensor.ClearField("raw_data")
        tensor.float_data.extend([1.0] * 127)

    case("both-fields", both, ANY)
    case("wrong-field", wrong_field)
    case("few-floats", few_floats)
    for name in ("UNDEFINED", "STRING", "INT64", "UINT8", "BOOL", "COMPLEX64", "INT4"):
        kind = TensorProto.DataType.Value(name)
        case(
            f"type-{name.lower()}",
            lambda tensor, k=kind: setattr(tensor, "data_type", k),
        )
    case("type-99", lambda tensor: setattr(tensor, "data_type", 99))
    case("type-negative", lambda tensor: setattr(tensor, "data_type", -1))

    def retyped(dtype):
        def edit(tensor):
            values = numpy_helper.to_array(tensor).astype(dtype)
            tensor.CopyFrom(numpy_helper.from_array(values, "w1"))

        return edit

    # Data and type agree, but the product mixes types.
    case("int64", retyped(np.int64))
    case("double", retyped(np.float64))
    case("half", retyped(np.float16))
    case("segment", lambda tensor: setattr(tensor.segment, "end", 5), ANY)
    case("location-99", lambda tensor: setattr(tensor, "data_location", 1), ERROR)

    strings = base()
    strings.graph.initializer[0].ClearField("raw_data")
    strings.graph.initializer[0].data_type = TensorProto.STRING
    strings.graph.initializer[0].string_data.extend([b"a"] * 128)
    corpus.check("weight-strings", strings, ERROR, "w1|/h/MatMul")
    sparse = base()
    sparse.graph.sparse_initializer.add().dims.extend([8, 16])
    corpus.check("weight-sparse", sparse, ERROR)


def add_external(corpus):
    weights = numpy_helper.to_array(base().graph.initializer[0]).tobytes()
    os.makedirs(corpus.path("onnx/sub"), exist_ok=True)
    corpus.write("onnx/weights.bin", weights)
    corpus.write("onnx/odd.bin", b"abc" + weights)
    corpus.write("onnx/sub/weights.bin", weights)
    corpus.write("outside.bin", weights)

    def link(target, name):
        path = corpus.path(f"onnx/{name}")
        if os.path.lexists(path):
            os.remove(path)
        os.symlink(target, path)

    link("weights.bin", "link.bin")  # even inside the folder: a link
    link("../outside.bin", "link-out.bin")
    link("..", "link-folder")
    link("link-loop.bin", "link-loop.bin")
    link("/dev/zero", "link-zero.bin")
    fifo = corpus.path("onnx/fifo.bin")
    if not os.path.exists(fifo):
        os.mkfifo(fifo)

    def case(name, kind, contains=None, **keys):
        result = base()
        tensor = result.graph.initializer[0]
        tensor.ClearField("raw_data")
        tensor.data_location = TensorProto.EXTERNAL
        for key, text in keys.items():
            entry = tensor.external_data.add()
            entry.key, entry.value = key, str(text)
        corpus.check(
            f"external-{name}",
            result,
            kind,
            contains or (kind == ERROR and "w1|\\.bin") or None,
        )

    size = len(weights)
    here = {"location": "weights.bin"}
    case("whole", OK, **here, offset=0, length=size)
    case("no-length", OK, **here, offset=0)
    case("no-offset", OK, **here)
    case("unaligned", OK, location="odd.bin", offset=3, length=size)
    case("subfolder", OK, location="sub/weights.bin", offset=0, length=size)
    case("dot", OK, location="./weights.bin", offset=0, length=size)
    case("parent", ERROR, location="../outside.bin", offset=0, length=size)
    case("parent-deep", ERROR, location="sub/../../outside.bin", offset=0, length=size)
    case("parent-back", ANY, location="../onnx/weights.bin", offset=0, length=size)
    absolute = os.path.abspath(corpus.path("outside.bin"))
    case("absolute", ERROR, location=absolute, offset=0, length=size)
    case(
        "absolute-here",
        ERROR,
        location=os.path.abspath(corpus.path("onnx/weights.bin")),
    )
    case("passwd", ERROR, location="/etc/passwd", offset=0, length=size)
    case("link", ERROR, location="link.bin", offset=0, length=size)
    case("link-out", ERROR, location="link-out.bin", offset=0, length=size)
    case(
        "link-folder", ERROR, location="link-folder/outside.bin", offset=0, length=size
    )
    case("link-loop", ERROR, location="link-loop.bin", offset=0, length=size)
    case("link-device", ERROR, location="link-zero.bin", offset=0, length=size)
    case("fifo", ERROR, location="fifo.bin", offset=0, length=size)
    case("folder", ERROR, "w1|sub", location="sub", offset=0, length=size)
    case("missing", ERROR, "nothing-here", location="nothing-here.bin")
    case("no-location", ERROR, "w1", offset=0, length=size)
    case("no-keys", ERROR, "w1")
    case("empty-location", ERROR, "w1", location="", offset=0, length=size)
    case("long-location", ERROR, "w1", location="a/" * 3000 + "b")
    case("beyond", ERROR, **here, offset=4, length=size)
    case("far-beyond", ERROR, **here, offset=2**40, length=size)
    case("wraps", ERROR, **here, offset=2**64 - 4, length=size)
    case("offset-huge", ERROR, **here, offset="9" * 60, length=size)
    case("offset-negative", ERROR, **here, offset=-4, length=size)
    case("offset-text", ERROR, **here, offset="four", length=size)
    case("offset-hex", ERROR, **here, offset="0x0", length=size)
    case("offset-empty", ERROR, **here, offset="", length=size)
    case("length-short", ERROR, **here, offset=0, length=size - 4)
    case("length-long", ERROR, location="odd.bin", offset=0, length=size + 3)
    case("length-negative", ERROR, **here, offset=0, length=-1)
    case("length-huge", ERROR, **here, offset=0, length=2**63)
    case("length-text", ERROR, **here, offset=0, length="all")
    case("checksum", ANY, **here, offset=0, length=size, checksum="0" * 40)
    case("unknown-key", ANY, **here, offset=0, length=size, colour="blue")


def add_weight_cases(corpus):
    add_inline(corpus)
    add_external(corpus)
