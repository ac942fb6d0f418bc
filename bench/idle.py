#!/usr/bin/env python3
"""How idle workers of different speed are, for real.

Compiles examples/fashion-mlp with abs-sgd and with delayed-sgd, which differs from
it only in that batches do not adapt, and trains with four worker processes of
which the last runs 2.5 times slower. Prints the idle share and the gradients of
every rank: 1 - time inside gradients / time, where the sleep that makes a worker
slow counts as computing.

    python3 bench/idle.py [--batch 1024] [--epochs 8] [--slow 3:2.5]
"""

import argparse
import pathlib
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
RUBATO = ROOT / "build" / "bin" / "rubato"
MODEL = ROOT / "examples" / "fashion-mlp" / "fashion-mlp.onnx"
DATA = pathlib.Path("/usr/share/datasets/fashion-mnist")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--slow", default="3:2.5")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in ("abs-sgd", "delayed-sgd"):
            train = pathlib.Path(folder) / name
            subprocess.run(
                [RUBATO, "compile", MODEL, "--loss", "softmax-cross-entropy"]
                + ["--optimizer", "sgd", "--lr", "0.05", "--batch", str(args.batch)]
                + ["--algorithm", name, "-o", train],
                check=True,
            )
            text = subprocess.run(
                [train]
                + ["--input", f"x={DATA}/train-images-idx3-ubyte.gz"]
                + ["--label", f"y={DATA}/train-labels-idx1-ubyte.gz"]
                + ["--scale", "x=1/255", "--mean", "x=0.286", "--std", "x=0.353"]
                + ["--workers", "4", "--slow", args.slow, "--epochs", str(args.epochs)],
                check=True, capture_output=True, text=True,
            ).stdout  # fmt: skip
            for row in ("idle", "gradients"):
                found = re.search(rf"^{row} +(.*)$", text, re.MULTILINE)
                print(f"{name:12} {row:10} {found.group(1)}", flush=True)


if __name__ == "__main__":
    main()
