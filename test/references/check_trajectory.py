"""Compares the losses of a run of ours with PyTorch's in float64.

    check_trajectory.py MODEL CASE METRICS.jsonl [--tolerance 1e-4] [--steps 50]
    check_trajectory.py --list

MODEL and CASE name an entry of trajectories.json. METRICS holds a line
{"round": i, "loss": mean loss, ...} per step, beginning at 0 or 1; evaluations
(lines with "eval") and lines without "round" and "loss" are skipped. A line's
"lr", if present, is compared too. Exit code 1 when a step is missing or differs
by more than the relative tolerance.
"""

import argparse
import json
import os
import sys

REFERENCE = os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "trajectories.json"
)


def read_metrics(path):
    """Returns the steps' lines in order of "round"."""
    rows = {}
    with open(path) as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            row = json.loads(line)
            if "eval" in row or "round" not in row or "loss" not in row:
                continue
            if row["round"] in rows:
                sys.exit(f"error: {path}:{number}: round {row['round']} occurs twice")
            rows[row["round"]] = row
    first = min(rows, default=0)
    if first not in (0, 1) or sorted(rows) != list(range(first, first + len(rows))):
        sys.exit(f"error: {path}: the rounds are not consecutive from 0 or 1")
    return [rows[key] for key in sorted(rows)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model", nargs="?")
    parser.add_argument("case", nargs="?")
    parser.add_argument("metrics", nargs="?")
    parser.add_argument("--list", action="store_true", help="print cases and options")
    parser.add_argument("--tolerance", type=float, default=1e-4)
    parser.add_argument("--steps", type=int, default=50)
    arguments = parser.parse_args()
    with open(REFERENCE) as file:
        models = json.load(file)["models"]
    if arguments.list:
        for model, entry in models.items():
            for case, content in entry["cases"].items():
                print(model, case, entry["loss"], json.dumps(content["options"]))
        return 0
    if arguments.metrics is None:
        parser.error("MODEL, CASE and METRICS are needed")
    if arguments.case not in models.get(arguments.model, {"cases": {}})["cases"]:
        parser.error(f"unknown case {arguments.model} {arguments.case}; see --list")
    case = models[arguments.model]["cases"][arguments.case]
    rows = read_metrics(arguments.metrics)
    if len(rows) < arguments.steps:
        print(f"error: {len(rows)} steps, {arguments.steps} wanted")
        return 1

    def difference(ours, exact):
        return abs(ours - exact) / abs(exact) if exact else abs(ours)

    worst = (0.0, 0)
    for step, row in enumerate(rows[: arguments.steps]):
        found = difference(row["loss"], case["f64"][step])
        if not found <= arguments.tolerance:  # also true for NaN
            print(
                f"error: step {step}: loss {row['loss']:.8g},"
                f" PyTorch {case['f64'][step]:.8g}, relative difference {found:.1e}"
            )
            return 1
        worst = max(worst, (found, step))
        if "lr" in row and not difference(row["lr"], case["lr"][step]) <= 1e-5:
            print(f"error: step {step}: lr {row['lr']}, PyTorch {case['lr'][step]}")
            return 1
    theirs = max(map(difference, case["f32"][: arguments.steps], case["f64"]))
    print(
        f"{arguments.model} {arguments.case}: {arguments.steps} steps agree, worst"
        f" {worst[0]:.1e} at step {worst[1]} (PyTorch float32: {theirs:.1e})"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
