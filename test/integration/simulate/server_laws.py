"""Laws of compiled parameter servers in virtual time.

    server_laws.py RUBATO FOLDER
"""

import json
import pathlib
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

# Largest stable a of x(t+1) = x(t) − a x(t − τ), with server momentum β.
DELAYS = (0, 1, 2, 3, 4, 9)
LIMITS = {
    0: (2, 1, 0.6180, 0.4450, 0.3473, 0.1652),
    0.5: (3, 0.5, 0.2808, 0.1993, 0.1559, 0.0765),
    0.9: (3.8, 0.1, 0.0512, 0.0348, 0.0265, 0.0125),
}
TOLERANCE = 1e-3


def write_model(path, start):
    """p = x∘w: a quadratic in every coordinate."""
    size = len(start)
    node = helper.make_node("Mul", ["x", "w"], ["p"])
    free = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", size])
    weight = numpy_helper.from_array(np.array(start, np.float32), "w")
    graph = helper.make_graph([node], "quadratic", [free("x")], [free("p")], [weight])
    opset = helper.make_opsetid("", 17)
    onnx.save(helper.make_model(graph, opset_imports=[opset], ir_version=8), path)


class Bench:
    def __init__(self, rubato, folder):
        self.rubato, self.folder = rubato, folder
        self.model = folder / "model.onnx"

    def data(self, x, y):
        np.save(self.folder / "x.npy", np.asarray(x, np.float32))
        np.save(self.folder / "y.npy", np.asarray(y, np.float32))

    def cluster(self, durations):
        path = self.folder / "cluster.toml"
        workers = "".join(f"[[worker]]\noverhead = {d}\n" for d in durations)
        path.write_text("repeat = true\n" + workers + "[link]\nmessage = 0\n")
        return path

    def compile(self, algorithm, *options):
        train = self.folder / "train"
        command = [self.rubato, "compile", self.model, "--loss", "mse", "--batch", "1"]
        for option in options:
            command += ["--algorithm-option", option]
        subprocess.run([*command, "--algorithm", algorithm, "-o", train], check=True)
        return train

    def simulate(self, train, cluster, workers, *options):
        """Whether the loss stayed finite."""
        x, y = self.folder / "x.npy", self.folder / "y.npy"
        done = subprocess.run(
            [train, "simulate", cluster, "--workers", str(workers), "--quiet"]
            + ["--input", x, "--label", y, *map(str, options)],
            capture_output=True,
            text=True,
        )
        assert done.returncode in (0, 5), done.stderr
        return done.returncode == 0


def lines(path):
    return [json.loads(line) for line in open(path)]


def serial_round(w, x, y, jobs, rate):
    """One round of synchronous local SGD, in the order of workers."""
    total = np.zeros_like(w)
    for batches in jobs:
        local = w
        for [row] in batches:
            # The mean of (p − y)² over two coordinates: p − y, times x.
            gradient = (local * x[row] - y[row]) * x[row]
            local = local - np.float32(rate) * gradient
        total = total + (local - w)
    return w + total / np.float32(len(jobs))


def waits_for_all(bench):
    """K = M: serial local SGD on the same rows."""
    workers, steps, rounds, rate = 4, 3, 12, 0.0625
    # Few digits, so that no product is rounded twice.
    random = np.random.default_rng(5)
    x = np.array(random.integers(1, 8, (64, 2)) / 4, np.float32)
    y = np.array(random.integers(-64, 64, (64, 2)) / 8, np.float32)
    bench.data(x, y)
    write_model(bench.model, (1.5, -2.0))
    train = bench.compile("bounded-staleness", f"k0={workers}", f"steps={steps}")
    log = bench.folder / "log.jsonl"
    assert bench.simulate(
        train, bench.cluster((1, 7, 3, 11)), workers, "--rounds", rounds, "--lr", rate,
        "--log", log, "--log-cells", "--no-shuffle",
    )
    w, jobs, found = np.array([1.5, -2.0], np.float32), {}, 0
    for e in lines(log):
        if e["op"] == "next_batch":
            jobs.setdefault(e["rank"], []).append(e["ids"])
        elif e["op"] == "upload":
            assert e["verdict"] == "accepted" and e["staleness"] == 0, e
        elif e["op"] == "grant":
            assert len(e["to"]) == workers, e
        elif e["op"] == "next" and e["rank"] == 0:
            assert [len(jobs[m]) for m in range(1, workers + 1)] == [steps] * workers
            w = serial_round(w, x, y, [jobs[m] for m in range(1, workers + 1)], rate)
            got = np.array(e["cells"]["w"], np.float32)
            assert got.tobytes() == w.tobytes(), f"round {found + 1}: {w} {got}"
            jobs, found = {}, found + 1
    assert found == rounds, found
    print(f"waiting for all: {found} rounds bit by bit, staleness 0, no restart")


def grows(bench, train, cluster, delay, a):
    """Whether w gets larger in the long run. Equal workers whose every upload is
    applied at once are all `delay` behind."""
    metrics = bench.folder / "metrics.jsonl"
    seconds = 9000 // (delay + 1)
    finite = bench.simulate(
        train, cluster, delay + 1, "--time", seconds, "--epochs", 1_000_000,
        "--eval-input", bench.folder / "x.npy", "--eval-label", bench.folder / "y.npy",
        "--observe", 1, "--metrics", metrics, "--lr", a / 2,
    )
    if not finite:
        return True
    *points, summary = lines(metrics)
    assert max(map(int, summary["staleness"])) == delay, summary["staleness"]
    losses = [p["loss"] for p in points]
    part = len(losses) // 4
    return max(losses[-part:]) > max(losses[part : 2 * part])


def stability(bench):
    """The gradient of w² is 2 w: a step of a / 2."""
    bench.data(np.ones((4, 1)), np.zeros((4, 1)))
    write_model(bench.model, (1e-3,))
    cluster, checked = bench.cluster((1,)), 0
    for momentum, limits in LIMITS.items():
        train = bench.compile("asgd", "steps=1", f"server-momentum={momentum}")
        for delay, limit in zip(DELAYS, limits):
            what = f"delay {delay}, momentum {momentum}"
            below = grows(bench, train, cluster, delay, limit - TOLERANCE)
            above = grows(bench, train, cluster, delay, limit + TOLERANCE)
            assert not below, f"{what}: unstable below {limit}"
            assert above, f"{what}: stable above {limit}"
            checked += 1
    print(f"{checked} limits of stability within {TOLERANCE}")


def main():
    bench = Bench(sys.argv[1], pathlib.Path(sys.argv[2]))
    waits_for_all(bench)
    stability(bench)


if __name__ == "__main__":
    main()
