"""Runs a program and the executable of the same model on the same files.

    compare_trainer.py COMPILE TRAIN INTERP TOLERANCE

COMPILE is the model and options of `rubato compile`, TRAIN and INTERP options of
./train and rubato-interp. Prints how many rounds and parameters were compared;
losses and parameters differ by TOLERANCE of the largest at most.
"""

import json
import pathlib
import re
import shlex
import struct
import subprocess
import sys

import numpy as np

SLOT = re.compile(r'#nn\.slot<"([^"]+)" : tensor<(?:[\dx]+x)?f\d+> at (\d+)')


def call(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"error: {shlex.join(words)}\n{done.stdout}{done.stderr}")
    return done.stdout


def tensors_of(path):
    blob = pathlib.Path(path).read_bytes()
    (size,) = struct.unpack("<Q", blob[:8])
    header = json.loads(blob[8 : 8 + size])
    types = {"F32": np.float32, "F64": np.float64}
    return {
        name: np.frombuffer(blob[8 + size :][slice(*entry["data_offsets"])],
                            types[entry["dtype"]])
        for name, entry in header.items()
        if name != "__metadata__"
    }


def flat(path, program):
    """Trained parameters in the order of the program's vector."""
    tensors = tensors_of(path)
    layout = re.search(r"nn\.layout @params \[(.*)\]", program)[1]
    result = np.zeros(sum(each.size for each in tensors.values()))
    for name, offset in SLOT.findall(layout):
        result[int(offset) :][: tensors[name].size] = tensors[name]
    return result


def compare(what, found, expected, tolerance):
    found, expected = np.array(found), np.array(expected)
    if found.shape != expected.shape or not found.size:
        sys.exit(f"error: {what}: {found.shape} of the interpreter, "
                 f"{expected.shape} of the trainer")
    difference = np.abs(found - expected).max() / np.abs(expected).max()
    if not difference <= tolerance:
        sys.exit(f"error: {what} differ by {difference}")


def main():
    compiling, training, interpreting = (shlex.split(each) for each in sys.argv[1:4])
    tolerance = float(sys.argv[4])
    call("rubato", "compile", *compiling, "--emit", "sync", "-o", "program.mlir")
    call("rubato", "compile", *compiling, "-o", "train")
    call("./train", *training, "--quiet", "--metrics", "metrics.jsonl",
         "--dump-parameters", "trained.safetensors")
    output = call("rubato-interp", "program.mlir", *interpreting,
                  "--print-cell", "@w", "--log", "events.jsonl")
    program = pathlib.Path("program.mlir").read_text()
    trained = flat("trained.safetensors", program)
    cell = re.search(r"^rank 0 @w: (.*)$", output, re.M)[1]
    compare("parameters", [float(each) for each in cell.split()], trained, tolerance)

    # A reduction brings the samples first, and one real number: the sum of losses.
    lines = [json.loads(line) for line in open("events.jsonl")]
    sums = [e["scalars"] for e in lines if e["rank"] == 0 and
            e["op"] == "await" and e["of"] == "all_reduce"]
    rounds = [json.loads(line) for line in open("metrics.jsonl")]
    if sums:
        losses = [[n for n in each if isinstance(n, float)] for each in sums]
        compare("losses", [loss / each[0] for each, (loss,) in zip(sums, losses)],
                [r["loss"] for r in rounds if "loss" in r and "round" in r],
                max(tolerance, 1e-8))  # nine digits are written
    print(f"{len(sums)} rounds, {trained.size} parameters")


main()
