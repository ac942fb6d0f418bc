"""Tests of the references and of the scripts that compare with them.

A NumPy trainer, written from the formulas of README.md alone, must arrive at
PyTorch's float64 numbers, so that the page and the files say the same; and
every check must accept what is right and refuse what is not.

    python test/references/test_references.py
"""

import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx
from onnx import numpy_helper
from tensorfiles import read_idx, read_safetensors, write_idx, write_safetensors

HERE = os.path.dirname(os.path.abspath(__file__))
NAMES = [f"fc{i}.{part}" for i in (1, 2, 3) for part in ("weight", "bias")]
ACTIVATIONS = {  # function, and derivative from its result
    "relu": (lambda z: np.maximum(z, 0), lambda a: (a > 0) * 1.0),
    "tanh": (np.tanh, lambda a: 1 - a * a),
    "sigmoid": (lambda z: 1 / (1 + np.exp(-z)), lambda a: a * (1 - a)),
}
MODELS = {
    "relu": ("relu", "relu"),
    "smooth": ("sigmoid", "tanh"),
    "regression": ("tanh", "relu"),
}


def here(name):
    return os.path.join(HERE, name)


def weights(model):
    loaded = onnx.load(here(f"{model}.onnx")).graph.initializer
    return {t.name: numpy_helper.to_array(t).astype(np.float64) for t in loaded}


def gradient(model, w, x, wanted):
    """Sum of losses and its gradient."""
    (f1, d1), (f2, d2) = (ACTIVATIONS[name] for name in MODELS[model])
    a1 = f1(x @ w["fc1.weight"].T + w["fc1.bias"])
    a2 = f2(a1 @ w["fc2.weight"].T + w["fc2.bias"])
    out = a2 @ w["fc3.weight"].T + w["fc3.bias"]
    if wanted.ndim == 2:
        loss = ((out - wanted) ** 2).mean(axis=1).sum()
        g3 = 2 * (out - wanted) / out.shape[1]
    else:
        rows = np.arange(len(x))
        log_p = out - out.max(axis=1, keepdims=True)
        log_p = log_p - np.log(np.exp(log_p).sum(axis=1, keepdims=True))
        loss = -log_p[rows, wanted].sum()
        g3 = np.exp(log_p)
        g3[rows, wanted] -= 1
    g2 = g3 @ w["fc3.weight"] * d2(a2)
    g1 = g2 @ w["fc2.weight"] * d1(a1)
    parts = (g1, x), (g2, a1), (g3, a2)
    result = {}
    for i, (g, below) in enumerate(parts, 1):
        result[f"fc{i}.weight"], result[f"fc{i}.bias"] = g.T @ below, g.sum(axis=0)
    return loss, result


def rate(options, seen, batch, budget):
    result = options["lr"]
    if options["schedule"] == "step":
        result *= options["gamma"] ** math.floor(seen / options["every"])
    elif options["schedule"] == "cosine":
        result *= 0.5 * (1 + math.cos(math.pi * seen / budget))
    if "warm-up" in options:
        result *= min(1, (seen + batch) / options["warm-up"])
    return result


def displacement(o, w, g, state, step):
    """What lr multiplies in `w -= lr * ...`."""
    decay = o.get("weight-decay", 0.0)
    if o["optimizer"] == "adamw":
        m, v = state.get("m", 0.0), state.get("v", 0.0)
        state["m"] = m = o["beta1"] * m + (1 - o["beta1"]) * g
        state["v"] = v = o["beta2"] * v + (1 - o["beta2"]) * g * g
        m_hat = m / (1 - o["beta1"] ** (step + 1))
        v_hat = v / (1 - o["beta2"] ** (step + 1))
        return m_hat / (np.sqrt(v_hat) + o["epsilon"]) + decay * w
    if o.get("decay") == "coupled":
        g, decay = g + decay * w, 0.0
    momentum = o.get("momentum", 0.0)
    state["v"] = v = momentum * state.get("v", 0.0) + g
    return (g + momentum * v if o.get("nesterov") else v) + decay * w


