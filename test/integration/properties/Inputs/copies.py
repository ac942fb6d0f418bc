"""Runs every algorithm and looks at the bytes of values that its members copied.

A server's first grant is of what lies in a cell: a copy of the model. All else that
is sent is read where it lies, so no run copies anything per round. But one: workers
of dc-asgd send the model that they were granted back with the gradient, and what lies
in the memory of another member can only be copied; that is at most one model per upload.

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
# Whoever had a value before may read it still, when others have had newer ones.
MORE = {"gossip": [6]}

SEND_BACK = {"dc-asgd"}


def compiled(name):
    path = FOLDER / name
    options = [f"--algorithm-option={each}" for each in OPTIONS.get(name, [])]
    command = [RUBATO, "compile", REFERENCES / "relu.onnx", "--batch", "8"]
    command += ["--loss", "softmax-cross-entropy", "--optimizer", "sgd"]
    command += ["--lr", "0.01", "--algorithm", name, *options, "-o", path]
    subprocess.run(command, check=True)
    return path


def run(program, workers):
    """The bytes that each rank copied, those of the parameters, and all uploads."""
    metrics, dump = FOLDER / "metrics.jsonl", FOLDER / "dump.safetensors"
    command = [program, "--input", f"x={REFERENCES / 'inputs.npy'}"]
    command += ["--label", f"y={REFERENCES / 'labels.npy'}", "--quiet"]
    command += ["--workers", str(workers), "--slow", "1:3", "--epochs", "20"]
    command += ["--metrics", metrics, "--dump-parameters", dump]
    subprocess.run(command, check=True)
    summary = json.loads(metrics.read_text().splitlines()[-1])
    data = dump.read_bytes()
    (header,) = struct.unpack("<Q", data[:8])
    uploads = sum(summary.get("staleness", {}).values()) + summary.get("dropped", 0)
    return summary["copied"]["values"], len(data) - 8 - header, uploads


names = json.loads(
    subprocess.run([RUBATO, "explain", "--json"], check=True, capture_output=True).stdout
)
servers = set()
for name in names:
    program = compiled(name)
    for workers in [2, 4, *MORE.get(name, [])]:
        copied, model, uploads = run(program, workers)
        if len(copied) > workers:
            servers.add(name)
        expected = [0] * workers
        if name in servers:
            expected.insert(0, model)
        if name in SEND_BACK:
            back, copied = copied[1:], [copied[0]] + [0] * workers
            jobs = [each / model for each in back]
            whole = all(each == int(each) and each > 0 for each in jobs)
            if not whole or not uploads - 2 * workers <= sum(jobs) <= uploads:
                sys.exit(f"{name}: {workers} workers copy {jobs} models, {uploads} uploads")
        if copied != expected:
            sys.exit(f"{name} with {workers} workers copies {copied}, not {expected}")
plain = len(set(names) - SEND_BACK)
print(f"{plain} algorithms with 2 and 4 workers, and gossip with 6, copy no values")
print(f"{len(names) - plain} sends models back, which its workers copy, once per upload")
print(f"{len(servers)} of all have a server, which copies the model that it grants first")
