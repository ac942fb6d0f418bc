"""The events of a simulation against those of the interpreter.

    compare_logs.py RUBATO INTERP MODEL FOLDER [ALGORITHM...]

Compiles the model with every algorithm, runs it with `./train simulate` and the
program of its sync stage with the interpreter: same costs, seed and data. All
lines must be the same; real numbers, among them all cells after every round, may
differ as far as another order of additions explains.

Every program runs twice, some three times: with the costs of usual links, with two
racks behind uplinks that are slower than links, and with links so slow that messages
queue. There the times are recomputed from the log by the law of
links (docs/simulate.md): a message is there at max(ready, end of the one before it)
+ duration.
"""

import json
import math
import os
import re
import shlex
import subprocess
import sys

import numpy

SAMPLES, SEED, BATCH, ROUNDS = 96, 7, 8, 9
FEATURES, OUTPUTS = 20, 3
TOLERANCE = 2e-5

COMPUTE = """\
gradient = [1020us, 770us, 530us]
step = 15us
atomic = 3us
ask = 25us
"""
# Usual links, with jitter; racks; and slow links, without jitter, so that the law can be
# checked.
COSTS = {
    "usual": COMPUTE + "all_reduce = 400us\nexchange = 210us\nmessage = 60us\njitter = 0.25\n",
    "racks": COMPUTE + "all_reduce = 400us\nexchange = 210us\nmessage = 60us\n"
    "uplink.left = 900us\nuplink.left.members = [0, 2]\n"
    "uplink.right = 350us\nuplink.right.members = [1]\njitter = 0.25\n",
    "slow": COMPUTE + "all_reduce = 3ms\nexchange = 2500us\nmessage = [1ms, 1ms, 1ms, 9ms]\n",
}
RANKS = {"usual": 3, "racks": 4, "slow": 4}
RACKS = {"a2cid2", "asgd", "bounded-staleness", "delayed-sgd", "gossip", "k-sync", "ssp"}
SLOW_REDUCTION = 3_000_000
SLOW_MESSAGE = [1_000_000, 1_000_000, 1_000_000, 9_000_000]

# Options that bring something to happen in a short run.
OPTIONS = {
    "adaptive-sgd": ["mega-batch=48", "max-batch=16", "min-batch=8"],
    "k-avg": ["mega-batch=48", "local-steps=2", "max-batch=16", "min-batch=8"],
    "local-sgd": ["steps=2"],
    "bounded-staleness": ["steps=2", "data=leased", "bound=1"],
    "k-sync": ["steps=2", "data=leased"],
    "asgd": ["steps=1"],
    "dc-asgd": ["batches=2"],
    "ssp": ["slack=1"],
    "adasync": ["steps=2", "loss=exact"],
    "a2cid2": ["topology=ring", "rate=2"],
    "lb-bsp": ["delay=1", "batch=40"],

}
# Micro-batches of a member in a round, where rounds are shared.
QUANTA = {"allreduce": 3, "dynamic-sgd": 2}
# Those that keep no state of an optimizer.
PLAIN = {"adaptive-sgd", "k-avg"}
SERVERS = {
    "adasync", "asgd", "bounded-staleness", "dc-asgd", "k-async", "k-sync", "sa-adasync", "ssp"
}


def run(command, **options):
    done = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, timeout=120, **options
    )
    if done.returncode != 0:
        print(f"error: code {done.returncode} from: {shlex.join(map(str, command))}")
        print(done.stdout + done.stderr)
        sys.exit(1)
    return done.stdout


def algorithms(rubato):
    """All that `rubato explain` lists."""
    return re.findall(r"^  ([a-z][a-z0-9-]*) ", run([rubato, "explain"]), re.M)


def write_data(folder):
    """What the interpreter calls --data id."""

    def values(width):
        i, j = numpy.indices((SAMPLES, width))
        return (((5 * i + 3 * j) % 32) / 8 - 2).astype(numpy.float32)

    numpy.save(os.path.join(folder, "x.npy"), values(FEATURES))
    numpy.save(os.path.join(folder, "y.npy"), values(OUTPUTS))
    for name, costs in COSTS.items():
        with open(os.path.join(folder, f"{name}.cost"), "w") as file:
            file.write(costs)


def compile_both(rubato, model, folder, algorithm):
    """The executable and the program of its sync stage."""
    own = os.path.join(folder, algorithm)
    os.makedirs(own, exist_ok=True)
    path = lambda name: os.path.join(own, name)
    # The interpreter knows no buckets.
    common = [rubato, "compile", model, "--loss", "mse", "--optimizer", "sgd"]
    common += ["--whole-reductions"]
    common += ["--momentum", 0 if algorithm in PLAIN else 0.9]
    common += ["--lr", "0.01", "--batch", BATCH, "--algorithm", algorithm]
    for option in OPTIONS.get(algorithm, []):
        common += ["--algorithm-option", option]
    run(common + ["--emit", "sync", "-o", path("program.mlir")])
    run(common + ["-o", path("train")])