class References(unittest.TestCase):
    def setUp(self):
        with open(here("trajectories.json")) as file:
            self.all = json.load(file)
        self.x = np.load(here("inputs.npy")).astype(np.float64)
        self.wanted = {"softmax-cross-entropy": np.load(here("labels.npy"))}
        self.wanted["mse"] = np.load(here("targets.npy")).astype(np.float64)

    def test_gradients(self):
        for model in MODELS:
            wanted = self.wanted[self.all["models"][model]["loss"]]
            loss, found = gradient(model, weights(model), self.x[:16], wanted[:16])
            stored = np.load(here(f"{model}-gradients.npz"))
            np.testing.assert_allclose(loss, stored["f64/loss"], rtol=1e-12)
            for name in NAMES:
                exact = stored[f"f64/{name}"]
                np.testing.assert_allclose(found[name], exact, rtol=0, atol=1e-13)

    def test_trajectories(self):
        batch, samples = self.all["batch"], self.all["samples"]
        for model, entry in self.all["models"].items():
            for name, case in entry["cases"].items():
                w, options = weights(model), case["options"]
                states = {key: {} for key in w}
                for step, exact in enumerate(case["f64"]):
                    part = slice(step * batch % samples, step * batch % samples + batch)
                    wanted = self.wanted[entry["loss"]][part]
                    loss, g = gradient(model, w, self.x[part], wanted)
                    lr = rate(options, step * batch, batch, self.all["budget"])
                    where = f"{model} {name} step {step}"
                    self.assertAlmostEqual(loss / batch / exact, 1, 9, where)
                    self.assertAlmostEqual(lr / case["lr"][step], 1, 12, where)
                    for key in w:
                        w[key] = w[key] - lr * displacement(
                            options, w[key], g[key] / batch, states[key], step
                        )


class Checks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_check(self, script, *arguments):
        command = [sys.executable, here(script), *arguments]
        return subprocess.run(command, capture_output=True, text=True).returncode

    def test_gradient_check(self):
        stored = np.load(here("relu-gradients.npz"))
        right = {name: stored[f"f32/{name}"] for name in NAMES}

        def code(changes):
            path = self.path("ours.safetensors")
            ours = {k: v for k, v in {**right, **changes}.items() if v is not None}
            write_safetensors(path, ours)
            return self.run_check(
                "check_gradients.py", here("relu-gradients.npz"), path
            )

        bias = right["fc1.bias"]
        self.assertEqual(code({}), 0)
        self.assertEqual(code({"fc1.bias": bias * np.float32(1 + 1e-5)}), 1)
        self.assertEqual(code({"fc1.bias": bias * np.float32(np.nan)}), 1)
        self.assertEqual(code({"fc1.bias": bias[:-1]}), 1)
        self.assertEqual(code({"fc1.bias": None}), 1)
        self.assertEqual(code({"fc9.bias": bias}), 1)

    def test_trajectory_check(self):
        with open(here("trajectories.json")) as file:
            case = json.load(file)["models"]["relu"]["cases"]["cosine"]
        rows = list(enumerate(zip(case["f32"], case["lr"], strict=True)))
        right = [{"round": i, "loss": loss, "lr": lr} for i, (loss, lr) in rows]

        def code(rows, name="cosine"):
            path = self.path("metrics.jsonl")
            with open(path, "w") as file:
                file.writelines(json.dumps(row) + "\n" for row in rows)
            return self.run_check("check_trajectory.py", "relu", name, path)

        self.assertEqual(code(right), 0)
        self.assertEqual(code([{**row, "round": row["round"] + 1} for row in right]), 0)
        self.assertEqual(code([{"event": "start"}, *right[:50]]), 0)
        self.assertEqual(code(right[:49]), 1)
        self.assertEqual(code(right[1:]), 1)
        self.assertEqual(code(right[:3] + right[4:]), 1)
        self.assertEqual(code(right, "momentum"), 1)
        for change in ({"loss": float("nan")}, {"lr": 0.07}, {"loss": 1.0}):
            self.assertEqual(
                code([*right[:20], {**right[20], **change}, *right[21:]]), 1
            )

    def test_accuracy_check(self):
        inputs, labels = here("inputs.npy"), here("labels.npy")

        def code(*options):
            arguments = (here("relu.onnx"), inputs, labels, *options)
            return self.run_check("check_accuracy.py", *arguments)

        x = np.load(inputs).astype(np.float64)
        w = weights("relu")
        a = np.maximum(x @ w["fc1.weight"].T + w["fc1.bias"], 0)
        a = np.maximum(a @ w["fc2.weight"].T + w["fc2.bias"], 0)
        found = (a @ w["fc3.weight"].T + w["fc3.bias"]).argmax(axis=1)
        right = int((found == np.load(labels)).sum())
        self.assertEqual(code("--correct", str(right)), 0)
        self.assertEqual(code("--accuracy", str(right / len(x))), 0)
        self.assertEqual(code("--correct", str(right + 1)), 1)
        self.assertEqual(code("--accuracy", str((right - 1) / len(x))), 1)
        self.assertEqual(code("--at-least", "0.99"), 1)

    def test_files(self):
        array = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
        for name in ("a.idx", "a.idx.gz"):
            write_idx(self.path(name), array)
            np.testing.assert_array_equal(read_idx(self.path(name)), array)
        tensors = {"a": array.astype(np.float32), "b": np.array(3, np.int64)}
        write_safetensors(self.path("t"), tensors)
        for name, tensor in read_safetensors(self.path("t")).items():
            np.testing.assert_array_equal(tensor, tensors[name])


if __name__ == "__main__":
    unittest.main()
