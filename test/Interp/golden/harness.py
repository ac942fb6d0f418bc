"""Runs generated programs through rubato-interp and reads what they did."""

import collections
import json
import pathlib
import shlex
import subprocess
import sys

import numpy as np

SECOND = 1_000_000_000


# The command of the last run, for messages.
last = ""


def fail(message):
    sys.exit(f"error: {message}\nin: {last}")


def check(condition, message):
    if not condition:
        fail(message)


def same(found, expected, what):
    """Bit by bit, signs of zeros included."""
    found, expected = np.asarray(found), np.asarray(expected)
    check(
        found.dtype == expected.dtype
        and found.shape == expected.shape
        and found.tobytes() == expected.tobytes(),
        f"{what}: expected {expected!r}, got {found!r}",
    )


def equal(found, expected, what):
    check(found == expected, f"{what}: expected {expected}, got {found}")


def near(found, expected, tolerance, what):
    check(
        abs(found - expected) <= tolerance,
        f"{what}: expected {expected} within {tolerance}, got {found}",
    )


def call(*command):
    global last
    command = [str(each) for each in command]
    last = shlex.join(command)
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        fail(f"{done.stdout}{done.stderr}")
    return done.stdout


class Bench:
    """A folder with programs; the folder is the test's own."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.runs = 0

    def program(self, training, algorithm, lr, **options):
        """The path of the program that the algorithm makes."""
        self.runs += 1
        name = f"{algorithm}-{self.runs}"
        path = self.folder / f"{name}.mlir"
        source = self.folder / f"{name}-training.mlir"
        source.write_text(training.text())
        settings = ",".join(f"{k.replace('_', '-')}={v}" for k, v in options.items())
        settings = f" options={settings}" if settings else ""
        call(
            "rubato-opt",
            source,
            f"--choose-algorithm=algorithm={algorithm} lr={lr}{settings}",
            "--expand-algorithm",
            "--canonicalize",
            "--cse",
            "--verify-sync",
            "-o",
            path,
        )
        return path

    def run(self, training, program, ranks, costs=None, cells=None, **options):
        """Options are those of the tool; costs fill its table."""
        self.runs += 1
        log = self.folder / f"events-{self.runs}.jsonl"
        table = self.folder / f"costs-{self.runs}.txt"
        free = {"atomic": 0, "ask": 0, "step": 0, "message": 0, **(costs or {})}
        table.write_text("".join(f"{k} = {v}\n" for k, v in free.items()))
        command = ["rubato-interp", program, "--ranks", ranks, "--cost", table]
        command += ["--log", log, "--log-cells"]
        for name, value in {"w": 0, **(cells or {})}.items():
            command += ["--cell", f"{name}={value}"]
        for name, value in {"data": "id", **options}.items():
            flag = f"--{name.replace('_', '-')}"
            for each in value if isinstance(value, list) else [value]:
                command += [flag] if each is True else [flag, each]
        return Run(training, ranks, call(*command), log.read_text())


class Run:
    """What a run did, by rank and round, as its log tells it."""

    def __init__(self, training, ranks, output, log):
        self.training, self.ranks, self.output = training, ranks, output
        self.events = [json.loads(line) for line in log.splitlines()]

    def of(self, op, rank=None, **wanted):
        """Events of an operation, in the order of the log."""
        return [
            e
            for e in self.events
            if e["op"] == op
            and (rank is None or e["rank"] == rank)
            and all(e.get(k) == v for k, v in wanted.items())
        ]

    def history(self, cell="w", rank=0):
        """A cell after every round, and after the drain."""
        ends = self.of("next", rank) + self.of("drained", rank)
        return [np.array(e["cells"][cell], self.training.dtype) for e in ends]

    def counts(self):
        """By round: how many bodies the repeat of each rank ran."""
        rows = [self.of("repeat", rank) for rank in range(self.ranks)]
        return [tuple(e["k"] for e in row) for row in zip(*rows)]

    def contributions(self, channel="grads"):
        """By number of the reduction: what each contributor drew for it, as
        {rank: micro-batches}. What a failed attempt drew is not in it."""
        drawn = collections.defaultdict(list)
        result = collections.defaultdict(dict)
        for event in self.events:
            rank = event["rank"]
            if event["op"] == "next_batch":
                drawn[rank].append(event["ids"])
            elif event["op"] == "failed":
                drawn[rank] = []
            elif event["op"] == "all_reduce" and event["channel"] == channel:
                result[event["seq"]][rank] = drawn.pop(rank, [])
        return [result[seq] for seq in sorted(result)]

    def sums(self, rank=0, at=0):
        """A scalar of the reductions that a rank awaited, in order; where they
        carry gradients the first one counts their samples."""
        return [e["scalars"][at] for e in self.of("await", rank)]

    def follows(self, expected, cell="w", ranks=None):
        """Every rank has the expected value after every round, bit by bit."""
        for rank in range(self.ranks) if ranks is None else ranks:
            history = self.history(cell, rank)
            equal(len(history), len(expected), f"versions of {cell} at rank {rank}")
            for t, (found, value) in enumerate(zip(history, expected)):
                same(found, value, f"{cell} after round {t} at rank {rank}")


def flat(rounds):
    """All sample numbers of contributions."""
    return [
        number
        for members in rounds
        for batches in members.values()
        for batch in batches
        for number in batch
    ]


def once_per_epoch(numbers, samples):
    """The first so many samples of the endless stream, each exactly once."""
    counted = collections.Counter(numbers)
    expected = collections.Counter(i % samples for i in range(len(numbers)))
    wrong = {k: counted[k] - expected[k] for k in range(samples)}
    wrong = {k: v for k, v in wrong.items() if v}
    check(not wrong, f"samples used too often (+) or too rarely (-): {wrong}")


def main(tests):
    """`MODULE.py TEST FOLDER`."""
    name, folder = sys.argv[1:]
    tests[name](Bench(folder))
    print(f"{name}: ok")
