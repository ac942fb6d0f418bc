"""Whether a gossip run evaluates the mean of its members.

    check_evaluation.py make                      writes data
    check_evaluation.py simulated METRICS LOG
    check_evaluation.py real OUTPUT DUMP...

The model is x + w. With rows and labels of zero its loss mse is the mean of w².
"""

import json
import pathlib
import re
import struct
import sys

import numpy as np

SIZE, ROWS, FAR, RATE = 64, 240, 1e6, 1e-6


def make():
    sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "examples/quadratic"))
    import make as quadratic

    quadratic.onnx.save(quadratic.model(), "quadratic.onnx")
    np.save("zero.npy", np.zeros((ROWS, SIZE), np.float32))
    # Far away: on the way there gradients are the same everywhere.
    np.save("far.npy", np.full((ROWS, SIZE), FAR, np.float32))


def simulated(metrics, log):
    points = [json.loads(line) for line in open(metrics)]
    points = [p for p in points if "summary" in p or p["seen"] > 0]
    events = [json.loads(line) for line in open(log)]
    first = {e["rank"]: e["cells"]["w"] for e in events if e["op"] == "next"}
    values = np.array(list(first.values()))
    want = np.mean(values.mean(0) ** 2)
    single = np.mean(values**2, 1)
    assert len(first) == 16 and len(points) > 5
    for point in points:
        assert abs(point["loss"] - want) < 1e-5, (point, want)
    # While they were still apart.
    assert points[0]["consensus"] > 0.3
    away = np.abs(single - want).min()
    assert away > 0.3
    print("single members are off by", away, "or more")


def dumped(path):
    data = pathlib.Path(path).read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    (name,) = (key for key in header if key != "__metadata__")
    begin, end = header[name]["data_offsets"]
    values = np.frombuffer(data[8 + length + begin : 8 + length + end], np.float32)
    return values, int(header["__metadata__"]["samples"])


def real(output, *dumps):
    members = [dumped(path) for path in dumps]
    samples = [count for _, count in members]
    # The gradient of mse towards labels that are far away.
    step = RATE * 2 * FAR / SIZE
    want = step * sum(samples) / len(members)
    print("samples of each", samples, "mean", want, "alone", np.multiply(step, samples))
    for values, _ in members:
        assert np.allclose(values, want, rtol=1e-4), (values, want)
    loss = float(re.search(r"evaluation loss +([0-9.]+)", open(output).read())[1])
    assert abs(loss / want**2 - 1) < 1e-3, (loss, want**2)


{"make": make, "simulated": simulated, "real": real}[sys.argv[1]](*sys.argv[2:])
