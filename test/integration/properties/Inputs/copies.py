"""Runs every algorithm and looks at the bytes of values that its members copied.

A server's first grant is of what lies in a cell: a copy of the model. All else that
is sent is read where it lies, so no run copies anything per round.

    copies.py RUBATO FOLDER
"""

import json
import pathlib
import struct
import subprocess
import sys

RUBATO, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
REFERENCES = pathlib.Path(__file__).resolve().parents[4] / "test" / "references"
# Rounds shorter than these runs.
OPTIONS = {
    "adaptive-sgd": ["mega-batch=512", "max-batch=64"],
    "k-avg": ["max-batch=16"],
}


def compiled(name):
    path = FOLDER / name
    options = [f"--algorithm-option={each}" for each in OPTIONS.get(name, [])]
    command = [RUBATO, "compile", REFERENCES / "relu.onnx", "--batch", "8"]
    command += ["--loss", "softmax-cross-entropy", "--optimizer", "sgd"]
    command += ["--lr", "0.01", "--algorithm", name, *options, "-o", path]
    subprocess.run(command, check=True)
    return path


def run(program, workers):
    """The bytes that each rank copied, and those of the parameters."""
    metrics, dump = FOLDER / "metrics.jsonl", FOLDER / "dump.safetensors"
    command = [program, "--input", f"x={REFERENCES / 'inputs.npy'}"]
    command += ["--label", f"y={REFERENCES / 'labels.npy'}", "--quiet"]
    command += ["--workers", str(workers), "--slow", "1:3", "--epochs", "20"]
    command += ["--metrics", metrics, "--dump-parameters", dump]
    subprocess.run(command, check=True)
    summary = json.loads(metrics.read_text().splitlines()[-1])
    data = dump.read_bytes()
    (header,) = struct.unpack("<Q", data[:8])
    return summary["copied"]["values"], len(data) - 8 - header


names = json.loads(
    subprocess.run([RUBATO, "explain", "--json"], check=True, capture_output=True).stdout
)
servers = set()
for name in names:
    program = compiled(name)
    for workers in [2, 4]:
        copied, model = run(program, workers)
        if len(copied) > workers:
            servers.add(name)
        expected = [0] * workers
        if name in servers:
            expected.insert(0, model)
        if copied != expected:
            sys.exit(f"{name} with {workers} workers copies {copied}, not {expected}")
print(f"{len(names)} algorithms with 2 and 4 workers copy no values")
print(f"{len(servers)} of them have a server, which copies the model that it grants first")
