#!/usr/bin/env python3
"""How much of their communication algorithms hide, for two compilers in turns.

Trains examples/fashion-mlp with 2 workers, without a link and with one on which a
reduction takes SHARE of the time of a round without it. The hidden share of what
the link carries is 1 - (time with - time without) / (time that the link carries);
below zero, more was lost than the link took. Prints the median over the pairs,
the buckets of the schedule, and the bytes of values copied per round.

    python3 bench/hidden.py [--before OLD/build/bin/rubato] [--after build/bin/rubato]
        [--algorithms allreduce …] [--share 0.6] [--pairs 5] [--samples 38400]
"""

import argparse
import json
import pathlib
import re
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODEL = ROOT / "examples" / "fashion-mlp" / "fashion-mlp.onnx"
DATA = pathlib.Path("/usr/share/datasets/fashion-mnist")
BYTES = 4 * 669706


def compile_with(rubato, algorithm, output):
    command = [rubato, "compile", MODEL, "--loss", "softmax-cross-entropy"]
    command += ["--optimizer", "sgd", "--lr", "0.02", "--batch", "128"]
    command += ["--algorithm", algorithm]
    subprocess.run([*command, "-o", output], check=True)
    schedule = subprocess.run(
        [*command, "--emit", "schedule", "-o", "-"],
        check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    return len(re.findall(r"^  sched\.bucket ", schedule, re.M))


def run(train, steps, folder, link=None):
    """Seconds of training, rounds of rank 0 and bytes of values copied."""
    metrics = folder / "metrics.jsonl"
    command = [train]
    command += ["--input", f"x={DATA}/train-images-idx3-ubyte.gz"]
    command += ["--label", f"y={DATA}/train-labels-idx1-ubyte.gz"]
    command += ["--scale", "x=1/255", "--workers", "2", "--steps", str(steps)]
    command += ["--metrics", metrics] + (["--link", link] if link else [])
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    seconds = float(re.search(r"^time +([\d.]+) s", text, re.M)[1])
    found = re.search(r"^rounds of worker\.\S+ +(\d+)", text, re.M)
    rounds = int(found[1]) if found else steps
    summary = json.loads(metrics.read_text().splitlines()[-1])
    copied = sum(summary.get("copied", {}).get("values", [0]))
    return seconds / rounds, copied / rounds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--before", help="rubato to compare with")
    parser.add_argument("--after", default=ROOT / "build" / "bin" / "rubato")
    parser.add_argument("--algorithms", nargs="+")
    parser.add_argument("--share", type=float, default=0.6)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--steps", type=int, default=150)
    args = parser.parse_args()
    if not args.algorithms:
        args.algorithms = json.loads(
            subprocess.run(
                [args.after, "explain", "--json"], check=True, capture_output=True
            ).stdout
        )
    compilers = {"after": args.after}
    if args.before:
        compilers = {"before": args.before, **compilers}
    print("algorithm          compiler buckets  copied/round    ms/round  hidden")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for algorithm in args.algorithms:
            buckets, got = {}, {which: [] for which in compilers}
            for which, rubato in compilers.items():
                buckets[which] = compile_with(rubato, algorithm, folder / which)
            for pair in range(args.pairs):
                order = list(compilers) if pair % 2 else list(compilers)[::-1]
                for which in order:
                    alone, copied = run(folder / which, args.steps, folder)
                    carried = args.share * alone
                    rate = f"{BYTES / carried / 1e6:.6f}MB"
                    linked, _ = run(folder / which, args.steps, folder, rate)
                    hidden = 1 - (linked - alone) / carried
                    got[which].append((hidden, alone, copied))
            for which, rows in got.items():
                hidden, alone, copied = (
                    statistics.median(column) for column in zip(*rows)
                )
                print(
                    f"{algorithm:18} {which:8} {buckets[which]:7}  "
                    f"{copied:12.0f}  {alone * 1e3:10.3f}  {100 * hidden:5.1f} %",
                    flush=True,
                )


if __name__ == "__main__":
    main()
