"""Stage files name the model's nodes, are readable text and hold no weights.

    check_stage_files.py FILE.mlir...
"""
import pathlib
import re
import sys

MEGABYTE = 1 << 20  # the weights of the model are five of them
NODES = ["fc1/node_linear (Gemm)", "node_relu (Relu)", "fc3/node_linear_2 (Gemm)"]

for path in map(pathlib.Path, sys.argv[1:]):
    text = path.read_text(encoding="utf-8")

    def check(condition, message):
        if not condition:
            sys.exit(f"{path}: {message}")

    check(len(text) < MEGABYTE, f"{len(text)} bytes are too many")
    check("\x00" not in text, "is not text")
    check("dense_resource" not in text, "holds a resource")
    check(not re.search(r'dense<"0x', text), "holds values as hexadecimal digits")
    longest = max(map(len, re.findall(r"dense<\[(.*?)\]>", text)), default=0)
    check(longest < 1000, f"holds a list of {longest} characters of numbers")
    for node in NODES:
        check(f'loc("{node}")' in text, f"has no location of '{node}'")
    # Every operation says where it comes from.
    body = [line for line in text.splitlines() if re.match(r"\s+%\S+ = ", line)]
    without = [line for line in body if " loc(" not in line]
    inside = [line for line in without if not line.rstrip().endswith("{")]
    check(body and not inside, f"has operations without location: {inside[:1]}")
    print(f"{path}: {len(text)} characters, {len(body)} located operations")
