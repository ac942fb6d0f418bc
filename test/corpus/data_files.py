"""Data sets that a trainer must refuse: damaged, misshapen or mismatched.

The trainer is that of any model with an input x of 8 values and 5 classes.
"""

import gzip
import io
import os
import struct

import numpy as np
from case import ANY, ERROR, OK
from tensorfiles import write_idx

COUNT = 40


def good_data():
    generator = np.random.default_rng(11)
    pixels = generator.integers(0, 256, (COUNT, 2, 4)).astype(np.uint8)
    return pixels, (np.arange(COUNT) % 5).astype(np.uint8)


def npy(header, data, version=1, pad=True):
    """An npy file with the given header text."""
    head = header.encode("latin1")
    if pad:
        head += b" " * (-(len(head) + 11) % 64) + b"\n"
    form = "<H" if version == 1 else "<I"
    return (
        b"\x93NUMPY" + bytes([version, 0]) + struct.pack(form, len(head)) + head + data
    )


def saved(array):
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def idx(code, dims, data, zero=0):
    return (
        struct.pack(">HBB", zero, code, len(dims))
        + struct.pack(f">{len(dims)}I", *dims)
        + data
    )


def add_idx(corpus, pixels):
    def case(name, content, kind=ERROR):
        corpus.write(f"data/{name}", content)
        corpus.train(
            name, f"data/{name}", "data/labels", kind, name if kind == ERROR else None
        )

    raw = pixels.tobytes()
    dims = (COUNT, 2, 4)
    whole = idx(8, dims, raw)
    case("idx-whole", whole, OK)
    case("idx-empty", b"")
    for length in (1, 3, 4, 7, 15, 16, 17, len(whole) - 1):
        case(f"idx-truncated-{length}", whole[:length])
    case("idx-long", whole + b"\0")
    case("idx-magic", idx(8, dims, raw, zero=0x1234))
    case("idx-type-7", idx(7, dims, raw))
    case("idx-type-0", idx(0, dims, raw))
    case("idx-double-size", idx(14, dims, raw))  # says doubles, holds bytes
    case("idx-rank-0", idx(8, (), b"\0"))
    case("idx-rank-1", idx(8, (COUNT * 8,), raw))
    case("idx-rank-255", struct.pack(">HBB", 0, 8, 255) + bytes(255 * 4))
    case("idx-huge", idx(8, (2**32 - 1,) * 3, raw))
    case("idx-wraps", idx(8, (2**32 - 1,) * 8, raw))
    case("idx-zero-samples", idx(8, (0, 2, 4), b""))
    case("idx-zero-values", idx(8, (COUNT, 0, 4), b""))
    case("idx-other-size", idx(8, (COUNT, 3, 3), bytes(COUNT * 9)))
    case("idx-more-samples", idx(8, (COUNT + 1, 2, 4), raw + bytes(8)))
    case("idx-text", b"0 1 2 3 4 5 6 7\n" * COUNT)

    packed = gzip.compress(whole, mtime=0)
    case("idx-whole.gz", packed, OK)
    for length in (2, 9, 10, 11, len(packed) // 2, len(packed) - 9, len(packed) - 1):
        case(f"idx-truncated-{length}.gz", packed[:length])
    damaged = bytearray(packed)
    damaged[-6] ^= 1
    case("idx-checksum.gz", bytes(damaged))
    damaged = bytearray(packed)
    damaged[len(packed) // 2] ^= 0x10
    case("idx-flipped.gz", bytes(damaged))
    case("idx-trailing.gz", packed + b"garbage", ANY)
    case("idx-short-content.gz", gzip.compress(whole[:100], mtime=0))
    case("idx-gz-of-text.gz", gzip.compress(b"no IDX file", mtime=0))
    # A small file that unpacks to a gigabyte after the promised samples.
    block = gzip.compress(bytes(1 << 24), mtime=0)
    case("idx-bomb.gz", packed + block * 64)
    case("idx-bomb-stream.gz", gzip.compress(whole + bytes(1 << 28), 1, mtime=0))


def add_npy(corpus, pixels):
    def case(name, content, kind=ERROR, contains=None):
        corpus.write(f"data/{name}", content)
        contains = contains or (name if kind == ERROR else None)
        corpus.train(name, f"data/{name}", "data/labels", kind, contains)

    array = (pixels.reshape(COUNT, 8) / np.float32(255)).astype(np.float32)
    raw = array.tobytes()
    whole = saved(array)
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (40, 8), }"
    case("npy-whole.npy", whole, OK)
    case("npy-version-2.npy", npy(header, raw, version=2), OK)
    case("npy-version-9.npy", npy(header, raw, version=9))
    for length in (0, 5, 6, 8, 9, 10, 60, 127, 128, len(whole) - 1):
        case(f"npy-truncated-{length}.npy", whole[:length])
    case("npy-magic.npy", b"\x93NUMPX" + whole[6:])
    case("npy-long.npy", whole + bytes(4), ANY)
    case("npy-header-long.npy", whole[:8] + b"\xff\xff" + whole[10:])
    case("npy-header-4gib.npy", whole[:6] + b"\2\0\xff\xff\xff\xff" + whole[10:])

    def headed(name, text, kind=ERROR, data=raw):
        case(f"npy-{name}.npy", npy(text, data), kind)

    def shaped(name, shape, kind=ERROR, data=raw, descr="<f4", order="False"):
        text = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}"
        headed(name, text, kind, data)

    headed("no-dict", "hello")
    headed("no-end", "{'descr': '<f4', 'fortran_order': False, 'shape': (40, 8")
    headed("no-shape", "{'descr': '<f4', 'fortran_order': False, }")
    headed("no-descr", "{'fortran_order': False, 'shape': (40, 8), }")
    headed("nested", "{" * 5000)
    headed("code", "__import__('os').abort()")
    shaped("negative", "(-40, -8)")
    shaped("huge", f"({2**62}, 8)")
    shaped("wraps", f"({2**32}, {2**32})")
    shaped("digits", "(" + "9" * 400 + ", 8)")
    shaped("float-shape", "(40.0, 8)")
    shaped("scalar", "()")
    shaped("rank-1", "(320,)")
    shaped("other-size", "(32, 10)")
    shaped("too-many", "(41, 8)")
    shaped("zero-samples", "(0, 8)", data=b"")
    shaped("fortran", "(40, 8)", ANY, order="True")
    shaped("order-type", "(40, 8)", order="7")
    shaped("big-endian", "(40, 8)", ANY, descr=">f4")
    for descr in ("|O", "<U4", "<c8", "|V4", "<f3", "", "<f44444444444", "f", "|S4"):
        shaped(f"type-{descr.strip('<|') or 'none'}", "(40, 8)", descr=descr)
    headed(
        "type-record",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (40, 8), }",
    )
    shaped("int64", "(40, 8)", ANY, data=array.astype(np.int64).tobytes(), descr="<i8")
    shaped("half", "(40, 8)", ANY, data=array.astype(np.float16).tobytes(), descr="<f2")
    broken = array.copy()
    broken[3, 2] = np.nan
    case("npy-nan.npy", saved(broken), ERROR, "not a number|finite")
    broken[3, 2] = np.inf
    case("npy-inf.npy", saved(broken), ERROR, "not a number|finite")


