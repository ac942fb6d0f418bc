"""Makes the reference files of this folder with PyTorch.

For each small network below: its ONNX file, the gradients of one batch and the
losses of 64 steps (4 epochs) under each optimizer and schedule, in float64
(the reference) and in float32 (PyTorch's own error, a yardstick for ours).

Everything is deterministic and runs on one thread. See README.md for the
meaning of the files; run it from anywhere, with torch, onnx and onnxscript:

    python test/references/make_references.py
"""

import contextlib
import io
import json
import math
import os
import tempfile

import numpy as np
import onnx
import torch
from torch import nn

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLES, BATCH, STEPS = 256, 16, 64
BUDGET = STEPS * BATCH


class Mlp(nn.Module):
    """20-32-16-outputs with the given activations."""

    def __init__(self, outputs, first, second):
        super().__init__()
        self.fc1 = nn.Linear(20, 32)
        self.fc2 = nn.Linear(32, 16)
        self.fc3 = nn.Linear(16, outputs)
        self.first, self.second = first, second

    def forward(self, x):
        x = self.first(self.fc1(x))
        x = self.second(self.fc2(x))
        return self.fc3(x)


MODELS = {
    "relu": {
        "outputs": 5,
        "acts": (torch.relu, torch.relu),
        "loss": "softmax-cross-entropy",
    },
    "smooth": {
        "outputs": 5,
        "acts": (torch.sigmoid, torch.tanh),
        "loss": "softmax-cross-entropy",
    },
    "regression": {"outputs": 3, "acts": (torch.tanh, torch.relu), "loss": "mse"},
}

SGD = {"optimizer": "sgd", "lr": 0.1, "schedule": "constant"}
MOMENTUM = {"optimizer": "sgd", "lr": 0.05, "momentum": 0.9, "schedule": "constant"}
CASES = {
    "sgd": SGD,
    "momentum": MOMENTUM,
    "nesterov": {**MOMENTUM, "nesterov": True},
    "coupled-decay": {**MOMENTUM, "weight-decay": 0.02, "decay": "coupled"},
    "decoupled-decay": {**MOMENTUM, "weight-decay": 0.02, "decay": "decoupled"},
    "adamw": {
        "optimizer": "adamw",
        "lr": 0.005,
        "beta1": 0.9,
        "beta2": 0.999,
        "epsilon": 1e-8,
        "weight-decay": 0.02,
        "decay": "decoupled",
        "schedule": "constant",
    },
    "step": {**MOMENTUM, "schedule": "step", "gamma": 0.5, "every": 300},
    "cosine": {**MOMENTUM, "schedule": "cosine"},
    "warm-up": {**MOMENTUM, "warm-up": 200},
    "warm-up-cosine": {**MOMENTUM, "schedule": "cosine", "warm-up": 200},
}


def make_data():
    """Clustered inputs that a linear model does not separate, in float32."""
    generator = np.random.default_rng(20)
    centres = generator.normal(size=(10, 20))
    cluster = generator.integers(0, 10, SAMPLES)
    inputs = centres[cluster] + 1.2 * generator.normal(size=(SAMPLES, 20))
    labels = cluster % 5
    mix = generator.normal(size=(20, 3)) / 4
    targets = np.sin(inputs @ mix) + 0.05 * generator.normal(size=(SAMPLES, 3))
    return {
        "inputs": inputs.astype(np.float32),
        "labels": labels.astype(np.int64),
        "targets": targets.astype(np.float32),
    }


def per_sample_loss(kind, outputs, wanted):
    if kind == "mse":  # the mean over the outputs of one sample
        return ((outputs - wanted) ** 2).mean(dim=1)
    return nn.functional.cross_entropy(outputs, wanted, reduction="none")


