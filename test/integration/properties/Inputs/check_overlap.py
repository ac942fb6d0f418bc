"""Reads the timeline of a run and looks at every round of every rank.

Always: a part of the update starts after the reduction of its bucket has
ended. In at least MINIMUM of the rounds: the first bucket leaves before the last
backward kernel ends. Whether others add it up meanwhile, the metrics say: when a
thread gets a core is up to the system, so a single round says little.

    check_overlap.py TIMELINE.json RANKS ROUNDS MINIMUM
"""
import json
import sys

path, (ranks, rounds), minimum = (
    sys.argv[1],
    map(int, sys.argv[2:4]),
    float(sys.argv[4]),
)


def is_backward(name):
    return ".gradient" in name or "_gradient" in name


def is_update(name):
    return name == "step"


def split_rounds(spans):
    """The compute lane's spans by rounds; a round ends by counting samples."""
    result = [[]]
    for span in spans:
        result[-1].append(span)
        if span["name"] == "seen":
            result.append([])
    return result[:-1]


def end(span):
    return span["ts"] + span["dur"]


with open(path, encoding="utf-8") as file:
    events = [e for e in json.load(file)["traceEvents"] if e["ph"] == "X"]
for rank in range(ranks):
    lanes = [
        sorted(
            (e for e in events if e["pid"] == rank and e["tid"] == lane),
            key=lambda e: e["ts"],
        )
        for lane in (0, 1)
    ]
    compute = split_rounds(lanes[0])
    first = [e for e in lanes[1] if e["name"] == "all_reduce 0"]
    second = [e for e in lanes[1] if e["name"] == "all_reduce 1"]
    if not len(compute) == len(first) == len(second) == rounds:
        sys.exit(
            f"rank {rank}: {len(compute)} rounds of kernels, {len(first)} and "
            f"{len(second)} reductions; expected {rounds} of each"
        )
    early = 0
    for number, kernels in enumerate(compute):
        updates = [k for k in kernels if is_update(k["name"])]
        if len(updates) != 2:
            sys.exit(f"rank {rank}, round {number}: {len(updates)} updates, not 2")
        for update, reduction in zip(updates, (first[number], second[number])):
            if update["ts"] < end(reduction):
                sys.exit(
                    f"rank {rank}, round {number}: {update['name']} starts "
                    f"before {reduction['name']} has ended"
                )
        backward = [k for k in kernels if is_backward(k["name"])]
        early += first[number]["ts"] < end(backward[-1])
    print(
        f"rank {rank}: in {early} of {rounds} rounds the first bucket's reduction "
        "starts before the last backward kernel ends"
    )
    if early < minimum * rounds:
        sys.exit(f"rank {rank}: fewer than {minimum:.0%} of the rounds overlap")
