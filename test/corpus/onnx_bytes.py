"""Damaged files: cut short, with flipped bits, or not ONNX at all."""

import gzip
import os
import random
import struct

import built
import onnx
from case import ANY, ERROR, OK
from google.protobuf.message import DecodeError


def parses(content):
    try:
        onnx.ModelProto.FromString(content)
        return True
    except DecodeError:
        return False


def add_truncated(corpus, name, content, count):
    """Cuts at every short length and at `count` others."""
    lengths = set(range(0, 24)) | {len(content) - 1, len(content) - 2}
    lengths |= {len(content) * i // count for i in range(count)}
    for length in sorted(lengths):
        part = content[:length]
        # Cut between two fields, what is left is a message, and often no model.
        kind = ANY if length and parses(part) else ERROR
        corpus.check(f"truncated-{name}-{length:05}", part, kind)


def add_flipped(corpus, name, content, count):
    """Flips one to four bits, mostly outside the weights."""
    generator = random.Random(f"rubato {name}")
    for index in range(count):
        damaged = bytearray(content)
        for _ in range(generator.choice((1, 1, 2, 4))):
            damaged[generator.randrange(len(damaged))] ^= 1 << generator.randrange(8)
        corpus.check(f"flipped-{name}-{index:03}", bytes(damaged), ANY)


def add_byte_cases(corpus):
    models = built.built_models()
    whole = models["built_matmul_add"].SerializeToString()
    shapes = models["built_reshapes"].SerializeToString()
    corpus.check("whole", whole, OK)
    add_truncated(corpus, "matmul", whole, 40)
    add_truncated(corpus, "reshapes", shapes, 20)
    add_flipped(corpus, "matmul", whole, 60)
    add_flipped(corpus, "reshapes", shapes, 60)
    # The graph without its weights: every flip hits structure.
    bare = models["built_elementwise"]
    for tensor in bare.graph.initializer:
        tensor.raw_data = b"\0" * len(tensor.raw_data)
    packed = bare.SerializeToString()
    structure = [i for i, byte in enumerate(packed) if byte]
    generator = random.Random("rubato structure")
    for index in range(100):
        damaged = bytearray(packed)
        damaged[generator.choice(structure)] ^= 1 << generator.randrange(8)
        corpus.check(f"flipped-structure-{index:03}", bytes(damaged), ANY)

    generator = random.Random("rubato noise")
    corpus.check("not-text", b"This is not a model.\n" * 20, ERROR)
    corpus.check("not-json", b'{"ir_version": 8, "graph": {}}\n', ERROR)
    corpus.check("not-noise", generator.randbytes(4096), ERROR)
    corpus.check("not-zeros", bytes(4096), ERROR)
    corpus.check("not-gzip", gzip.compress(whole, mtime=0), ERROR)
    corpus.check("not-elf", b"\x7fELF" + whole, ERROR)
    corpus.check("trailing-garbage", whole + b"\xff" * 16, ERROR)
    corpus.check("twice", whole + whole, ANY)  # protobuf merges the two
    # A length that promises 2^63 bytes, and a varint without an end.
    corpus.check("length-huge", b"\x3a" + b"\xff" * 8 + b"\x7f" + b"x", ERROR)
    corpus.check("length-2gib", b"\x3a" + b"\xff\xff\xff\xff\x07" + b"x", ERROR)
    corpus.check("varint-endless", b"\x08" + b"\xff" * 40, ERROR)
    corpus.check("group-nested", b"\x0b" * 5000, ERROR)
    nested = b""
    for _ in range(400):  # a graph attribute in a node of a graph of ...
        attribute = b"\x32" + varint(len(nested)) + nested
        node = b"\x2a" + varint(len(attribute)) + attribute
        nested = b"\x0a" + varint(len(node)) + node
    corpus.check("graph-nested", b"\x3a" + varint(len(nested)) + nested, ERROR)
    corpus.check("absent", None, ERROR, "FILE")
    os.makedirs(corpus.path("onnx/folder.onnx"), exist_ok=True)
    corpus.check("folder", None, ERROR, "FILE")
    corpus.check("safetensors", struct.pack("<Q", 2) + b"{}", ERROR)


def varint(value):
    result = b""
    while value > 127:
        result += bytes([value & 127 | 128])
        value >>= 7
    return result + bytes([value])
