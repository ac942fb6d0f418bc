#!/usr/bin/env python3
"""Training steps of two compilers, in turns.

Compiles examples/fashion-mlp with both, then trains with one executable and the
other alternately, so that what else the machine does meets both. Prints the
median of time before / time after over the pairs (above 1: the second is
faster), the spread, and whether both save the same model bit for bit.

    python3 bench/pairs.py --before OLD/build/bin/rubato [--after build/bin/rubato]
        [--algorithms allreduce] [--workers 1 2 4] [--pairs 15] [--steps 300]
"""

import argparse
import hashlib
import json
import pathlib
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODEL = ROOT / "examples" / "fashion-mlp" / "fashion-mlp.onnx"
DATA = pathlib.Path("/usr/share/datasets/fashion-mnist")


def compile_with(rubato, algorithm, output):
    subprocess.run(
        [rubato, "compile", MODEL, "--loss", "softmax-cross-entropy"]
        + ["--optimizer", "sgd", "--momentum", "0.9", "--lr", "0.02"]
        + ["--batch", "64", "--algorithm", algorithm, "-o", output],
        check=True,
    )


def seconds_per_sample(train, workers, steps, folder):
    """Behind the first tenth of the run, and the digest of the model."""
    metrics, model = folder / "metrics.jsonl", folder / "model.onnx"
    subprocess.run(
        [train]
        + ["--input", f"x={DATA}/train-images-idx3-ubyte.gz"]
        + ["--label", f"y={DATA}/train-labels-idx1-ubyte.gz"]
        + ["--scale", "x=1/255", "--mean", "x=0.286", "--std", "x=0.353"]
        + ["--workers", str(workers), "--steps", str(steps), "--quiet"]
        + ["--metrics", metrics, "--save", model],
        check=True,
    )
    lines = [json.loads(line) for line in metrics.read_text().splitlines()]
    # Of rounds, or of programs now and then; evaluations and summaries apart.
    lines = [each for each in lines if "epoch" in each and "eval" not in each]
    first, last = lines[len(lines) // 10], lines[-1]
    spent = last["seconds"] - first["seconds"]
    digest = hashlib.sha256(model.read_bytes()).hexdigest()
    return spent / (last["seen"] - first["seen"]), digest


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--before", required=True, help="rubato to compare with")
    parser.add_argument("--after", default=ROOT / "build" / "bin" / "rubato")
    parser.add_argument("--algorithms", nargs="+", default=["allreduce"])
    parser.add_argument("--workers", nargs="+", type=int, default=[1, 2, 4])
    parser.add_argument("--pairs", type=int, default=15)
    parser.add_argument("--steps", type=int, default=300)
    args = parser.parse_args()
    print("algorithm      workers  before/after   quartiles     us/sample  models")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for algorithm in args.algorithms:
            before, after = folder / "before", folder / "after"
            compile_with(args.before, algorithm, before)
            compile_with(args.after, algorithm, after)
            for workers in args.workers:
                ratios, times, digests = [], [], [set(), set()]
                for pair in range(args.pairs):
                    got = {}
                    # Whoever comes first changes from pair to pair.
                    order = (before, after) if pair % 2 else (after, before)
                    for train in order:
                        got[train] = seconds_per_sample(
                            train, workers, args.steps, folder
                        )
                    ratios.append(got[before][0] / got[after][0])
                    times.append(got[after][0])
                    digests[0].add(got[before][1])
                    digests[1].add(got[after][1])
                low, middle, high = statistics.quantiles(ratios, n=4)
                same = digests[0] == digests[1] and len(digests[0]) == 1
                print(
                    f"{algorithm:14} {workers:7}  {middle:12.3f}   "
                    f"{low:.3f}-{high:.3f}   {statistics.median(times) * 1e6:9.3f}"
                    f"  {'equal' if same else 'differ'}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
