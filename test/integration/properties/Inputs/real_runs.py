"""Runs compiled programs with options of real runs and looks at the figures.

    real_runs.py RUBATO FOLDER
"""

import json
import pathlib
import struct
import subprocess
import sys

RUBATO, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
REFERENCES = pathlib.Path(__file__).resolve().parents[4] / "test" / "references"
# Rounds shorter than these runs.
OPTIONS = {
    "adaptive-sgd": ["mega-batch=512", "max-batch=64"],
    "k-avg": ["max-batch=16"],
}
X, Y = REFERENCES / "inputs.npy", REFERENCES / "labels.npy"


def compiled(name):
    path = FOLDER / name
    if not path.exists():
        options = [f"--algorithm-option={each}" for each in OPTIONS.get(name, [])]
        subprocess.run(
            [RUBATO, "compile", REFERENCES / "relu.onnx", "--batch", "8"]
            + ["--loss", "softmax-cross-entropy", "--optimizer", "sgd"]
            + ["--lr", "0.01", "--algorithm", name, *options, "-o", path],
            check=True,
        )
    return path


class Run:
    def __init__(self, name, *options, code=0, evaluate=True):
        metrics, self.dump = FOLDER / "m.jsonl", FOLDER / "p.safetensors"
        command = [compiled(name), "--input", f"x={X}", "--label", f"y={Y}"]
        command += ["--metrics", metrics, "--dump-parameters", self.dump]
        if evaluate:
            command += ["--eval-input", f"x={X}", "--eval-label", f"y={Y}"]
        done = subprocess.run(
            command + list(options), capture_output=True, text=True, timeout=60
        )
        if done.returncode != code:
            sys.exit(f"{name} {options}: code {done.returncode}\n{done.stderr}")
        self.errors = done.stderr
        if code:
            return
        self.rows = {}
        for line in done.stdout.splitlines():
            key, _, value = line.partition("  ")
            self.rows[key] = value.strip()
        lines = [json.loads(line) for line in metrics.read_text().splitlines()]
        self.evaluations = [line for line in lines if "eval" in line]
        self.summary = lines[-1]
        self.parameters = self.dump.read_bytes()

    def samples_in_model(self):
        """From the header of the dumped parameters."""
        (size,) = struct.unpack("<Q", self.parameters[:8])
        header = json.loads(self.parameters[8 : 8 + size])
        return int(header["__metadata__"]["samples"])


def check(truth, what):
    if not truth:
        sys.exit(f"not so: {what}")


def links():
    free = Run("allreduce", "--workers", "3", "--epochs", "2")
    for fabric in ["threads", "processes"]:
        options = ["--fabric", fabric, "--link", "20MB,1ms"]
        slow = Run("allreduce", "--workers", "3", "--epochs", "2", *options)
        check(slow.parameters == free.parameters, f"{fabric} gives the same bits")
        check(slow.rows["link"] == "2e+07 bytes/s, latency 1 ms", slow.rows)
    print("a link changes no bit of allreduce")
    # However fast the machine is, a reduction takes its latency.
    slow = Run("abs-sgd", "--workers", "2", "--epochs", "400", "--link", "unlimited,20ms")
    rounds = int(slow.rows["rounds of worker.round"])
    check(slow.summary["seconds"] >= 0.02 * (rounds - 1), slow.rows)
    print("rounds of abs-sgd last as long as their reductions")
    # Two reductions are in flight and share the links: a parameter is 4 bytes.
    (size,) = struct.unpack("<Q", slow.parameters[:8])
    rate = 20 * (len(slow.parameters) - 8 - size)  # 50 ms
    for fabric in ["threads", "processes"]:
        options = ["--fabric", fabric, "--link", f"{rate}B", "--steps", "20"]
        slow = Run("delayed-sgd", "--workers", "2", *options, evaluate=False)
        rounds = int(slow.rows["rounds of worker.round"])
        check(rounds >= 20, slow.rows)
        check(slow.summary["seconds"] >= 0.05 * (rounds - 2), slow.rows)
    print("rounds of delayed-sgd last as long as their reductions")


def evaluations():
    # Their order of samples and of sums is fixed, so that a run of E epochs is
    # the beginning of a longer one.
    same = {"local-sgd": "1", "dynamic-sgd": "3"}
    for name, workers in same.items():
        whole = Run(name, "--workers", workers, "--epochs", "3")
        check(len(whole.evaluations) == 3, f"{name}: {whole.evaluations}")
        for epoch, middle in enumerate(whole.evaluations, 1):
            part = Run(name, "--workers", workers, "--epochs", str(epoch))
            end = part.evaluations[-1]
            for key in ["loss", "samples"]:
                check(middle[key] == end[key], f"{name}: {middle} is {end}")
        none = Run(name, "--workers", workers, "--epochs", "3", "--eval-every", "0")
        check(len(none.evaluations) == 1, none.evaluations)
        check(none.parameters == whole.parameters, f"{name}: evaluations change bits")
    print(f"{', '.join(same)}: models in the middle are those of shorter runs")
    names = ["abs-sgd", "delayed-sgd", "lb-bsp", "adaptive-sgd", "k-avg"]
    for name in names:
        run = Run(name, "--workers", "3", "--epochs", "40", "--slow", "1:2")
        # A round may be longer than an epoch; of abs-sgd, on a machine that has
        # other things to do, longer than all.
        least = 1 if name == "abs-sgd" else 2
        check(least <= len(run.evaluations) <= 41, f"{name}: {run.evaluations}")
        if len(run.evaluations) > 1:
            check(run.evaluations[-1]["loss"] < run.evaluations[0]["loss"], name)
    print(f"{', '.join(names)}: evaluated after every epoch")


def shares():
    run = Run("abs-sgd", "--workers", "3", "--epochs", "20", "--slow", "1:4")
    counts = [int(each.split()[2]) for each in run.rows["gradients"].split(", ")]
    check(len(counts) == 3 and min(counts) > 0, counts)
    # Epochs of 256 samples have no smaller batch than eight.
    check(8 * sum(counts) == run.summary["seen"], f"{counts}: {run.summary}")
    print("abs-sgd: gradients of all ranks make up the samples")


def server():
    run = Run("bounded-staleness", "--workers", "4", "--epochs", "20", "--slow", "1:4")
    check(len(run.evaluations) > 2, run.evaluations)
    wasted = 1 - run.samples_in_model() / run.summary["seen"]
    check(abs(run.summary["wasted"] - wasted) < 1e-12, run.summary)
    check(0 < wasted < 1, f"{wasted} of the work is wasted")
    check(run.rows["wasted work"] == f"{100 * wasted:.1f} % of the samples", run.rows)
    print("bounded-staleness: evaluated by its server, work is wasted")


def replays():
    for name in ["delayed-sgd", "bounded-staleness"]:
        log, again = FOLDER / "run.log", FOLDER / "again.safetensors"
        run = Run(name, "--workers", "3", "--epochs", "40", "--record", log)
        check(len(run.evaluations) > 1, run.evaluations)
        subprocess.run(
            [compiled(name), "replay", log, "--quiet", "--dump-parameters", again],
            check=True,
        )
        check(again.read_bytes() == run.parameters, f"{name} replays to the same bits")
    print("recorded runs with evaluations have the same bits again")


links()
evaluations()
shares()
server()
replays()
check("not split yet" in Run("local-sgd", "--threads", "2", code=3).errors, "--threads")
print("more threads than one are refused")
