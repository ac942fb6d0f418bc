"""Means divide by the divisor, budgets and schedules go by samples.

Of a compiled model it makes a second one, whose samples have four labels each:
`@gradient` says so, by hand. At four times the learning rate that is the same
run bit by bit, because scaling by a power of two rounds nothing; the learning
rate falls with samples, over as many of them in both.
"""

import pathlib
import re
import subprocess
import sys

import numpy as np

references = pathlib.Path(sys.argv[1])

# Members, options, and whether real time changes nothing: the others run in
# virtual time, in the same executable.
ALGORITHMS = {
    "allreduce": (3, [], True),
    "dynamic-sgd": (3, [], True),
    "local-sgd": (3, [], False),
    "delayed-sgd": (3, [], False),
    "abs-sgd": (3, [], False),
    "lb-bsp": (3, [], False),
    "gossip": (3, [], False),
    "a2cid2": (3, [], False),
    "k-async": (4, ["k0=2"], False),
    "k-sync": (4, ["k0=2", "loss=exact"], False),
    "adaptive-sgd": (3, ["max-batch=8", "mega-batch=64", "gamma=0.5"], False),
}


def run(*command):
    done = subprocess.run([str(each) for each in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}:\n{done.stdout}{done.stderr}")
    return done.stdout


def with_divisor(text, operation, number):
    """The text with another divisor in @gradient."""
    begin = text.index("func.func @gradient(")
    head, body = text[:begin], text[begin:]
    end = re.search(r"\n( +)return (%\w+), (%\w+), (%\w+), (%\w+) :", body)
    indent, flat, samples, divisor, loss = end.groups()
    assert samples == divisor, "this loss has another divisor already"
    lines = (
        f"\n{indent}%labels = arith.constant dense<{number}> : tensor<i64>"
        f"\n{indent}%divisor = arith.{operation} {samples}, %labels : tensor<i64>"
        f"\n{indent}return {flat}, {samples}, %divisor, {loss} :"
    )
    return head + body[: end.start()] + lines + body[end.end() :]


def compiled(name, options):
    """The executables ./one-NAME, ./four-NAME and ./no-NAME."""
    given = [word for each in options for word in ("--algorithm-option", each)]
    one, four, no = (pathlib.Path(f"{n}-{name}.mlir") for n in ("one", "four", "no"))
    run("rubato", "compile", references / "relu.onnx", "--loss", "softmax-cross-entropy",
        "--schedule", "cosine", "--batch", "8", "--algorithm", name, *given,
        "--stop-after", "train", "-o", one)
    four.write_text(with_divisor(one.read_text(), "muli", 4))
    no.write_text(with_divisor(one.read_text(), "minsi", 0))
    for file in (one, four, no):
        run("rubato", "compile", file, "--start-from", "train", "-o", f"./{file.stem}")


def trained(name, members, real, labels, rate):
    dump = pathlib.Path(f"{name}-{labels}-{rate}")
    how = [] if real else ["simulate", "--cost", "costs.txt"]
    run(f"./{labels}-{name}", *how, "--input", references / "inputs.npy", "--label",
        references / "labels.npy", "--workers", members, "--epochs", 2, "--seed", 7,
        "--quiet", "--lr", rate, "--dump-parameters", dump)
    return dump.read_bytes()


pathlib.Path("costs.txt").write_text("gradient = [1ms, 2ms, 3ms, 5ms]\n")
for name, (members, options, real) in ALGORITHMS.items():
    compiled(name, options)
    if trained(name, members, real, "one", 0.05) != trained(name, members, real, "four", 0.2):
        sys.exit(f"{name}: four labels at four times the rate is another run")
    if trained(name, members, real, "one", 0.2) == trained(name, members, real, "four", 0.2):
        sys.exit(f"{name}: four labels change nothing")
    print(f"{name}: ok")

# Where no label counts there is nothing to divide by, and nothing to be infinite;
# corrections of gradients divide by themselves.
compiled("dc-asgd", [])
cases = {name: (members, real) for name, (members, _, real) in ALGORITHMS.items()}
cases["dc-asgd"] = (3, False)
for name, (members, real) in cases.items():
    bytes_ = trained(name, members, real, "no", 0.05)
    head = 8 + int.from_bytes(bytes_[:8], "little")
    if not np.isfinite(np.frombuffer(bytes_[head:], np.float32)).all():
        sys.exit(f"{name}: a divisor of zero leaves parameters that are no numbers")
