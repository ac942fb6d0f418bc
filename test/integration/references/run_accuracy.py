"""Holds the last evaluation of a run against ONNX Runtime with the saved model.

    run_accuracy.py METRICS.jsonl TRAINED.onnx FOLDER_OF_FASHION_MNIST
"""

import json
import sys

import tools

AT_LEAST = "0.875"


def main():
    metrics, model, data = sys.argv[1:]
    with open(metrics) as file:
        last = [row for row in map(json.loads, file) if "eval" in row][-1]
    if last["samples"] != 10000:
        sys.exit(f"error: {last['samples']} samples were evaluated, not 10000")
    files = [f"{data}/t10k-{name}-ubyte.gz" for name in ("images-idx3", "labels-idx1")]
    options = ["--scale", "1/255", "--mean", "0.286", "--std", "0.353"]
    options += ["--correct", last["correct"], "--at-least", AT_LEAST]
    batches = (100, 1000)
    for batch in batches:
        run = [model, *files, *options, "--batch", batch]
        print(tools.reference("check_accuracy.py", *run), end="")
    print(f"accuracy: {len(batches)} runs agree on {last['correct']}")


if __name__ == "__main__":
    main()
