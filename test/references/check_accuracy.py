"""Counts with ONNX Runtime how many test samples a trained model gets right.

    check_accuracy.py MODEL.onnx IMAGES LABELS [--scale 1/255] [--mean M]
        [--std S] [--accuracy 0.8812 | --correct 8812] [--at-least 0.875]

IMAGES and LABELS are IDX files (.gz or not) or .npy. A sample is
(value * scale - mean) / std in float32, flattened to the input's shape. With
--accuracy or --correct, exit code 1 unless the count of right samples is the
same, not nearly the same.
"""

import argparse
import sys
from fractions import Fraction

import numpy as np
import onnxruntime
from tensorfiles import read_idx


def read(path):
    return np.load(path) if path.endswith(".npy") else read_idx(path)


def number(text):
    return float(Fraction(text))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model")
    parser.add_argument("images")
    parser.add_argument("labels")
    parser.add_argument("--scale", type=number, default=1.0)
    parser.add_argument("--mean", type=number, default=0.0)
    parser.add_argument("--std", type=number, default=1.0)
    parser.add_argument("--batch", type=int, default=500)
    parser.add_argument("--accuracy", type=number)
    parser.add_argument("--correct", type=int)
    parser.add_argument("--at-least", type=number)
    arguments = parser.parse_args()

    images, labels = read(arguments.images), read(arguments.labels)
    scale, mean, std = map(np.float32, (arguments.scale, arguments.mean, arguments.std))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        arguments.model, options, providers=["CPUExecutionProvider"]
    )
    (entry,) = session.get_inputs()
    shape = [size for size in entry.shape[1:]]
    if isinstance(entry.shape[0], int):
        arguments.batch = entry.shape[0]
    right = 0
    for begin in range(0, len(images), arguments.batch):
        part = images[begin : begin + arguments.batch].astype(np.float32)
        count = len(part)
        part = ((part * scale - mean) / std).reshape(count, *shape)
        if isinstance(entry.shape[0], int) and count < arguments.batch:
            padding = np.zeros((arguments.batch - count, *shape), np.float32)
            part = np.concatenate([part, padding])
        (outputs,) = session.run(None, {entry.name: part})
        found = outputs[:count].argmax(axis=1)
        right += int((found == labels[begin : begin + count]).sum())
    total = len(images)
    print(f"onnxruntime: {right} of {total} right, accuracy {right / total:.4f}")
    wanted = arguments.correct
    if wanted is None and arguments.accuracy is not None:
        wanted = round(arguments.accuracy * total)
    if wanted is not None and wanted != right:
        print(f"error: {wanted} right were expected")
        return 1
    if arguments.at_least is not None and right < arguments.at_least * total:
        print(f"error: an accuracy of at least {arguments.at_least} was expected")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
