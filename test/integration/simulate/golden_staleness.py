"""The golden runs of bounded staleness with a compiled trainer.

    golden_staleness.py RUBATO FOLDER

Worker m has the gradient a∘(w − b_m). A compiled worker takes its gradient from
samples that are drawn by (worker, ticket, step), so the data are made for the
draws: a first run, in which everybody finishes every job, tells which rows a
worker will draw, and those rows get its b_m. The other rows fill up to as many
of each b_m, so that the mean loss of the data set is that of the golden problem.
"""

import json
import pathlib
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Interp" / "golden"))

import staleness_reference as golden
from harness import check, equal, near
from server_harness import Server

WORKERS, SAMPLES, STEPS, JOBS = 4, 4000, 2, 20
ROOT_OF_A = np.sqrt(np.array(golden.A))


def write_model(path, start):
    """p = x∘w, where x holds the roots of a."""
    node = helper.make_node("Mul", ["x", "w"], ["p"])
    free = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", 2])
    weight = numpy_helper.from_array(np.array(start, np.float32), "w")
    graph = helper.make_graph([node], "golden", [free("x")], [free("p")], [weight])
    opset = helper.make_opsetid("", 17)
    onnx.save(helper.make_model(graph, opset_imports=[opset], ir_version=8), path)


def write_cluster(path, restarts):
    text = f'restarts = "{restarts}"\n'
    for duration in golden.DURATIONS:
        text += f"[[worker]]\noverhead = {duration / 1000}\n"
    path.write_text(text + f"[link]\nmessage = {golden.LATENCY / 1000}\n")


class Bench:
    def __init__(self, rubato, folder):
        self.rubato, self.folder = rubato, folder
        for restarts in ("at-once", "step"):
            write_cluster(folder / f"{restarts}.toml", restarts)

    def compile(self, name, algorithm, rate, *options):
        train = self.folder / name
        command = [self.rubato, "compile", self.folder / "model.onnx", "--loss", "mse"]
        command += ["--batch", "1", "--lr", str(rate), "--algorithm", algorithm]
        for option in (f"steps={STEPS}", *options):
            command += ["--algorithm-option", option]
        subprocess.run([*command, "-o", train], check=True)
        return train

    def events(self, train, restarts, seed, rounds):
        log = self.folder / "log.jsonl"
        subprocess.run(
            [train, "simulate", self.folder / f"{restarts}.toml", "--quiet"]
            + ["--input", self.folder / "x.npy", "--label", self.folder / "y.npy"]
            + ["--seed", str(seed), "--rounds", str(rounds), "--no-shuffle"]
            + ["--log", log, "--log-cells"],
            check=True,
        )
        # Batches of the server are the whole data set, and no job's.
        return [json.loads(line) for line in open(log) if '"whole"' not in line]

    def write_labels(self, owner):
        """Rows of nobody fill up to as many of each."""
        rest = [m for m in range(WORKERS) for _ in range(SAMPLES // WORKERS)]
        for m in owner.values():
            rest.remove(m)
        whose = [owner[row] if row in owner else rest.pop() for row in range(SAMPLES)]
        labels = np.array([ROOT_OF_A * golden.B[m] for m in whose])
        np.save(self.folder / "y.npy", labels.astype(np.float32))


def owners(events):
    """Which worker draws a row; None where two workers draw the same."""
    owner = {}
    for e in events:
        if e["op"] == "next_batch":
            [row] = e["ids"]
            if owner.setdefault(row, e["rank"] - 1) != e["rank"] - 1:
                return None
    return owner


def draws(bench):
    """A seed with which workers draw different rows, and whose they are."""
    np.save(bench.folder / "x.npy", np.tile(ROOT_OF_A, (SAMPLES, 1)).astype(np.float32))
    bench.write_labels({})
    write_model(bench.folder / "model.onnx", (0, 0))
    train = bench.compile("draw", "k-sync", 0.001, f"k0={WORKERS}")
    for seed in range(200):
        owner = owners(bench.events(train, "step", seed, JOBS))
        if owner is not None:
            return seed, owner
    sys.exit("error: two workers always draw the same row")


class Run:
    """What the harness of the interpreter's golden runs reads."""

    class training:
        dtype = np.float32

    def __init__(self, events):
        self.events, self.ranks = events, WORKERS + 1


def compare(found, row, late, what):
    equal(found.time, (row.time + late) * 1_000_000, f"time of {what}")
    if late:
        equal(sorted(found.arrivals), sorted(row.participants), f"who is in {what}")
    else:
        equal(found.arrivals, row.participants, f"participants of {what}")
    equal(found.count, row.K, f"K of {what}")
    near(found.question[0], row.F, 2e-5 * row.F, f"F of {what}")
    equal(found.answer[:2], [row.next_K, row.tau], f"K and bound after {what}")
    equal(found.restarted, row.restarted, f"restarts of {what}")


def main():
    rubato, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    bench = Bench(rubato, folder)
    runs = ((golden.G1, (-8.0, 12.0), 0.2, ("at-once", "step")),
            (golden.G2, (3.0, 2.0), 0.5, ("at-once",)))
    seed, owner = draws(bench)
    bench.write_labels(owner)
    for number, (text, start, rate, ways) in enumerate(runs, 1):
        write_model(folder / "model.onnx", start)
        table = golden.golden_rows(text)
        train = bench.compile("golden", "bounded-staleness", rate, "k0=1", "alpha=1",
                              "loss=exact")
        for way in ways:
            server = Server(Run(bench.events(train, way, seed, len(table) + 2)))
            check(len(server.rounds) > len(table), f"only {len(server.rounds)} rounds")
            for t, (found, row) in enumerate(zip(server.rounds, table)):
                late = 200 if way == "step" and t >= 6 else 0
                compare(found, row, late, f"round {t + 1}, {way}")
                for j in range(2):
                    w = float(server.model(found)[j])
                    near(w, row.w[j], 2e-5 * max(1, abs(row.w[j])), f"w of {t + 1}")
            said = {"at-once": "at once",
                    "step": "at the end of a step: 0.20 s late from row 7"}[way]
            print(f"golden run {number}: {len(table)} rows agree, restarts {said}")


if __name__ == "__main__":
    main()
