"""Trains every case of trajectories.json and compares losses with PyTorch's.

    run_trajectories.py RUBATO FOLDER

Each case is compiled with its own options and takes the samples in the order
of the file, with evaluations between epochs, which must change nothing; 50
losses must agree to 1e-4 relative.
"""

import json
import os
import sys

import tools


def compile_options(case):
    """Options of `rubato compile` for a case, in its own words."""
    options = ["--optimizer", case["optimizer"], "--lr", case["lr"]]
    options += ["--schedule", case["schedule"]]
    for key in ("momentum", "beta1", "beta2", "epsilon", "weight-decay"):
        if key in case:
            options += ["--" + key, case[key]]
    if case.get("nesterov"):
        options.append("--nesterov")
    if case.get("decay") == "decoupled" and case["optimizer"] == "sgd":
        options.append("--decoupled-weight-decay")
    if case["schedule"] == "step":
        options += ["--step-factor", case["gamma"], "--step-every", case["every"]]
    if "warm-up" in case:
        options += ["--warmup", case["warm-up"]]
    return options


def main():
    rubato, folder = sys.argv[1:]
    with open(os.path.join(tools.REFERENCES, "trajectories.json")) as file:
        content = json.load(file)
    done = 0
    for name, entry in content["models"].items():
        model = os.path.join(tools.REFERENCES, f"{name}.onnx")
        common = ["--loss", entry["loss"], "--batch", content["batch"]]
        epochs = content["budget"] // content["samples"]
        for case, details in entry["cases"].items():
            program = os.path.join(folder, f"{name}-{case}")
            metrics = program + ".jsonl"
            options = [*common, *compile_options(details["options"])]
            tools.run([rubato, "compile", model, *options, "-o", program])
            data = tools.data_of(entry["loss"])
            data += [text.replace("--", "--eval-") for text in data]
            run = ["--no-shuffle", "--epochs", epochs, "--metrics", metrics]
            tools.run([program, *data, *run])
            print(tools.reference("check_trajectory.py", name, case, metrics), end="")
            os.remove(program)
            done += 1
    print(f"trajectories: {done} agree")


if __name__ == "__main__":
    main()
