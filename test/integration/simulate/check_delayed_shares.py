"""Rounds of lb-bsp with and without a delay against a recursion.

    check_delayed_shares.py RUBATO MODEL FOLDER

Workers whose shares stay equal, with durations from files. With d_i(t) seconds of
compute and reductions of r seconds, member i computes round t until f_i(t), and
its sum is there at done(t) = max(max_i f_i(t), done(t-1)) + r, with

    f_i(t) = begin_i(t) + d_i(t)
    begin_i(t) = done(t-1)                         without a delay
    begin_i(t) = max(f_i(t-1), done(t-2))          with one

With a delay nobody waits for the round that others still compute: neither for its sum
nor for a share.
"""

import json
import pathlib
import subprocess
import sys

import numpy as np

ROUNDS = 60


def run(*command):
    subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL)


def recursion(durations, reduction, delay):
    """When each member has computed each round, and how long that took."""
    finished, done = [], []
    at = lambda times, t: times[t] if t >= 0 else 0.0
    for t in range(ROUNDS):
        row = []
        for i, d in enumerate(durations):
            last = finished[t - 1][i] if t > 0 else 0.0
            row.append(max(last, at(done, t - 1 - delay)) + d[t])
        finished.append(row)
        done.append(max(max(row), at(done, t - 1)) + reduction)
    return np.array(finished)


def found(log, members):
    """When each member posted each reduction."""
    times = [[] for _ in range(members)]
    for e in map(json.loads, open(log)):
        if e["op"] == "all_reduce":
            times[e["rank"]].append(e["t"] * 1e-9)
        if e["op"] == "next_batch":
            assert len(e["ids"]) == 8, "shares are equal"
    return np.array([t[:ROUNDS] for t in times]).T


def idle(finished, durations):
    """Of rounds 10 to 50: 1 - computing / time, of all members together."""
    time = finished[50] - finished[10]
    computing = np.array([sum(d[11:51]) for d in durations])
    return 100 * (1 - (computing / time).mean()), time.mean() / 40


def main():
    rubato, model, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    random = np.random.default_rng(3)
    for name, width in (("x", 20), ("y", 3)):
        np.save(folder / f"{name}.npy", random.standard_normal((480, width)).astype(np.float32))
    # The first measurement decides, so that shares stay as they are.
    drawn = np.round(random.exponential(size=(4, 2 * ROUNDS)), 6)
    for what, durations, reduction in (
        ("in turns 1 and 3 times as slow", [[2.0] * 2 + turn * ROUNDS for turn in ([1.0, 3.0], [3.0, 1.0])], 0),
        ("memoryless", [[2.0] * 2 + list(map(float, row)) for row in drawn], 0.125),
    ):  # fmt: skip
        cluster = f"[link]\nall-reduce = {reduction}\nask = 0\n"
        for i, factors in enumerate(durations):
            (folder / f"{i}.txt").write_text("".join(f"{f!r}\n" for f in factors))
            cluster += f"[[worker]]\noverhead = 1.0\nlaw = 'trace'\nfile = '{i}.txt'\n"
        (folder / "cluster.toml").write_text(cluster)
        for delay in (0, 1):
            train, log = folder / "train", folder / "log"
            command = [rubato, "compile", model, "--loss", "mse", "--lr", "0.01", "--batch", "8"]
            command += ["--whole-reductions", "--algorithm", "lb-bsp", "-o", train]
            for option in (f"delay={delay}", "smoothing=0.999999"):
                command += ["--algorithm-option", option]
            run(*command)
            run(train, "simulate", folder / "cluster.toml", "--rounds", ROUNDS + 2, "--log", log,
                "--input", folder / "x.npy", "--label", folder / "y.npy")  # fmt: skip
            got = found(log, len(durations))
            wanted = recursion(durations, reduction, delay)
            share, period = idle(got, durations)
            print(f"{what}, delay {delay}: {period:.3f} s a round, idle {share:.1f} %")
            if not np.allclose(got, wanted, rtol=0, atol=1e-6):
                sys.exit(f"error: computed at\n{got[:8]}\nand not, as the recursion has it, at\n{wanted[:8]}")


main()
