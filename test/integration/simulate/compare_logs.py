"""The events of a simulation against those of the interpreter.

    compare_logs.py RUBATO INTERP MODEL FOLDER [ALGORITHM...]

Compiles the model with every algorithm, runs it with `./train simulate` and the
program of its sync stage with the interpreter: same costs, seed and data. All
lines must be the same; real numbers, among them all cells after every round, may
differ as far as another order of additions explains.
"""

import json
import math
import os
import re
import shlex
import subprocess
import sys

import numpy

SAMPLES, RANKS, SEED, BATCH, ROUNDS = 96, 3, 7, 8, 9
FEATURES, OUTPUTS = 20, 3
TOLERANCE = 2e-5

COSTS = """\
gradient = [1020us, 770us, 530us]
step = 15us
atomic = 3us
all_reduce = 400us
exchange = 210us
message = 60us
ask = 25us
jitter = 0.25
"""

# Options that bring something to happen in a short run.
OPTIONS = {
    "adaptive-sgd": ["mega-batch=48", "max-batch=16", "min-batch=8"],
    "k-avg": ["mega-batch=48", "local-steps=2", "max-batch=16", "min-batch=8"],
    "local-sgd": ["steps=2"],
    "bounded-staleness": ["steps=2", "data=leased", "bound=1"],
    "k-sync": ["steps=2", "data=leased"],
    "asgd": ["steps=1"],
    "adasync": ["steps=2", "loss=exact"],
    "a2cid2": ["topology=ring", "rate=2"],
    "lb-bsp": ["delay=1", "batch=40"],

}
# Micro-batches of a member in a round, where rounds are shared.
QUANTA = {"allreduce": 3, "dynamic-sgd": 2}
# Those that keep no state of an optimizer.
PLAIN = {"adaptive-sgd", "k-avg"}
SERVERS = {"adasync", "asgd", "bounded-staleness", "k-async", "k-sync", "sa-adasync"}


def run(command, **options):
    done = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, timeout=120, **options
    )
    if done.returncode != 0:
        print(f"error: code {done.returncode} from: {shlex.join(map(str, command))}")
        print(done.stdout + done.stderr)
        sys.exit(1)
    return done.stdout


def algorithms(rubato):
    """All that `rubato explain` lists."""
    return re.findall(r"^  ([a-z][a-z0-9-]*) ", run([rubato, "explain"]), re.M)


def write_data(folder):
    """What the interpreter calls --data id."""

    def values(width):
        i, j = numpy.indices((SAMPLES, width))
        return (((5 * i + 3 * j) % 32) / 8 - 2).astype(numpy.float32)

    numpy.save(os.path.join(folder, "x.npy"), values(FEATURES))
    numpy.save(os.path.join(folder, "y.npy"), values(OUTPUTS))
    with open(os.path.join(folder, "cost.txt"), "w") as file:
        file.write(COSTS)


def logs(rubato, interp, model, folder, algorithm):
    own = os.path.join(folder, algorithm)
    os.makedirs(own, exist_ok=True)
    path = lambda name: os.path.join(own, name)
    data = lambda name: os.path.join(folder, name)
    common = [rubato, "compile", model, "--loss", "mse", "--optimizer", "sgd"]
    common += ["--momentum", 0 if algorithm in PLAIN else 0.9]
    common += ["--lr", "0.01", "--batch", BATCH, "--algorithm", algorithm]
    for option in OPTIONS.get(algorithm, []):
        common += ["--algorithm-option", option]
    run(common + ["--emit", "sync", "-o", path("program.mlir")])
    run(common + ["-o", path("train")])
    quanta = QUANTA.get(algorithm, 1)
    batches = ["--global-batch", BATCH * RANKS * quanta] if quanta > 1 else []
    run(
        [interp, path("program.mlir"), "--ranks", RANKS, "--seed", SEED]
        + ["--rounds", ROUNDS, "--samples", SAMPLES, "--data", "id", "--model"]
        + ["--quanta", quanta]
        + ["--cost", data("cost.txt"), "--log-cells"]
        + ["--log", path("interpreter.jsonl")]
    )
    run(
        [path("train"), "simulate", "--cost", data("cost.txt"), "--seed", SEED]
        + ["--workers", RANKS - (algorithm in SERVERS), "--rounds", ROUNDS]
        + ["--input", data("x.npy"), "--label", data("y.npy"), "--no-shuffle"]
        + batches
        + ["--log", path("simulator.jsonl"), "--log-cells"]
    )
    return [
        list(map(json.loads, open(path(name))))
        for name in ("interpreter.jsonl", "simulator.jsonl")
    ]


def difference(a, b, place=""):
    """The first place where two values differ, or None."""
    if isinstance(a, float) or isinstance(b, float):
        if math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=TOLERANCE):
            return None
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        pairs = [(x, y, f"{place}[{i}]") for i, (x, y) in enumerate(zip(a, b))]
        return next(filter(None, (difference(*pair) for pair in pairs)), None)
    elif isinstance(a, dict) and isinstance(b, dict) and list(a) == list(b):
        pairs = [(a[key], b[key], f"{place}.{key}") for key in a]
        return next(filter(None, (difference(*pair) for pair in pairs)), None)
    elif a == b:
        return None
    return f"{place}: {str(a)[:300]} against {str(b)[:300]}"


def shown(line):
    return json.dumps({key: value for key, value in line.items() if key != "cells"})


def main():
    rubato, interp, model, folder = sys.argv[1:5]
    write_data(folder)
    names = sys.argv[5:] or algorithms(rubato)
    failed = 0
    for name in names:
        wanted, got = logs(rubato, interp, model, folder, name)
        for number, (a, b) in enumerate(zip(wanted, got), 1):
            if where := difference(a, b):
                print(f"{name}: line {number} differs at {where}")
                print(f"  interpreter: {shown(a)}")
                print(f"  simulator:   {shown(b)}")
                failed += 1
                break
        else:
            if len(wanted) != len(got):
                print(f"{name}: {len(wanted)} and {len(got)} lines")
                failed += 1
            else:
                kinds = sorted({line["op"] for line in wanted})
                print(f"{name}: {len(wanted)} lines agree: {' '.join(kinds)}")
    print(f"{len(names)} algorithms, {failed} differ")
    return failed > 0


sys.exit(main())
