"""Records a run of every algorithm and replays it; compares what they wrote.

Usage: run_replays.py RUBATO FOLDER
"""

import concurrent.futures
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
REFERENCES = os.path.join(HERE, "..", "..", "references")
DATA = [
    *("--input", "x=" + os.path.join(REFERENCES, "inputs.npy")),
    *("--label", "y=" + os.path.join(REFERENCES, "labels.npy")),
]
# More state to get right; not every algorithm takes every optimizer.
OPTIMIZERS = {
    "allreduce": ["--optimizer", "adamw", "--lr", "0.01"],
    "abs-sgd": ["--optimizer", "adamw", "--lr", "0.01"],
    "a2cid2": ["--optimizer", "sgd", "--momentum", "0.9", "--lr", "0.02"],
    # Its server reads the whole data set.
    "adasync": ["--lr", "0.05", "--algorithm-option", "loss=exact"],
}
SGD = ["--optimizer", "sgd", "--lr", "0.05"]


def run(command):
    """Runs a command that must succeed; returns what it printed."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        raise RuntimeError(
            f"code {done.returncode} from: {' '.join(command)}\n"
            + done.stdout
            + done.stderr
        )
    return done.stdout


def algorithms(rubato):
    """The names that `rubato explain` lists."""
    return re.findall(r"^  ([a-z0-9-]+) ", run([rubato, "explain"]), re.MULTILINE)


def replay(rubato, folder, algorithm):
    """Records, replays and compares; returns a line that says so."""
    place = os.path.join(folder, algorithm)
    recorded, again = os.path.join(place, "recorded"), os.path.join(place, "again")
    os.makedirs(recorded)
    os.makedirs(again)
    train, log = os.path.join(place, "train"), os.path.join(place, "run.log")
    run(
        [rubato, "compile", os.path.join(REFERENCES, "relu.onnx")]
        + ["--loss", "softmax-cross-entropy", "--batch", "8"]
        + OPTIMIZERS.get(algorithm, SGD)
        + ["--algorithm", algorithm, "-o", train]
    )
    run(
        [train, *DATA, "--workers", "3", "--epochs", "4", "--slow", "1:3"]
        + ["--quiet", "--record", log, *outputs(recorded)]
    )
    # The log names the data.
    told = run([train, "replay", log, *outputs(again)])
    names = sorted(os.listdir(recorded))
    if names != sorted(os.listdir(again)):
        raise RuntimeError(f"{algorithm}: other files: {os.listdir(again)}")
    for name in names:
        if read(recorded, name) != read(again, name):
            raise RuntimeError(f"{algorithm}: {name} differs")
    parts = [name for name in os.listdir(place) if ".part-" in name]
    if parts:
        raise RuntimeError(f"{algorithm}: left behind: {parts}")
    events = re.search(r"events +(\d+), all as recorded", told).group(1)
    return f"{algorithm}: {len(names)} files of {events} events are the same"


def outputs(folder):
    """Options that write all there is of a model."""
    return [
        *("--save", os.path.join(folder, "model.onnx")),
        *("--dump-parameters", os.path.join(folder, "%r.safetensors")),
    ]


def read(folder, name):
    with open(os.path.join(folder, name), "rb") as file:
        return file.read()


def main():
    rubato, folder = sys.argv[1:]
    names = algorithms(rubato)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for line in pool.map(lambda name: replay(rubato, folder, name), names):
            print(line)
    print(f"replays: {len(names)} are the recorded runs")


if __name__ == "__main__":
    main()
