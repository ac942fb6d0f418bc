"""Reductions that are applied one update late, as compiled.

    check_delayed_updates.py RUBATO FOLDER

One parameter w, and samples whose gradient is 2 (w - y): everything that abs-sgd
does to it can be said by hand. The counts, samples and times of the simulated
run and the parameters after each round are compared with a golden trace, with a
serial loop in numpy, with the limit of stability, with the variance of a mean,
and real runs are stopped at different moments.
"""

import json
import pathlib
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

ROOT = pathlib.Path(__file__).resolve().parents[3]
STATIC = ROOT / "examples" / "clusters" / "static.toml"
f32 = np.float32

# The golden trace: speeds 1:1:2:4, reductions of one second, micro-batches of 8.
# Every sample of rank i has y = i + 1; the rate of half the squared error is 0.2.
sys.path.insert(0, str(ROOT / "test" / "Interp" / "golden"))
from abs_sgd import FLUSHED, GOLDEN  # noqa: E402


def check(holds, what):
    if not holds:
        sys.exit(f"error: {what}")


def near(value, wanted, tolerance, what):
    check(abs(value - wanted) <= tolerance, f"{what}: {value}, expected {wanted}")


class Bench:
    """Trainers of the one parameter, and their runs."""

    def __init__(self, rubato, folder):
        self.rubato, self.folder, self.made = rubato, folder, 0
        graph = helper.make_graph(
            [helper.make_node("MatMul", ["x", "w"], ["prediction"])],
            "one-parameter",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 1])],
            [helper.make_tensor_value_info("prediction", TensorProto.FLOAT, ["batch", 1])],
            [numpy_helper.from_array(np.zeros((1, 1), f32), "w")],
        )
        onnx.save(
            helper.make_model(
                graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)]
            ),
            folder / "model.onnx",
        )

    def trainer(self, batch, algorithm="abs-sgd", momentum=0.0, **options):
        self.made += 1
        path = self.folder / f"train-{self.made}"
        command = [self.rubato, "compile", self.folder / "model.onnx", "--loss", "mse"]
        command += ["--optimizer", "sgd", "--momentum", str(momentum)]
        command += ["--batch", str(batch), "--algorithm", algorithm, "-o", path]
        for name, value in options.items():
            option = name.replace("_", "-")
            command += ["--algorithm-option", f"{option}={value}"]
        subprocess.run(command, check=True)
        return path

    def data(self, y):
        np.save(self.folder / "x.npy", np.ones((len(y), 1), f32))
        np.save(self.folder / "y.npy", np.asarray(y, f32).reshape(-1, 1))
        return ["--input", self.folder / "x.npy", "--label", self.folder / "y.npy"]

    def simulate(self, train, cluster, y, lr, rounds, *more):
        log = self.folder / "log.jsonl"
        command = [train, "simulate", *cluster, *self.data(y), "--lr", repr(lr)]
        command += ["--rounds", str(rounds), "--quiet", "--log", log, *more]
        command += ["--log-cells"]
        done = subprocess.run(command, capture_output=True, text=True)
        check(done.returncode == 0, f"code {done.returncode}: {done.stderr}")
        with open(log) as file:
            return Log(map(json.loads, file))

    def costs(self, text):
        (self.folder / "costs.txt").write_text(text)
        return ["--cost", self.folder / "costs.txt"]


class Log:
    """Events by their operation."""

    def __init__(self, lines):
        self.lines = list(lines)
        self.ranks = 1 + max(line["rank"] for line in self.lines)

    def of(self, operation, rank):
        return [e for e in self.lines if e["op"] == operation and e["rank"] == rank]

    def counts(self):
        """Micro-batches of every rank, by round."""
        return list(zip(*([e["k"] for e in self.of("repeat", r)] for r in range(self.ranks))))

    def samples(self):
        """Samples of every rank, by round."""
        rounds = len(self.of("next", 0))
        taken = [[[] for _ in range(self.ranks)] for _ in range(rounds)]
        for e in self.lines:
            if e["op"] == "next_batch":
                taken[e["round"]][e["rank"]] += e["ids"]
        return taken

    def parameters(self, rank):
        """w after every round, then after the last reduction."""
        ends = [e for e in self.lines if e["rank"] == rank and "cells" in e]
        return [e["cells"]["w"] for e in ends if e["op"] in ("next", "drained")]


