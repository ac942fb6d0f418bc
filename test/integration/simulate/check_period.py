"""Two reductions in flight take no less time than one after the other.

    check_period.py RUBATO INTERP MODEL FOLDER

With delayed-sgd, and with lb-bsp where it has a delay, a reduction is awaited one
round after it began, so two are in flight. With c seconds of compute and reductions of r seconds, which a channel
serves in order, a round takes max(c, r) seconds: in the simulator, by a cluster
file and by a table of costs, and in the interpreter.
"""

import json
import pathlib
import subprocess
import sys

import numpy as np

CLUSTER = """\
[[worker]]
count = 3
overhead = {compute}
[link]
all-reduce = {reduction}
"""


def run(*command):
    subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL)


def period(log):
    """Seconds between rounds of rank 0 once the pipeline is full; all alike."""
    ends = [e["t"] for e in map(json.loads, open(log)) if e["op"] == "next" and e["rank"] == 0]
    between = {(b - a) / 1e9 for a, b in zip(ends[3:-2], ends[4:-1])}
    if len(ends) < 10 or len(between) != 1:
        sys.exit(f"error: rounds end at {ends}")
    return between.pop()


def main():
    rubato, interp, model, folder = sys.argv[1:4] + [pathlib.Path(sys.argv[4])]
    random = np.random.default_rng(1)
    for name, width in (("x", 20), ("y", 3)):
        values = random.standard_normal((480, width)).astype(np.float32)
        np.save(folder / f"{name}.npy", values)
    data = ["--input", folder / "x.npy", "--label", folder / "y.npy"]
    for algorithm, options in (("delayed-sgd", []), ("lb-bsp", ["delay=1", "batch=24"])):
        check(rubato, interp, model, folder, data, algorithm, options)


def check(rubato, interp, model, folder, data, algorithm, options):
    program, train, log = folder / "program.mlir", folder / "train", folder / "log"
    common = [rubato, "compile", model, "--loss", "mse", "--lr", "0.01", "--batch", "8"]
    common += ["--algorithm", algorithm]
    for option in options:
        common += ["--algorithm-option", option]
    run(*common, "--emit", "sync", "-o", program)
    run(*common, "-o", train)
    limits = ["--rounds", 12, "--log", log]
    for compute, reduction in ((1, 5), (1, 1), (3, 2), (1, 60), (7, 1)):
        costs, cluster = folder / "costs", folder / "cluster.toml"
        costs.write_text(f"gradient = {compute}s\nall_reduce = {reduction}s\nask = 0\n")
        cluster.write_text(CLUSTER.format(compute=compute, reduction=reduction))
        found = []
        run(train, "simulate", cluster, *data, *limits)
        found.append(period(log))
        run(train, "simulate", "--cost", costs, "--workers", 3, *data, *limits)
        found.append(period(log))
        run(interp, program, "--schedule", "time", "--ranks", 3, "--samples", 480, "--cost", costs, *limits)  # fmt: skip
        found.append(period(log))
        print(f"{algorithm}, compute {compute} s, reduction {reduction} s: period {found} s")
        if found != [max(compute, reduction)] * 3:
            sys.exit(f"error: expected {max(compute, reduction)} s")


main()
