"""Takes every model of test/models through the command line.

    run_models.py RUBATO FOLDER

`rubato check --json` must find what expected.json says. A trainable model is
compiled and trained on random samples; its gradients must be the slopes that
ONNX Runtime sees, and the trained file must load there with a batch of another
size.
"""

import glob
import json
import os
import sys

import numpy as np
import tools
from differences import compare, run_model

sys.path.append(tools.REFERENCES)
from tensorfiles import read_safetensors

BATCH, SAMPLES = 4, 8


def check(rubato, model, wanted):
    """Compares the report of `rubato check`; returns what differs."""
    dims = [f"--dim={k}={v}" for k, v in wanted.get("dimensions", {}).items()]
    done = tools.attempt([rubato, "check", "--json", model, f"--batch={BATCH}", *dims])
    code = wanted.get("exit", 0)
    if done.returncode != code:
        return f"check ended with code {done.returncode}, not {code}: {done.stderr}"
    report = json.loads(done.stdout)
    if report["trainable"] != (code == 0):
        return f"trainable is {report['trainable']}"
    for kind in ("warning", "error"):
        said = [d for d in report["diagnostics"] if d["severity"] == kind]
        text = " ".join(d["message"] + d["remedy"] for d in said)
        if wanted.get(kind, "") not in text:
            return f"no {kind} with '{wanted[kind]}'"
        if kind == "warning" and said and kind not in wanted:
            return f"an unexpected warning: {text}"
    found = {
        entry["op"]: [node["name"] for node in entry["nodes"]]
        for entry in report.get("missing", [])
    }
    if found != wanted.get("missing", {}):
        return f"missing operators {found}"
    if code == 0:
        roles = {tensor["name"]: tensor["role"] for tensor in report["tensors"]}
        found = {name for name, role in roles.items() if role == "parameter"}
        if found != set(wanted["parameters"]):
            return f"parameters {sorted(found)}"
        for name in wanted.get("frozen", []):
            if roles.get(name) in (None, "parameter"):
                return f"'{name}' is {roles.get(name)}"
    return None


def samples(report, dimensions):
    """Random inputs and labels (targets for anything but scores) for a model."""
    sizes = {"batch": SAMPLES, **dimensions}
    shape, out = (
        [sizes.get(size, size) for size in report[key][0]["dims"]]
        for key in ("inputs", "outputs")
    )
    generator = np.random.default_rng(7)
    inputs = generator.normal(size=shape).astype(np.float32)
    if len(out) == 2:
        return inputs, np.arange(SAMPLES) % out[1]
    return inputs, generator.normal(size=out).astype(np.float32)


def train(rubato, folder, name, model, wanted):
    """Compiles and trains; returns what went wrong."""
    program = os.path.join(folder, name)
    dimensions = wanted.get("dimensions", {})
    report = json.loads(tools.run([rubato, "check", "--json", model]))
    inputs, labels = samples(report, dimensions)
    np.save(program + "-x.npy", inputs)
    np.save(program + "-y.npy", labels)
    loss = "softmax-cross-entropy" if labels.ndim == 1 else "mse"
    dims = [f"--dim={k}={v}" for k, v in dimensions.items()]
    options = [f"--batch={BATCH}", *dims, "--loss", loss, "-o", program]
    data = ["--input", f"x={program}-x.npy", "--label", f"y={program}-y.npy"]
    dump, same, saved = (
        program + end for end in (".safetensors", ".same.onnx", ".trained.onnx")
    )
    for command in (
        [rubato, "compile", model, *options],
        [program, *data, "--dump-gradients", dump],
        [program, *data, "--steps", 1, "--lr", "1e-20", "--save", same],
        [program, *data, "--steps", 2, "--save", saved],
    ):
        done = tools.attempt(command)
        if done.returncode != 0:
            return f"code {done.returncode} from {command}: {done.stderr}"

    few = inputs[:3]  # neither the batch of compilation nor that of training
    before, kept, after = (run_model(path, few) for path in (model, same, saved))
    if not np.allclose(before, kept, rtol=1e-5, atol=1e-6):
        return "saving an untrained model changed it"
    if not np.isfinite(after).all() or np.array_equal(before, after):
        return "the trained model gives no finite numbers, or the old ones"
    gradients = read_safetensors(dump)
    if set(gradients) != set(wanted["parameters"]):
        return f"gradients of {sorted(gradients)}"
    return compare(same, gradients, inputs[:BATCH], labels[:BATCH])


def main():
    rubato, folder = sys.argv[1:]
    with open(os.path.join(tools.MODELS, "expected.json")) as file:
        expected = json.load(file)
    files = glob.glob(os.path.join(tools.MODELS, "*.onnx"))
    if {os.path.basename(f)[: -len(".onnx")] for f in files} != set(expected):
        sys.exit("error: expected.json does not list exactly the models there are")
    failed = trained = 0
    for name, wanted in expected.items():
        model = os.path.join(tools.MODELS, f"{name}.onnx")
        problem = check(rubato, model, wanted)
        if not problem and wanted.get("exit", 0) == 0:
            problem = train(rubato, folder, name, model, wanted)
            trained += problem is None
        if problem:
            failed += 1
            print(f"error: {name}: {problem}")
    print(f"models: {len(expected)} checked, {trained} trained, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