def golden(bench):
    for column, momentum in enumerate((0.0, 0.5)):
        train = bench.trainer(8, momentum=momentum, b_ref=128)
        run = lambda y: bench.simulate(train, [STATIC], y, 0.1, 9, "--workers", "4")
        # Who takes which sample does not depend on the labels: so the labels can
        # be those of whoever takes them.
        y = np.zeros(4096)
        for members in run(y).samples():
            for rank, ids in enumerate(members):
                y[ids] = rank + 1
        log = run(y)
        check(log.counts() == [row[0] for row in GOLDEN], f"counts: {log.counts()}")
        for rank in range(4):
            posts, awaits = log.of("all_reduce", rank), log.of("await", rank)
            history = log.parameters(rank)
            for t, (_, samples, start, done, *w) in enumerate(GOLDEN):
                joined = max(log.of("all_reduce", r)[t]["t"] for r in range(4))
                check(joined == round(start * 1e9), f"start of reduction {t}: {joined}")
                # Awaited one round later, never at once.
                late = awaits[t + 1]
                check(late["done"] == round(done * 1e9), f"end of reduction {t}")
                check(late["scalars"][1] == samples, f"samples of round {t}")
                check(posts[t]["round"] == t and posts[t]["seq"] == t, "order")
                check(t == len(GOLDEN) - 1 or late["round"] == t + 1, f"delay of {t}")
                near(history[t], w[column], 2e-6, f"w after round {t} at rank {rank}")
            near(history[-1], FLUSHED[column], 2e-6, f"flushed w at rank {rank}")
    print("golden trace: 10 rounds with and without momentum")


def delayed_loop(rounds, y, lr, reference):
    """w after every round in single precision: the sum of round t - 1, taken at
    w(t - 1), is applied to w(t)."""
    w, history, before = f32(0), [], None

    def apply(w, pending):
        total, count = pending
        factor = f32(min(max(count / reference, 0.25), 4.0)) if reference else f32(1)
        return f32(w - f32(f32(f32(lr) * factor) * f32(total * f32(f32(1) / f32(count)))))

    for members in rounds:
        total = None
        for ids in members:
            share = f32(0)
            for i in ids:
                share = f32(share + f32(2) * f32(w - f32(y[i])))
            total = share if total is None else f32(total + share)
        if before is not None:
            w = apply(w, before)
        before = (total, sum(map(len, members)))
        history.append(w)
    return history + [apply(w, before)]


def serial(bench):
    y = np.random.default_rng(5).standard_normal(4096)
    cases = [
        ("abs-sgd", {"m_min": 3}, "gradient = 10us\nall_reduce = 1us\n"),
        ("delayed-sgd", {"m_min": 2}, "gradient = [7us, 3us, 11us]\nall_reduce = 90us\n"),
        ("abs-sgd", {}, "gradient = [7us, 3us, 11us]\nall_reduce = 20us\njitter = 0.3\n"),
    ]
    for algorithm, options, costs in cases:
        train = bench.trainer(1, algorithm, **options)
        log = bench.simulate(
            train, bench.costs(costs) + ["--workers", "3"], y, 0.125, 60
        )
        taken = log.samples()
        counts = log.counts()
        if "m_min" in options:
            check(set(counts) == {(options["m_min"],) * 3}, f"counts: {set(counts)}")
        else:
            check(len(set(counts)) > 3, "the counts never changed")
        check(all(k >= 1 for row in counts for k in row), "a round without a sample")
        check(counts == [tuple(map(len, members)) for members in taken], "counts, samples")
        flat = [i for members in taken for ids in members for i in ids]
        check(len(set(flat)) == len(flat) <= len(y), "a sample was used twice")
        wanted = delayed_loop(taken, y, 0.125, 3 if algorithm == "abs-sgd" else 0)
        for rank in range(3):
            got = [f32(w) for w in log.parameters(rank)]
            check(len(got) == len(wanted) >= 61, f"{len(got)} versions")
            for t, (a, b) in enumerate(zip(got, wanted)):
                check(a == b, f"{algorithm}: w({t}) at rank {rank} is {a!r}, not {b!r}")
        print(f"{algorithm} {options}: {len(taken)} rounds bit for bit")


