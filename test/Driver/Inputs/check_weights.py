"""Checks what an executable is made of: every weight once, and little else.

check_weights.py MODEL.onnx EXECUTABLE BYTES: the executable is at most BYTES
larger than the model's floating-point tensors.
"""
import sys

import numpy
import onnx.numpy_helper

model, executable, limit = sys.argv[1:]
program = open(executable, "rb").read()
weights = 0
for tensor in onnx.load(model).graph.initializer:
    values = onnx.numpy_helper.to_array(tensor)
    if values.dtype != numpy.float32:
        continue
    data = values.tobytes()
    weights += len(data)
    found = program.count(data)
    if found != 1:
        sys.exit(f"'{tensor.name}' stands {found} times in {executable}")
beside = len(program) - weights
print(f"{weights} bytes of weights and {beside} others")
if beside > int(limit):
    sys.exit(f"more than {limit} others")