def logs(interp, folder, algorithm, costs):
    path = lambda name: os.path.join(folder, algorithm, name)
    data = lambda name: os.path.join(folder, name)
    quanta, ranks = QUANTA.get(algorithm, 1), RANKS[costs]
    batches = ["--global-batch", BATCH * ranks * quanta] if quanta > 1 else []
    run(
        [interp, path("program.mlir"), "--ranks", ranks, "--seed", SEED]
        + ["--rounds", ROUNDS, "--samples", SAMPLES, "--data", "id", "--model"]
        + ["--quanta", quanta]
        + ["--cost", data(f"{costs}.cost"), "--log-cells"]
        + ["--log", path("interpreter.jsonl")]
    )
    run(
        [path("train"), "simulate", "--cost", data(f"{costs}.cost"), "--seed", SEED]
        + ["--workers", ranks - (algorithm in SERVERS), "--rounds", ROUNDS]
        + ["--input", data("x.npy"), "--label", data("y.npy"), "--no-shuffle"]
        + batches
        + ["--log", path("simulator.jsonl"), "--log-cells"]
    )
    return [
        list(map(json.loads, open(path(name))))
        for name in ("interpreter.jsonl", "simulator.jsonl")
    ]


def difference(a, b, place=""):
    """The first place where two values differ, or None."""
    if isinstance(a, float) or isinstance(b, float):
        if math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=TOLERANCE):
            return None
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        pairs = [(x, y, f"{place}[{i}]") for i, (x, y) in enumerate(zip(a, b))]
        return next(filter(None, (difference(*pair) for pair in pairs)), None)
    elif isinstance(a, dict) and isinstance(b, dict) and list(a) == list(b):
        pairs = [(a[key], b[key], f"{place}.{key}") for key in a]
        return next(filter(None, (difference(*pair) for pair in pairs)), None)
    elif a == b:
        return None
    return f"{place}: {str(a)[:300]} against {str(b)[:300]}"


def shown(line):
    return json.dumps({key: value for key, value in line.items() if key != "cells"})


def disagreement(wanted, got):
    """What two logs differ in, or None."""
    for number, (a, b) in enumerate(zip(wanted, got), 1):
        if where := difference(a, b):
            return (
                f"line {number} differs at {where}\n"
                f"  interpreter: {shown(a)}\n  simulator:   {shown(b)}"
            )
    if len(wanted) != len(got):
        return f"{len(wanted)} and {len(got)} lines"


def arrivals(ready, duration):
    """When messages of one link are there, by number, and how many waited."""
    done, end, waited = {}, 0, 0
    for number, at in sorted(ready.items()):
        waited += end > at
        done[number] = end = max(at, end) + duration
    return done, waited


def check_links(log):
    """Times of reductions and of models by the law; how many of them queued."""
    starts, grants = {}, {}
    for e in log:
        if e["op"] == "all_reduce":
            of = starts.setdefault(e["channel"], {})
            of[e["seq"]] = max(of.get(e["seq"], 0), e["t"])
        if e["op"] == "grant":
            for rank, ticket in zip(e["to"], e["tickets"]):
                grants.setdefault(rank, {})[ticket] = e["t"]
    queued, law = 0, {}
    for key, ready in (starts | grants).items():
        duration = SLOW_REDUCTION if key in starts else SLOW_MESSAGE[key]
        law[key], waited = arrivals(ready, duration)
        queued += waited
    pulled = {}  # when each rank asked last
    for e in log:
        if e["op"] == "pull":
            pulled[e["rank"], e["after"]] = e["t"]
        if e["op"] != "await" or "done" not in e:
            continue
        if e["of"] == "all_reduce":
            wanted = law[e["channel"]][e["seq"]]
        elif e["of"] == "pull" and e["go"]:
            asked = min(t for (r, after), t in pulled.items()
                        if r == e["rank"] and after < e["ticket"] and t <= e["t"])  # fmt: skip
            wanted = max(law[e["rank"]][e["ticket"]], asked)
        else:
            continue
        if e["done"] != wanted:
            sys.exit(f"error: {shown(e)}: by the law of links at {wanted}")
    return queued


def main():
    rubato, interp, model, folder = sys.argv[1:5]
    write_data(folder)
    names = sys.argv[5:] or algorithms(rubato)
    failed = 0
    for name in names:
        compile_both(rubato, model, folder, name)
        for costs in COSTS:
            if costs == "racks" and name not in RACKS:
                continue
            wanted, got = logs(interp, folder, name, costs)
            if what := disagreement(wanted, got):
                print(f"{name}, {costs}: {what}")
                failed += 1
                continue
            kinds = " ".join(sorted({line["op"] for line in wanted}))
            if costs == "slow":
                kinds = f"{check_links(wanted)} messages queued"
            what = "racks" if costs == "racks" else f"{costs} links"
            print(f"{name}, {what}: {len(wanted)} lines agree: {kinds}")
    print(f"{len(names)} algorithms, {failed} differ")
    return failed > 0


sys.exit(main())
