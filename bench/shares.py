"""How the time of a step divides among its kernels, from a timeline.

    ./train ... --timeline t.json
    python bench/shares.py t.json

Prints, for each kernel and reduction, the median of its time in one step, its
calls in it and its share of the sum. Gathering the batch is not in a timeline.
"""

import argparse
import collections
import json
import statistics
import sys


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("timeline")
    arguments = parser.parse_args()
    with open(arguments.timeline, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    durations = collections.defaultdict(list)
    for event in events:
        if event["ph"] == "X" and event["pid"] == 0:
            durations[event["name"]].append(event["dur"])
    if not durations:
        raise SystemExit(f"{arguments.timeline}: no kernel of rank 0 in it")
    # What runs once a step is what most names do.
    steps = statistics.mode(len(calls) for calls in durations.values())
    rows = []
    for name, calls in durations.items():
        # Under one name may stand kernels of different sizes, one for each
        # bucket: take the steps apart before taking the median.
        per_step = max(1, len(calls) // steps)
        totals = [
            sum(calls[i : i + per_step])
            for i in range(0, len(calls) - per_step + 1, per_step)
        ]
        rows.append((statistics.median(totals), per_step, name))
    rows.sort(reverse=True)
    whole = sum(row[0] for row in rows)
    print("us/step  calls  share  kernel")
    for time, calls, name in rows:
        print(f"{time:7.1f} {calls:6} {100 * time / whole:5.1f}%  {name}")
    print(f"{whole:7.1f}                sum of medians, {steps} steps")
    return 0


if __name__ == "__main__":
    sys.exit(main())
