"""Readers for the small files that tests exchange: safetensors and IDX.

They need NumPy alone and are written for clarity: they serve as a second
opinion on what Rubato writes and reads, so they share no code with it.
"""

import gzip
import json
import struct

import numpy as np

SAFETENSORS_TYPES = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2",
    "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1",
    "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "u1", "BOOL": "?",
}  # fmt: skip

IDX_TYPES = {
    0x08: ">u1", 0x09: ">i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8",
}  # fmt: skip


def read_safetensors(path):
    """Returns {name: array} of a safetensors file."""
    with open(path, "rb") as file:
        content = file.read()
    if len(content) < 8:
        raise ValueError(f"{path}: too short for a safetensors file")
    (length,) = struct.unpack("<Q", content[:8])
    if length > len(content) - 8:
        raise ValueError(f"{path}: the header is longer than the file")
    header = json.loads(content[8 : 8 + length])
    data = content[8 + length :]
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        dtype = np.dtype(SAFETENSORS_TYPES[entry["dtype"]])
        shape = entry["shape"]
        if end - begin != int(np.prod(shape)) * dtype.itemsize or end > len(data):
            raise ValueError(f"{path}: tensor '{name}' does not fit its shape")
        tensors[name] = np.frombuffer(data[begin:end], dtype).reshape(shape)
    return tensors


def write_safetensors(path, tensors):
    """Writes {name: array} as a safetensors file."""
    names = {np.dtype(text): name for name, text in SAFETENSORS_TYPES.items()}
    header, blobs, offset = {}, [], 0
    for name, array in tensors.items():
        blob = np.ascontiguousarray(array).tobytes()
        header[name] = {
            "dtype": names[array.dtype],
            "shape": list(array.shape),
            "data_offsets": [offset, offset + len(blob)],
        }
        blobs.append(blob)
        offset += len(blob)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(blobs))


def read_idx(path):
    """Returns the array of an IDX file, gzipped or not."""
    with open(path, "rb") as file:
        content = file.read()
    if content[:2] == b"\x1f\x8b":
        content = gzip.decompress(content)
    zero, code, rank = struct.unpack(">HBB", content[:4])
    if zero != 0 or code not in IDX_TYPES:
        raise ValueError(f"{path}: not an IDX file")
    shape = struct.unpack(f">{rank}I", content[4 : 4 + 4 * rank])
    data = np.frombuffer(content, IDX_TYPES[code], offset=4 + 4 * rank)
    return data.reshape(shape)


def write_idx(path, array):
    """Writes an array as an IDX file; a name that ends in .gz is compressed."""
    codes = {np.dtype(text): code for code, text in IDX_TYPES.items()}
    array = np.asarray(array)
    array = array.astype(array.dtype.newbyteorder(">"))
    content = struct.pack(">HBB", 0, codes[array.dtype], array.ndim)
    content += struct.pack(f">{array.ndim}I", *array.shape) + array.tobytes()
    if str(path).endswith(".gz"):
        content = gzip.compress(content, mtime=0)
    with open(path, "wb") as file:
        file.write(content)
