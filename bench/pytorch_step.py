"""One training step of the MLP 784-512-512-10 in PyTorch, on one thread.

The peer of our own step in a side-by-side measurement. To be interleaved with
it, the process waits for orders on standard input:

    go N     run N steps, print {"steps", "ms_best", "ms_median", "ms_mean"}
    quit     end

Times are milliseconds of process CPU time per step; best and median are over
the single steps of this order, the mean is over all of them together. A line
{"ready": ...} is printed once the model is warm.

    python bench/pytorch_step.py [--optimizer sgd|adam] [--batch 128]
"""

import argparse
import json
import statistics
import sys
import time

import torch
from torch import nn


def make_step(optimizer_name, batch):
    """Returns a function that runs one whole training step."""
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Linear(784, 512), nn.ReLU(),
        nn.Linear(512, 512), nn.ReLU(),
        nn.Linear(512, 10),
    )  # fmt: skip
    loss_of = nn.CrossEntropyLoss()
    # The fused forms are PyTorch's fastest update on a CPU.
    if optimizer_name == "sgd":
        optimizer = torch.optim.SGD(
            model.parameters(), lr=0.05, momentum=0.9, fused=True
        )
    else:
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True)
    inputs = torch.randn(batch, 784)
    labels = torch.randint(0, 10, (batch,))

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of(model(inputs), labels)
        loss.backward()
        optimizer.step()

    return step


def run(step, count):
    """Runs `count` steps and returns their times."""
    times = []
    begin = time.process_time_ns()
    previous = begin
    for _ in range(count):
        step()
        now = time.process_time_ns()
        times.append((now - previous) / 1e6)
        previous = now
    return {
        "steps": count,
        "ms_best": min(times),
        "ms_median": statistics.median(times),
        "ms_mean": (previous - begin) / 1e6 / count,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--optimizer", choices=["sgd", "adam"], default="sgd")
    parser.add_argument("--batch", type=int, default=128)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    torch.set_num_interop_threads(1)
    step = make_step(arguments.optimizer, arguments.batch)
    run(step, 20)
    about = {"ready": f"PyTorch {torch.__version__}", **vars(arguments)}
    print(json.dumps(about), flush=True)
    for line in sys.stdin:
        words = line.split()
        if words == ["quit"]:
            return 0
        if len(words) != 2 or words[0] != "go" or not words[1].isdigit():
            print(json.dumps({"error": f"unknown order: {line.strip()}"}), flush=True)
            continue
        print(json.dumps(run(step, max(1, int(words[1])))), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
