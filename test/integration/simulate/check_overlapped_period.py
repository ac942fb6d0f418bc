"""A simulated round with buckets takes as long as the law of its buckets says.

    check_overlapped_period.py RUBATO MODEL FOLDER

A gradient of c seconds makes bucket b at r_b = c times the share of the work in
front of it, which the schedule states. A channel carries one bucket after the
other: c_b = max(r_b, c_{b-1}) + t_b, where the time of the reduction is divided
by bytes. The update of u seconds begins when the gradient has ended and the first
bucket is there; what of it comes behind bucket b waits for that one.
"""

import json
import pathlib
import re
import subprocess
import sys

import numpy as np

BUCKETS = re.compile(r"sched\.ready .*bytes\((\d+), (\d+)\).*done\(([^)]+)\)")
ARRIVALS = re.compile(r"sched\.arrive .*done\(([^)]+)\)")


def run(*command):
    subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL)


def segment(text, name):
    """The lines of one segment."""
    return text.split(f"sched.segment @{name} {{")[1].split("\n  }")[0]


def law(buckets, arrivals, numbers, compute, reduction, update):
    total = buckets[-1][0] + numbers
    clock, before, carried = 0.0, 0, []
    for index, (end, share) in enumerate(buckets):
        last = index + 1 == len(buckets)
        # Samples, divisor, losses and stop requests ride with what is left.
        part = (total if last else end) - before
        clock = max(share * compute, clock) + reduction * part / total
        carried.append(clock)
        before = end
    end = max(compute, carried[0]) + update
    for when, share in zip(carried[1:], arrivals):
        end = max(end, when + update * (1 - share))
    return end


def main():
    rubato, model, folder = *sys.argv[1:3], pathlib.Path(sys.argv[3])
    random = np.random.default_rng(1)
    for name, width in (("x", 20), ("y", 3)):
        values = random.standard_normal((480, width)).astype(np.float32)
        np.save(folder / f"{name}.npy", values)
    schedule, train, log = (folder / n for n in ("schedule.mlir", "train", "log"))
    common = [rubato, "compile", model, "--loss", "mse", "--lr", "0.01"]
    common += ["--batch", "8", "--bucket-bytes", "256"]
    run(*common, "--emit", "schedule", "-o", schedule)
    run(*common, "-o", train)
    text = schedule.read_text()
    line = segment(text, "worker.round.gradient.0.fresh.last")
    buckets = [(int(b), float(share)) for _, b, share in BUCKETS.findall(line)]
    update = re.search(r'rubato\.overlap = "\d+ buckets, in @(\S+)"', text)[1]
    arrivals = [float(share) for share in ARRIVALS.findall(segment(text, update))]
    if len(buckets) < 3 or len(arrivals) != len(buckets) - 1:
        sys.exit(f"error: {len(buckets)} buckets, {len(arrivals)} arrivals")
    data = ["--input", folder / "x.npy", "--label", folder / "y.npy"]
    for case in ((1, 0.6, 0), (1, 5, 0), (1, 0.1, 0), (2, 3, 0.5), (1, 0.6, 2)):
        costs = folder / "costs"
        names = ("gradient", "all_reduce", "step")
        lines = (f"{n} = {round(1000 * t)}ms\n" for n, t in zip(names, case))
        costs.write_text("".join(lines))
        run(train, "simulate", "--cost", costs, "--workers", 3, *data, "--rounds", 12, "--log", log)  # fmt: skip
        events = map(json.loads, log.read_text().splitlines())
        ends = [e["t"] for e in events if e["op"] == "next" and e["rank"] == 0]
        periods = {(b - a) / 1e9 for a, b in zip(ends, ends[1:])}
        expected = law(buckets, arrivals, 4 * 8, *case)
        whole = sum(case)
        print(
            "compute {} s, reduction {} s, update {} s: ".format(*case)
            + f"period {sorted(periods)} s, law {expected:.6f} s, whole {whole} s"
        )
        if max(abs(each / expected - 1) for each in periods) > 1e-6:
            sys.exit("error: that is not the law")
        if expected >= whole:
            sys.exit("error: nothing is hidden")


main()