def stability(bench):
    """On a quadratic of curvature 2 the limit of 2 lr is 1 - momentum."""
    cluster = bench.costs("gradient = 10us\nall_reduce = 5us\n") + ["--workers", "2"]
    for momentum in (0.0, 0.5, 0.9):
        train = bench.trainer(1, momentum=momentum, rule="mean")
        # The amplitude goes with the root of momentum + 2 lr.
        rounds = round(400 / (1 - momentum))
        for factor, stable in ((0.9, True), (1.1, False)):
            log = bench.simulate(
                train, cluster, np.ones(64), factor * (1 - momentum) / 2, rounds
            )
            error = [abs(w - 1) for w in log.parameters(0)]
            first, last = max(error[:50]), max(error[-50:])
            check(
                last < 1e-4 * first if stable else last > 1e4 * first,
                f"momentum {momentum}, {factor} of the limit: {first} becomes {last}",
            )
    print("stable below 2 lr = 1 - momentum, unstable above")


def variance(bench):
    """Counts 1:2:3:8. A sum over all samples has the least variance; the mean of
    the members' means has 14 (1 + 1/2 + 1/3 + 1/8) / 16 = 1.714 times as much."""
    rounds, lr = 2000, 2.0**-12
    y = np.random.default_rng(9).standard_normal(15 * rounds)
    train = bench.trainer(1, rule="mean")
    costs = bench.costs("gradient = [840us, 420us, 280us, 105us]\nall_reduce = 1us\n")
    log = bench.simulate(train, costs + ["--workers", "4"], y, lr, rounds)
    w = np.array(log.parameters(0), np.float64)
    taken = log.samples()
    usual = [t for t, row in enumerate(log.counts()) if row == (1, 2, 3, 8)]
    check(len(usual) > 0.95 * rounds, f"counts 1:2:3:8 in {len(usual)} rounds only")
    # What was applied in round t + 1, without the part of w, which hardly moves.
    applied = np.array([(w[t] - w[t + 1]) / lr / 2 for t in usual if t + 1 < len(w)])
    means = np.array(
        [-np.mean([np.mean(y[ids]) for ids in taken[t]]) for t in usual if t + 1 < len(w)]
    )
    ratio = means.var() / applied.var()
    print(f"variance of a mean of means: {ratio:.3f} times that of the sum, 1.714 in theory")
    near(applied.var() * 14, 1, 0.1, "variance of the applied mean")
    near(ratio, 1.714, 0.1714, "ratio of variances")


def stops(bench):
    """Real runs that are stopped at some moment: all ranks end with one w."""
    train = bench.trainer(1)
    y = np.random.default_rng(3).standard_normal(4096)
    for i, seconds in enumerate((0.02, 0.05, 0.1, 0.2)):
        dump = str(bench.folder / f"stopped-{i}.%r")
        subprocess.run(
            [train, *bench.data(y), "--workers", "3", "--slow", "1:3", "--time", str(seconds)]
            + ["--epochs", "1000000", "--lr", "0.01", "--quiet", "--dump-parameters", dump],
            check=True,
        )
        files = [pathlib.Path(dump.replace("%r", str(r))).read_bytes() for r in range(3)]
        check(files[0] == files[1] == files[2], f"ranks differ after {seconds} s")
    print("stopped runs: all ranks alike")


def main():
    bench = Bench(sys.argv[1], pathlib.Path(sys.argv[2]))
    for part in (golden, serial, stability, variance, stops):
        part(bench)


if __name__ == "__main__":
    main()
