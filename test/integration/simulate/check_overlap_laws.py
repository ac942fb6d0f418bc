"""Idle time, periods and batches of overlapped reductions in virtual time.

    check_overlap_laws.py RUBATO FOLDER

Compiles the least-squares example with abs-sgd and allreduce and simulates it
on the clusters of the example. Nobody idles with abs-sgd; with fixed speeds the
period and the global batch follow from the speeds and the time of a reduction,
which is in [max(reduction, slowest), reduction + slowest]; a synchronous run of
the same cluster is idle for 44 % of the time.
"""

import pathlib
import re
import subprocess
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[3]
CLUSTERS = ROOT / "examples" / "clusters"
MODEL = ROOT / "examples" / "least-squares" / "least-squares.onnx"
# Seconds of a reduction: period and global batch, for speeds 1:1:2:4 and
# micro-batches of 8 that take 1.02, 1.02, 0.52 and 0.27 s.
LAW = {
    0.25: (1.020, 61.9),
    0.5: (1.020, 61.9),
    1.0: (1.528, 92.9),
    2.0: (2.535, 153.9),
    4.0: (4.589, 278.6),
}


def compile_trainer(rubato, folder, algorithm):
    path = folder / algorithm
    subprocess.run(
        [rubato, "compile", MODEL, "--loss", "mse", "--optimizer", "sgd"]
        + ["--lr", "0.001", "--batch", "8", "--algorithm", algorithm, "-o", path],
        check=True,
    )
    return path


def simulate(train, cluster, folder, *options):
    text = subprocess.run(
        [train, "simulate", cluster, "--input", folder / "x.npy"]
        + ["--label", folder / "y.npy", *options],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    number = r"([0-9.]+)"
    time = float(re.search(rf"^virtual time +{number} s", text, re.M).group(1))
    rounds = float(re.search(rf"^rounds of worker.round +{number}", text, re.M).group(1))
    samples = float(re.search(rf"^samples +{number}", text, re.M).group(1))
    idle = [float(each) for each in re.findall(rf"rank \d+ {number} %", text)]
    return time, rounds, samples, idle[:4]


def check(what, value, wanted, share):
    print(f"{what}: {value:.4g}, expected {wanted:.4g}")
    if abs(value - wanted) > share * wanted:
        sys.exit(f"{what} is off by more than {100 * share:g} %")


def main():
    rubato, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    random = np.random.default_rng(1)
    np.save(folder / "x.npy", random.standard_normal((2000, 30)).astype(np.float32))
    np.save(folder / "y.npy", random.standard_normal((2000, 1)).astype(np.float32))
    overlapped = compile_trainer(rubato, folder, "abs-sgd")
    for name in ["equal", "static", "stragglers", "phases", "slow-link"]:
        *_, idle = simulate(
            overlapped, CLUSTERS / f"{name}.toml", folder, "--epochs", "20"
        )
        print(f"{name}: idle at most {max(idle)} %")
        if max(idle) >= 1:
            sys.exit(f"{name}: somebody idles for {max(idle)} % of the time")
    text = (CLUSTERS / "static.toml").read_text()
    for seconds, (period, batch) in LAW.items():
        cluster = folder / f"{seconds}.toml"
        cluster.write_text(
            re.sub(r"^all-reduce = .*$", f"all-reduce = {seconds}", text, flags=re.M)
        )
        time, rounds, samples, _ = simulate(
            overlapped, cluster, folder, "--epochs", "60"
        )
        check(f"period with reductions of {seconds} s", time / rounds, period, 0.02)
        check("  global batch", samples / rounds, batch, 0.02)
    synchronous = compile_trainer(rubato, folder, "allreduce")
    *_, idle = simulate(
        synchronous, CLUSTERS / "static.toml", folder,
        "--epochs", "20", "--global-batch", "128",
    )  # fmt: skip
    check("idle share of the synchronous run", sum(idle) / 4, 44, 0.03)
    print("the laws hold")


if __name__ == "__main__":
    main()
