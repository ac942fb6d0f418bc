"""Well-formed files whose graphs are wired wrongly, or oddly."""

import built
from built import node, value, weight
from case import ANY, ERROR, OK
from onnx import helper


def base():
    """8-16-5; the values are x, h, hb, r, y, z and out."""
    return built.two_layers([node("Identity", "z", "out")])


def edited(edit):
    result = base()
    edit(result)
    return result


def add_graph_cases(corpus):
    def case(name, edit, kind=ERROR, contains=None):
        corpus.check(name, edited(edit), kind, contains)

    def rewire(index, inputs=None, outputs=None):
        def edit(m):
            target = m.graph.node[index]
            if inputs is not None:
                target.input[:] = inputs
            if outputs is not None:
                target.output[:] = outputs

        return edit

    case("cycle", rewire(0, ["r", "w1"]), ERROR, "cycl|\\br\\b|/h/MatMul")
    case("cycle-self", rewire(2, ["r"]), ERROR, "cycl|\\br\\b")
    case("undefined", rewire(2, ["nowhere"]), ERROR, "nowhere")
    case("undefined-empty", rewire(1, ["h", ""]), ERROR, "/hb/Add")
    case("duplicate-value", rewire(2, outputs=["hb"]), ERROR, "hb")
    case("duplicate-shadow", rewire(2, outputs=["w2"]), ERROR, "w2")
    case("duplicate-input", rewire(2, outputs=["x"]), ERROR, "\\bx\\b")
    case("no-operands", rewire(1, []), ERROR, "/hb/Add")
    case("one-operand", rewire(1, ["h"]), ERROR, "/hb/Add")
    case("three-operands", rewire(1, ["h", "b1", "b1"]), ERROR, "/hb/Add")
    case("two-results", rewire(2, outputs=["r", "extra"]), ERROR, "/r/Relu")
    case("no-results", rewire(2, outputs=[]), ERROR)
    case("result-unnamed", rewire(2, outputs=[""]), ERROR)

    def unordered(m):  # the nodes are all there, in the wrong order
        nodes = list(m.graph.node)[::-1]
        del m.graph.node[:]
        m.graph.node.extend(nodes)

    case("unordered", unordered, ANY)
    case(
        "duplicate-weight",
        lambda m: m.graph.initializer.append(weight("w1", 8, 16)),
        ERROR,
        "w1",
    )
    case("duplicate-node", lambda m: setattr(m.graph.node[1], "name", "/h/MatMul"), ANY)
    case("no-graph", lambda m: m.ClearField("graph"), ERROR)
    case("no-nodes", lambda m: m.graph.ClearField("node"), ERROR)
    case("no-inputs", lambda m: m.graph.ClearField("input"), ERROR, "\\bx\\b")
    case("no-outputs", lambda m: m.graph.ClearField("output"), ERROR)
    case(
        "output-undefined",
        lambda m: setattr(m.graph.output[0], "name", "lost"),
        ERROR,
        "lost",
    )
    case("output-repeated", lambda m: m.graph.output.append(m.graph.output[0]), ANY)
    case("output-input", lambda m: m.graph.output.append(value("x", "batch", 8)), ANY)
    case(
        "input-repeated",
        lambda m: m.graph.input.append(m.graph.input[0]),
        ERROR,
        "\\bx\\b",
    )
    case(
        "input-untyped", lambda m: m.graph.input[0].ClearField("type"), ERROR, "\\bx\\b"
    )
    case("no-parameters", lambda m: m.graph.ClearField("initializer"), ERROR)
    case(
        "unused-weight", lambda m: m.graph.initializer.append(weight("spare", 3, 3)), OK
    )
    case(
        "unknown-op",
        lambda m: setattr(m.graph.node[2], "op_type", "Rleu"),
        ERROR,
        "Rleu",
    )
    case("empty-op", lambda m: setattr(m.graph.node[2], "op_type", ""), ERROR)
    case(
        "unknown-domain",
        lambda m: setattr(m.graph.node[2], "domain", "com.acme"),
        ERROR,
        "com\\.acme",
    )
    case("domain-ai-onnx", lambda m: setattr(m.graph.node[2], "domain", "ai.onnx"), ANY)
    case("no-opset", lambda m: m.ClearField("opset_import"), ERROR, "opset")
    for opset in (-1, 0, 1, 2**31, 2**62):
        kind = ANY if opset > 13 else ERROR
        case(
            f"opset-{opset}",
            lambda m, o=opset: setattr(m.opset_import[0], "version", o),
            kind,
            None if kind == ANY else "opset",
        )
    case(
        "opset-twice", lambda m: m.opset_import.append(helper.make_opsetid("", 13)), ANY
    )
    case("no-ir", lambda m: m.ClearField("ir_version"), ERROR, "IR")
    case("ir-6", lambda m: setattr(m, "ir_version", 6), ERROR, "IR")
    case("ir-negative", lambda m: setattr(m, "ir_version", -8), ERROR, "IR")
    case("ir-huge", lambda m: setattr(m, "ir_version", 2**40), ANY)

    def named(text):
        def edit(m):
            m.graph.node[2].output[0] = text
            m.graph.node[3].input[0] = text
            m.graph.node[2].name = text

        return edit

    case("name-quotes", named('"quo\'ted" \\ %d %s {0} $(x)'), OK)
    case("name-lines", named("two\nlines\t\x1b[31m"), OK)
    case("name-utf8", named("größe/層"), OK)
    case("name-long", named("n" * 200_000), ANY)
    case("name-none", lambda m: setattr(m.graph.node[2], "name", ""), OK)
    latin = edited(named("QQQQQQ")).SerializeToString()
    corpus.check("name-latin1", latin.replace(b"QQQQQQ", b"gr\xf6\xdfe\xff"), ANY)
    corpus.check("name-nul", latin.replace(b"QQQQQQ", b"a\0b\0cd"), ANY)
    case("weight-name-path", rename_weight("../../etc/passwd"), OK)
    case("weight-name-empty", rename_weight(""), ERROR)

    def signature(text):
        def edit(m):
            prop = m.graph.metadata_props.add()
            prop.key = "pkg.torch.export.ExportedProgram.graph_signature"
            prop.value = text

        return edit

    case("signature-garbage", signature("\n:::: PARAMETER target=\n'\x00"), ANY)
    case("signature-unclosed", signature("# inputs\np: PARAMETER target='w1"), ANY)
    case("signature-nothing", signature(""), ANY)


def rename_weight(name):
    def edit(m):
        m.graph.initializer[0].name = name
        m.graph.node[0].input[1] = name

    return edit
