"""Time of `rubato compile` from the demonstration's ONNX file to an executable.

Runs it several times and prints the best and the median, of the wall clock and
of CPU time; the first run, which reads the files from disk, is left out.

    python bench/compile.py --rubato build/bin/rubato
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
MODEL = HERE.parent / "examples" / "fashion-mlp" / "fashion-mlp.onnx"
OPTIONS = """--loss softmax-cross-entropy --optimizer sgd --momentum 0.9
    --lr 0.05 --schedule cosine --batch 64""".split()


def compile_once(rubato, output):
    """Returns the seconds on the wall clock and of CPU time."""
    begin = time.monotonic()
    process = subprocess.Popen([rubato, "compile", MODEL, *OPTIONS, "-o", output])
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit("rubato compile failed")
    return time.monotonic() - begin, usage.ru_utime + usage.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rubato", required=True, help="the compiler")
    parser.add_argument("--runs", type=int, default=10)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "train"
        compile_once(arguments.rubato, output)
        times = [compile_once(arguments.rubato, output) for _ in range(arguments.runs)]
        size = output.stat().st_size
    for name, values in zip(["wall", "CPU"], zip(*times)):
        print(f"{name:>5}: best {min(values):.2f} s, median "
              f"{statistics.median(values):.2f} s of {len(values)}")  # fmt: skip
    print(f"executable: {size / 1e6:.1f} MB")
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} CPUs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
