"""One training step, ours against PyTorch's, side by side on one thread.

Compiles a model with `rubato compile`, then takes turns: some steps of the
executable, some of bench/pytorch_step.py, for several rounds, so that whatever
else the machine does meets both alike. Prints milliseconds of CPU time per
step, the best and the median over the rounds, and the ratio.

Our time is the CPU time of a whole process, all threads, with many steps less
that of one with few steps, per step between them: it contains shuffling and
gathering the batch from bytes, the reduction and the log. PyTorch's batch is
made once and stays where it is, so the comparison leans towards PyTorch.

    python bench/step.py --rubato build/bin/rubato --torch venv/bin/python
"""

import argparse
import json
import os
import pathlib
import random
import statistics
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
MODEL = HERE.parent / "examples" / "fashion-mlp" / "fashion-mlp.onnx"
OPTIMIZERS = {
    "sgd": ["--optimizer", "sgd", "--momentum", "0.9", "--lr", "0.05"],
    "adam": ["--optimizer", "adamw", "--lr", "0.001"],
}
SAMPLES = 12800
WARM_STEPS = 20


def write_data(folder):
    """Random pictures and labels as IDX files, the size of the model's."""
    source = random.Random(0)
    images = struct.pack(">IIII", 0x803, SAMPLES, 28, 28)
    images += source.randbytes(SAMPLES * 784)
    labels = struct.pack(">II", 0x801, SAMPLES)
    labels += bytes(source.randrange(10) for _ in range(SAMPLES))
    (folder / "images").write_bytes(images)
    (folder / "labels").write_bytes(labels)


class Ours:
    """The executable that `rubato compile` makes."""

    def __init__(self, rubato, folder, optimizer, batch):
        self.folder = folder
        self.program = folder / f"train-{optimizer}-{batch}"
        command = [rubato, "compile", MODEL, "--loss", "softmax-cross-entropy"]
        command += OPTIMIZERS[optimizer]
        command += ["--batch", str(batch), "-o", self.program]
        subprocess.run(command, check=True)

    def cpu_seconds(self, steps):
        command = [self.program, "--input", "x=images", "--label", "y=labels"]
        command += ["--scale", "x=1/255", "--mean", "x=0.5", "--std", "x=0.3"]
        command += ["--steps", str(steps), "--quiet"]
        process = subprocess.Popen(command, cwd=self.folder)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{self.program.name} failed")
        return usage.ru_utime + usage.ru_stime

    def round(self, steps):
        few = self.cpu_seconds(WARM_STEPS)
        return (self.cpu_seconds(WARM_STEPS + steps) - few) / steps * 1e3


class Peer:
    """PyTorch, in a process that waits for orders."""

    def __init__(self, python, optimizer, batch):
        command = [python, HERE / "pytorch_step.py", "--optimizer", optimizer]
        command += ["--batch", str(batch)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.name = self.answer()["ready"]

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("PyTorch's process ended; is it installed there?")
        return json.loads(line)

    def round(self, steps):
        print(f"go {steps}", file=self.process.stdin, flush=True)
        return self.answer()["ms_mean"]

    def close(self):
        print("quit", file=self.process.stdin, flush=True)
        self.process.wait()


def measure(arguments, folder, optimizer, batch):
    """One row of the table."""
    ours = Ours(arguments.rubato, folder, optimizer, batch)
    peer = Peer(arguments.torch, optimizer, batch)
    times = {"ours": [], "peer": []}
    for _ in range(arguments.rounds):
        times["ours"].append(ours.round(arguments.steps))
        times["peer"].append(peer.round(arguments.steps))
    peer.close()
    best = {who: min(values) for who, values in times.items()}
    median = {who: statistics.median(values) for who, values in times.items()}
    print(
        f"{optimizer:>5} {batch:>5} "
        f"{best['ours']:>8.2f} {median['ours']:>8.2f}   "
        f"{best['peer']:>8.2f} {median['peer']:>8.2f}   "
        f"{best['peer'] / best['ours']:>6.2f} "
        f"{median['peer'] / median['ours']:>8.2f}   {peer.name}",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rubato", required=True, help="the compiler")
    parser.add_argument("--torch", required=True, help="a Python with PyTorch")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--steps", type=int, default=200, help="per round")
    parser.add_argument("--batches", type=int, nargs="+", default=[128, 64])
    parser.add_argument("--optimizers", nargs="+", default=["sgd", "adam"],
                        choices=list(OPTIMIZERS))  # fmt: skip
    arguments = parser.parse_args()
    arguments.rubato = pathlib.Path(arguments.rubato).resolve()
    print("MLP 784-512-512-10, one thread, CPU ms per step")
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} CPUs")
    print("                   ours                PyTorch       PyTorch / ours")
    print("      batch     best   median       best   median     best   median")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        write_data(folder)
        for optimizer in arguments.optimizers:
            for batch in arguments.batches:
                measure(arguments, folder, optimizer, batch)
    print(f"load of the machine: {os.getloadavg()[0]:.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
