#!/usr/bin/env python3
"""Accuracy of every algorithm after the same number of samples, for real.

Compiles examples/fashion-mlp with each algorithm, trains it with four worker
processes on Fashion-MNIST, and compares the best accuracy over a grid of
learning rates with that of allreduce over the same grid. Rates fall to zero over
the run: with a constant one the last few batches would decide. The table closes
with how many are within one point.

    build/venv/bin/python bench/algorithms.py [--epochs 8] [--workers 4] [NAME...]
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
RUBATO = ROOT / "build" / "bin" / "rubato"
MODEL = ROOT / "examples" / "fashion-mlp" / "fashion-mlp.onnx"
DATA = pathlib.Path("/usr/share/datasets/fashion-mnist")
GRID = [0.05, 0.1, 0.2]

# A merge of 100 of the largest batches is longer than an epoch of this data
# set, so the algorithms that merge get more of them.
OPTIONS = {
    "adaptive-sgd": ["mega-batch=2048", "max-batch=128", "gamma=0"],
    "k-avg": ["local-steps=8", "max-batch=64"],
    # A tenth of four workers is one: nobody would wait for anybody.
    "adasync": ["k0=2"],
}
# A member's steps are weighed by its share in the merge, so they may be larger.
SHIFTED = {"adaptive-sgd": 2}


def algorithms():
    text = subprocess.run(
        [RUBATO, "explain", "--json"], capture_output=True, text=True, check=True
    ).stdout
    return json.loads(text)


def compile_trainer(name, folder, batch):
    path = folder / name
    command = [
        RUBATO, "compile", MODEL, "--loss", "softmax-cross-entropy",
        "--optimizer", "sgd", "--schedule", "cosine", "--batch", str(batch),
        "--algorithm", name, "-o", path,
    ]  # fmt: skip
    for option in OPTIONS.get(name, []):
        command += ["--algorithm-option", option]
    subprocess.run(command, check=True)
    return path


def train(path, lr, args):
    command = [
        path,
        "--input", f"x={DATA}/train-images-idx3-ubyte.gz",
        "--label", f"y={DATA}/train-labels-idx1-ubyte.gz",
        "--eval-input", f"x={DATA}/t10k-images-idx3-ubyte.gz",
        "--eval-label", f"y={DATA}/t10k-labels-idx1-ubyte.gz",
        "--scale", "x=1/255", "--mean", "x=0.286", "--std", "x=0.353",
        "--workers", str(args.workers), "--epochs", str(args.epochs),
        "--eval-every", "0", "--lr", str(lr),
    ]  # fmt: skip
    for slow in args.slow:
        command += ["--slow", slow]
    begin = time.monotonic()
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode == 5:
        return None, time.monotonic() - begin  # the loss was not finite
    if run.returncode:
        sys.exit(f"{path.name} with learning rate {lr}:\n{run.stderr}")
    found = re.search(r"^accuracy +(\d\.\d+)", run.stdout, re.MULTILINE)
    return float(found.group(1)), time.monotonic() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--slow", action="append", default=[], metavar="R:F")
    parser.add_argument("names", nargs="*", metavar="NAME")
    args = parser.parse_args()
    names = args.names or algorithms()
    names = ["allreduce"] + [name for name in names if name != "allreduce"]
    best, within = None, 0
    heads = "  ".join(f"lr {lr:<6}" for lr in GRID)
    print(f"{'algorithm':18}  {heads}  best     to allreduce  seconds")
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            path = compile_trainer(name, pathlib.Path(folder), args.batch)
            factor = SHIFTED.get(name, 1)
            runs = [train(path, lr * factor, args) for lr in GRID]
            top = max(accuracy or 0 for accuracy, _ in runs)
            best = top if best is None else best
            within += top >= best - 0.01
            cells = "  ".join(
                f"{accuracy:<9.4f}" if accuracy is not None else "diverged "
                for accuracy, _ in runs
            )
            seconds = sum(each for _, each in runs)
            name += f" (lr x {factor})" if factor != 1 else ""
            print(f"{name:18}  {cells}  {top:.4f}   {100 * (top - best):+.2f}"
                  f"         {seconds:.0f}", flush=True)  # fmt: skip
    print(f"{within} of {len(names)} within one point of allreduce or better")
    return 0 if within == len(names) else 1


if __name__ == "__main__":
    sys.exit(main())
