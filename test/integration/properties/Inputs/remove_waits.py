"""Takes each wait of a compiled round away and looks whether a device notices.

The proof would refuse such a schedule, so the llvm stage is edited: what comes
out trains the same model on the CPU, where lanes run in the order in which they
are given work, and another one on the device `apart` under some seed.

Usage: remove_waits.py RUBATO FOLDER
"""

import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
REFERENCES = os.path.join(HERE, "..", "..", "..", "references")
OPTIONS = ["--loss", "softmax-cross-entropy", "--batch", "8", "--lr", "0.05"]
WAIT = re.compile(r"llvm\.call @rb_wait\([^)]*\) : \(!llvm\.ptr, i32, i32\) -> i32")
SEEDS = 12
# Of one micro-batch, and of two: the last one of a round is another segment.
ROUNDS = ["16", "32"]


NOT_A_NUMBER = 5


def run(command, good=(0,)):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode not in good:
        raise RuntimeError(
            f"code {done.returncode} from: {' '.join(command)}\n{done.stderr}"
        )
    return done.returncode


def model(train, folder, batch, device=()):
    """The saved bytes; none where a loss is not a number."""
    path = os.path.join(folder, "model.onnx")
    code = run(
        [train, "--input", "x=" + os.path.join(REFERENCES, "inputs.npy")]
        + ["--label", "y=" + os.path.join(REFERENCES, "labels.npy"), "--quiet"]
        + ["--workers", "2", "--global-batch", batch, "--steps", "6"]
        + ["--save", path, *device],
        good=(0, NOT_A_NUMBER),
    )
    if code == NOT_A_NUMBER:
        return b""
    with open(path, "rb") as file:
        return file.read()


def noticed(train, folder, right):
    """The first seed with another model, or None; and that the CPU has none."""
    for batch in ROUNDS:
        if model(train, folder, batch) != right[batch]:
            raise RuntimeError("the CPU has another model")
    for seed in range(SEEDS):
        for batch in ROUNDS:
            device = ["--device", "apart", "--device-seed", str(seed)]
            if model(train, folder, batch, device) != right[batch]:
                return seed
    return None


def main():
    rubato, folder = sys.argv[1:]
    lowered = os.path.join(folder, "llvm.mlir")
    train = os.path.join(folder, "train")
    run(
        [rubato, "compile", os.path.join(REFERENCES, "relu.onnx"), *OPTIONS]
        + ["--bucket-bytes", "256", "--stop-after", "llvm", "-o", lowered]
    )
    with open(lowered) as file:
        text = file.read()
    run([rubato, "compile", lowered, "--start-from", "llvm", "-o", train])
    right = {batch: model(train, folder, batch) for batch in ROUNDS}
    if noticed(train, folder, right) is not None:
        raise RuntimeError("another model with all waits in place")
    waits = list(WAIT.finditer(text))
    found = 0
    for number, wait in enumerate(waits):
        edited = os.path.join(folder, "edited.mlir")
        with open(edited, "w") as file:
            file.write(text[: wait.start()] + "llvm.mlir.constant(0 : i32) : i32")
            file.write(text[wait.end() :])
        run([rubato, "compile", edited, "--start-from", "llvm", "-o", train])
        seed = noticed(train, folder, right)
        print(f"wait {number}:", "not noticed" if seed is None else f"seed {seed}")
        found += seed is not None
    print(f"{len(waits)} waits removed, {found} noticed")


if __name__ == "__main__":
    main()
