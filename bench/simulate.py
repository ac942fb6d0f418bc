"""Where the processor time of ./train simulate goes: the MLP 784-512-512-10 with
many virtual workers in one process.

    python3 bench/simulate.py --rubato build/bin/rubato [--workers 64 16 4]
        [--batches 16 64] [--gradients 200] [--algorithms a2cid2 ...]

One row for each algorithm, batch and number of workers. The shares are those of
the summary (docs/simulate.md): mathematics are compiled kernels and sums of what
members sent; batches are samples gathered from the data set; everything else is
overhead, given as a percentage of the mathematics. The load of the machine is
printed with each row: shares move with it, because memory is slower then.
"""

import argparse
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

import numpy

ROOT = pathlib.Path(__file__).resolve().parent.parent
parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--rubato", default="build/bin/rubato")
parser.add_argument("--workers", type=int, nargs="+", default=[64, 16, 4])
parser.add_argument("--batches", type=int, nargs="+", default=[16, 64])
parser.add_argument("--gradients", type=int, default=200, help="of each worker, about")
parser.add_argument(
    "--algorithms",
    nargs="+",
    default=["a2cid2", "abs-sgd", "allreduce", "bounded-staleness"],
)
parser.add_argument("--cluster", default=str(ROOT / "examples/clusters/jobs-exponential.toml"))
options = parser.parse_args()

SAMPLES = 4096


def make_data(folder):
    generator = numpy.random.Generator(numpy.random.PCG64(1))
    x = generator.standard_normal((SAMPLES, 784), dtype=numpy.float32)
    numpy.save(folder / "x.npy", x)
    numpy.save(folder / "y.npy", generator.integers(0, 10, SAMPLES))


def compile_one(folder, algorithm, batch):
    train = folder / f"{algorithm}-{batch}"
    model = ROOT / "examples/fashion-mlp/fashion-mlp.onnx"
    command = [options.rubato, "compile", model, "--loss", "softmax-cross-entropy"]
    command += ["--lr", "0.02", "--batch", str(batch), "--algorithm", algorithm, "-o", train]
    subprocess.run(command, check=True)
    return train


def simulate(folder, train, workers, batch):
    # The budget of samples ends a run; each worker has computed about as many
    # gradients as asked for.
    epochs = max(1, round(options.gradients * workers * batch / SAMPLES))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [train, "simulate", options.cluster, "--workers", str(workers)]
    command += ["--input", folder / "x.npy", "--label", folder / "y.npy"]
    command += ["--epochs", str(epochs)]
    # Linux counts the peak of a process by itself only if somebody asks there.
    run = subprocess.run(
        ["/usr/bin/env", "time", "-f", "peak %M KB", *command],
        capture_output=True,
        text=True,
    )
    if run.returncode:
        sys.exit(run.stderr)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    kinds = re.search(
        r"processor time +([0-9.]+) s: ([0-9.]+) % mathematics, ([0-9.]+) % batches, "
        r"([0-9.]+) % copies, ([0-9.]+) % new memory, ([0-9.]+) % the rest",
        run.stdout,
    )
    overhead = re.search(r"overhead +([0-9.]+) %", run.stdout).group(1)
    gradients = int(re.search(r"in ([0-9]+) gradients", run.stdout).group(1))
    peak = int(re.search(r"peak ([0-9]+) KB", run.stderr).group(1)) / 1024
    faults = after.ru_minflt - before.ru_minflt
    return [float(each) for each in kinds.groups()], float(overhead), gradients, peak, faults


print(
    f"{'algorithm':20} {'batch':>5} {'workers':>7} {'gradients':>9} {'seconds':>8} "
    f"{'math %':>7} {'batch %':>7} {'copy %':>7} {'pages %':>7} {'rest %':>7} "
    f"{'overhead/math %':>15} {'peak MiB':>9} {'faults':>8} {'load':>5}"
)
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    make_data(folder)
    for algorithm in options.algorithms:
        for batch in options.batches:
            train = compile_one(folder, algorithm, batch)
            for workers in options.workers:
                # A mailbox has 62 workers at most.
                if algorithm in ("bounded-staleness",):
                    workers = min(workers, 62)
                kinds, overhead, gradients, peak, faults = simulate(
                    folder, train, workers, batch
                )
                seconds, *shares = kinds
                print(
                    f"{algorithm:20} {batch:5} {workers:7} {gradients:9} {seconds:8.2f} "
                    + " ".join(f"{share:7.1f}" for share in shares)
                    + f" {overhead:15.1f} {peak:9.0f} {faults:8} {os.getloadavg()[0]:5.1f}",
                    flush=True,
                )
