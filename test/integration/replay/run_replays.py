"""Records runs of every algorithm and replays them; compares what they wrote.

Recorded are runs on the CPU and on the device that is out of the host's reach,
with several seeds; replayed is on the CPU. So all of them compute the same bits,
also where who meets whom is decided by time.

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
DEVICES = {
    "cpu": [],
    "apart-1": ["--device", "apart", "--device-seed", "1"],
    "apart-2": ["--device", "apart", "--device-seed", "2"],
    "apart-3": ["--device", "apart", "--device-seed", "3"],
}
# Nothing in them depends on time: without a record, which waits for values that
# it writes down, they give the same bits on every device too.
DETERMINISTIC = {"allreduce", "dynamic-sgd"}


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
    """Records, replays and compares; returns lines that say so."""
    place = os.path.join(folder, algorithm)
    os.makedirs(place)
    train = os.path.join(place, "train")
    run(
        [rubato, "compile", os.path.join(REFERENCES, "relu.onnx")]
        + ["--loss", "softmax-cross-entropy", "--batch", "8"]
        + OPTIMIZERS.get(algorithm, SGD)
        + ["--algorithm", algorithm, "-o", train]
    )
    lines = [replay_on(device, train, place, algorithm) for device in DEVICES]
    # A record waits for what it writes down; without, lanes may be later still.
    # What is used before it is there is not a number, which ends a run.
    for options in DEVICES.values():
        run([train, *DATA, "--workers", "3", "--epochs", "2", "--quiet", *options])
    if algorithm in DETERMINISTIC:
        lines.append(compare_devices(train, place, algorithm))
    return lines


def compare_devices(train, place, algorithm):
    """The same model from every device, without a record."""
    models = set()
    for device, options in DEVICES.items():
        path = os.path.join(place, device + ".onnx")
        run(
            [train, *DATA, "--workers", "3", "--epochs", "2", "--quiet"]
            + [*options, "--save", path]
        )
        models.add(read(place, device + ".onnx"))
    if len(models) != 1:
        raise RuntimeError(f"{algorithm}: devices give {len(models)} models")
    return f"{algorithm}: {len(DEVICES)} devices give one model"


def replay_on(device, train, place, algorithm):
    place = os.path.join(place, device)
    recorded, again = os.path.join(place, "recorded"), os.path.join(place, "again")
    os.makedirs(recorded)
    os.makedirs(again)
    log = os.path.join(place, "run.log")
    run(
        [train, *DATA, "--workers", "3", "--epochs", "4", "--slow", "1:3"]
        + ["--quiet", "--record", log, *DEVICES[device], *outputs(recorded)]
    )
    # The log names the data.
    told = run([train, "replay", log, *outputs(again)])
    names = sorted(os.listdir(recorded))
    if names != sorted(os.listdir(again)):
        raise RuntimeError(f"{algorithm}: other files: {os.listdir(again)}")
    for name in names:
        if read(recorded, name) != read(again, name):
            raise RuntimeError(f"{algorithm} on {device}: {name} differs")
    parts = [name for name in os.listdir(place) if ".part-" in name]
    if parts:
        raise RuntimeError(f"{algorithm}: left behind: {parts}")
    events = re.search(r"events +(\d+), all as recorded", told).group(1)
    return (
        f"{algorithm} on {device}: {len(names)} files of {events} events "
        "are the same"
    )


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
        for lines in pool.map(lambda name: replay(rubato, folder, name), names):
            print(*lines, sep="\n")
    print(f"replays: {len(names) * len(DEVICES)} are the recorded runs")


if __name__ == "__main__":
    main()