def add_labels(corpus, labels):
    def case(name, array, kind=ERROR, contains=None):
        if name.endswith(".npy"):
            np.save(corpus.path(f"data/{name}"), array)
        else:
            write_idx(corpus.path(f"data/{name}"), array)
        contains = contains or (name if kind == ERROR else None)
        corpus.train(name, "data/images", f"data/{name}", kind, contains)

    def changed(value, dtype=np.int64):
        result = labels.astype(dtype)
        result[17] = value
        return result

    case("labels-whole", labels, OK)
    case("labels-whole.npy", labels.astype(np.int64), OK)
    case("labels-int32.npy", labels.astype(np.int32), OK)
    case("labels-five", changed(5, np.uint8), contains="\\b5\\b")
    case("labels-255", changed(255, np.uint8), contains="255")
    case("labels-negative.npy", changed(-1), contains="-1\\b")
    case("labels-huge.npy", changed(2**62), contains=str(2**62))
    case("labels-int32-wraps.npy", changed(2**32), contains=str(2**32))
    case("labels-float.npy", labels.astype(np.float32), ANY)
    case("labels-half.npy", labels.astype(np.float32) + 0.5)
    case("labels-nan.npy", changed(np.nan, np.float32))
    case("labels-fewer", labels[:-1])
    case("labels-more.npy", np.append(labels, 0).astype(np.int64))
    case("labels-none", labels[:0])
    case("labels-one-hot.npy", np.eye(5, dtype=np.float32)[labels])
    case("labels-column.npy", labels.reshape(-1, 1).astype(np.int64), ANY)
    case("labels-scalar.npy", np.int64(3))


def add_arguments(corpus):
    good = ("data/images", "data/labels")

    def case(name, inputs, labels, contains=None, extra=()):
        corpus.train(name, inputs, labels, ERROR, contains, extra)

    case("file-absent", "data/file-absent", good[1], "file-absent")
    case("label-absent", good[0], "data/label-absent", "label-absent")
    case("file-folder", "data", good[1], "data")
    case("swapped", *good[::-1])
    case("same", good[0], good[0])
    fifo = corpus.path("data/fifo")
    if not os.path.exists(fifo):
        os.mkfifo(fifo)
    case("file-fifo", "data/fifo", good[1], "fifo")
    case("file-device", "/dev/zero", good[1], "/dev/zero")
    case("batch-too-large", *good, "batch|samples", ("--global-batch", "400"))
    case("unknown-input", *good, "\\bq\\b", ("--input", "q=data/images"))
    case("std-zero", *good, "std|deviation", ("--std", "x=0"))
    case("scale-text", *good, "scale", ("--scale", "x=much"))
    case("scale-by-zero", *good, "scale", ("--scale", "x=1/0"))


def add_data_cases(corpus):
    pixels, labels = good_data()
    write_idx(corpus.path("data/images"), pixels)
    write_idx(corpus.path("data/labels"), labels)
    add_idx(corpus, pixels)
    add_npy(corpus, pixels)
    add_labels(corpus, labels)
    add_arguments(corpus)