def learning_rate(case, seen):
    """The rate of a step before which `seen` samples were used."""
    rate = case["lr"]
    if case["schedule"] == "step":
        rate *= case["gamma"] ** (seen // case["every"])
    elif case["schedule"] == "cosine":
        rate *= 0.5 * (1 + math.cos(math.pi * seen / BUDGET))
    if "warm-up" in case:
        rate *= min(1.0, (seen + BATCH) / case["warm-up"])
    return rate


def make_optimizer(case, parameters):
    if case["optimizer"] == "adamw":
        return torch.optim.AdamW(
            parameters,
            lr=case["lr"],
            betas=(case["beta1"], case["beta2"]),
            eps=case["epsilon"],
            weight_decay=case["weight-decay"],
        )
    coupled = case.get("decay") == "coupled"
    return torch.optim.SGD(
        parameters,
        lr=case["lr"],
        momentum=case.get("momentum", 0.0),
        nesterov=case.get("nesterov", False),
        weight_decay=case["weight-decay"] if coupled else 0.0,
    )


def batch_of(data, spec, step, dtype):
    begin = step * BATCH % SAMPLES
    part = slice(begin, begin + BATCH)
    inputs = torch.from_numpy(data["inputs"][part]).to(dtype)
    if spec["loss"] == "mse":
        return inputs, torch.from_numpy(data["targets"][part]).to(dtype)
    return inputs, torch.from_numpy(data["labels"][part])


def trajectory(initial, data, spec, case, dtype):
    """Mean loss of each step's batch, before the step's update."""
    model = Mlp(spec["outputs"], *spec["acts"]).to(dtype)
    model.load_state_dict(initial)
    optimizer = make_optimizer(case, model.parameters())
    # PyTorch's SGD has no decoupled decay: w -= lr * (v + decay * w).
    decay_apart = case["optimizer"] == "sgd" and case.get("decay") == "decoupled"
    losses, rates = [], []
    for step in range(STEPS):
        rate = learning_rate(case, step * BATCH)
        for group in optimizer.param_groups:
            group["lr"] = rate
        inputs, wanted = batch_of(data, spec, step, dtype)
        optimizer.zero_grad()
        loss = per_sample_loss(spec["loss"], model(inputs), wanted).mean()
        loss.backward()
        if decay_apart:
            with torch.no_grad():
                for parameter in model.parameters():
                    parameter.mul_(1 - rate * case["weight-decay"])
        optimizer.step()
        losses.append(loss.item())
        rates.append(rate)
    return losses, rates


def gradients(initial, data, spec, dtype):
    """Gradients of the sum of the first batch's losses."""
    model = Mlp(spec["outputs"], *spec["acts"]).to(dtype)
    model.load_state_dict(initial)
    inputs, wanted = batch_of(data, spec, 0, dtype)
    loss = per_sample_loss(spec["loss"], model(inputs), wanted).sum()
    loss.backward()
    found = {name: p.grad.numpy() for name, p in model.named_parameters()}
    return found, loss.item()


def export(model, path):
    with tempfile.TemporaryDirectory() as folder:
        exported = os.path.join(folder, "model.onnx")
        with contextlib.redirect_stdout(io.StringIO()):
            torch.onnx.export(
                model,
                (torch.zeros(4, 20),),
                exported,
                input_names=["x"],
                output_names=["out"],
                dynamic_shapes={"x": {0: torch.export.Dim("batch")}},
                opset_version=18,
                dynamo=True,
                optimize=False,
            )
        onnx_model = onnx.load(exported)
    for node in onnx_model.graph.node:  # no source paths of this machine
        for prop in [p for p in node.metadata_props if "stack_trace" in p.key]:
            node.metadata_props.remove(prop)
    onnx.save(onnx_model, path)


def main():
    torch.set_num_threads(1)
    data = make_data()
    for name, array in data.items():
        np.save(os.path.join(HERE, f"{name}.npy"), array)
    result = {"batch": BATCH, "samples": SAMPLES, "budget": BUDGET, "models": {}}
    for name, spec in MODELS.items():
        torch.manual_seed(7)
        model = Mlp(spec["outputs"], *spec["acts"])
        initial = model.state_dict()
        export(model, os.path.join(HERE, f"{name}.onnx"))

        exact, exact_loss = gradients(initial, data, spec, torch.float64)
        single, single_loss = gradients(initial, data, spec, torch.float32)
        stored = {f"f64/{key}": value for key, value in exact.items()}
        stored |= {f"f32/{key}": value for key, value in single.items()}
        stored |= {"f64/loss": exact_loss, "f32/loss": single_loss}
        np.savez_compressed(os.path.join(HERE, f"{name}-gradients.npz"), **stored)

        cases, worst = {}, 0.0
        for case_name, case in CASES.items():
            exact, rates = trajectory(initial, data, spec, case, torch.float64)
            single, _ = trajectory(initial, data, spec, case, torch.float32)
            spread = np.abs(np.array(single) / np.array(exact) - 1).max()
            worst = max(worst, spread)
            cases[case_name] = {
                "options": case,
                "lr": rates,
                "f64": exact,
                "f32": [float(f"{value:.9g}") for value in single],
            }
            print(
                f"{name:10} {case_name:16} loss {exact[0]:.4f} -> {exact[-1]:.4f},"
                f" float32 differs by {spread:.1e}"
            )
        assert worst < 2e-5, "the float32 spread leaves no room for a 1e-4 test"
        result["models"][name] = {"loss": spec["loss"], "cases": cases}
    with open(os.path.join(HERE, "trajectories.json"), "w") as file:
        json.dump(result, file, indent=None, separators=(",", ":"))
        file.write("\n")


if __name__ == "__main__":
    main()
