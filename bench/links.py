#!/usr/bin/env python3
"""Whether real runs take as long as slow links say.

Trains examples/fashion-mlp with small batches over links (`--link`) so slow that they
decide, and prints what was measured beside the law (docs/simulate.md, Links):

* with a reduction in flight a round takes max(compute, reduction), however many are in
  flight: delayed-sgd and lb-bsp with a delay, for reductions of several lengths;
* a server whose link is never free gets one upload per transfer: asgd with three workers,
  for transfers of several lengths.

    python3 bench/links.py [--rubato build/bin/rubato] [--rounds 10]
"""

import argparse
import pathlib
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODEL = ROOT / "examples" / "fashion-mlp" / "fashion-mlp.onnx"
DATA = pathlib.Path("/usr/share/datasets/fashion-mnist")
BYTES = 4 * 669706
BATCH = 8


def compile_with(rubato, algorithm, options, output):
    command = [rubato, "compile", MODEL, "--loss", "softmax-cross-entropy"]
    command += ["--optimizer", "sgd", "--lr", "0.001", "--batch", BATCH]
    command += ["--algorithm", algorithm, "-o", output]
    for option in options:
        command += ["--algorithm-option", option]
    subprocess.run(list(map(str, command)), check=True)


def seconds(train, workers, *options):
    command = [train, "--workers", workers, *options]
    command += ["--input", f"x={DATA}/train-images-idx3-ubyte.gz"]
    command += ["--label", f"y={DATA}/train-labels-idx1-ubyte.gz", "--scale", "x=1/255"]
    text = subprocess.run(
        list(map(str, command)), check=True, capture_output=True, text=True
    ).stdout
    return float(re.search(r"^time +([\d.]+) s", text, re.M)[1])


def period(train, workers, rounds, *options):
    """Seconds of a round, without what the first ones and the end take."""
    counts = (rounds, 3 * rounds)
    short, long = (seconds(train, workers, "--steps", n, *options) for n in counts)
    return (long - short) / (counts[1] - counts[0])


def show(what, measured, law):
    print(f"{what:44} {measured * 1e3:8.1f} ms, law {law * 1e3:8.1f} ms: "
          f"{100 * (measured / law - 1):+5.1f} %", flush=True)  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rubato", default=ROOT / "build" / "bin" / "rubato")
    parser.add_argument("--rounds", type=int, default=10)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        train = pathlib.Path(name) / "train"
        for algorithm, options in (("delayed-sgd", []), ("lb-bsp", ["delay=1"])):
            compile_with(args.rubato, algorithm, options, train)
            compute = period(train, 2, 3 * args.rounds)
            for reduction in (0.1, 0.3):
                rate = f"{BYTES / reduction / 1e6:.6f}MB"
                found = period(train, 2, args.rounds, "--link", rate)
                show(f"{algorithm}, compute {compute * 1e3:.1f} ms", found,
                     max(compute, reduction))  # fmt: skip
        compile_with(args.rubato, "asgd", ["steps=1"], train)
        for transfer in (0.05, 0.1):
            rate = f"{BYTES / transfer / 1e6:.6f}MB"
            found = period(train, 3, 2 * args.rounds, "--link", rate)
            show("asgd, 3 workers: an upload every", found, transfer)


if __name__ == "__main__":
    main()
