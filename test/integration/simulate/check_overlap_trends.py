"""What the gain of overlapped reductions depends on.

    check_overlap_trends.py RUBATO FOLDER

Time to the target on least squares (examples/least-squares, samples drawn with
replacement), speeds 1:1:2:4, median of 7 seeds, the best of several step sizes. Three
trends must show: the gain over lb-bsp grows with
the time of a reduction; the size of a micro-batch hardly matters while that of the
slowest worker takes no longer than a reduction, and hurts beyond; so does the
least number of micro-batches.
"""

import pathlib
import re
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "examples" / "least-squares"))
import make
import numpy as np
import onnx

SEEDS, SHARE = 7, 0.005
LONGEST = 3000  # seconds; nothing that is compared takes longer
STATIC = pathlib.Path(__file__).resolve().parents[3] / "examples" / "clusters" / "static.toml"


def check(holds, what):
    if not holds:
        sys.exit(f"error: {what}")


class Bench:
    def __init__(self, rubato, folder):
        self.rubato, self.folder, self.trainers = rubato, folder, {}
        onnx.save(make.model(), folder / "model.onnx")
        x, y = make.data(5)
        np.save(folder / "x.npy", x.astype(np.float32))
        np.save(folder / "y.npy", y.astype(np.float32).reshape(-1, 1))
        facts = make.describe(x, y)
        self.curvature = facts["L"]
        # The loss `mse` is twice the function of the description.
        self.target = 2 * (facts["F*"] + SHARE * facts["F(0) - F*"])

    def trainer(self, algorithm, batch, options):
        key = (algorithm, batch, *options)
        if key not in self.trainers:
            path = self.folder / f"train-{len(self.trainers)}"
            command = [self.rubato, "compile", self.folder / "model.onnx"]
            command += ["--loss", "mse", "--batch", str(batch)]
            command += ["--algorithm", algorithm, "-o", path]
            for option in options:
                command += ["--algorithm-option", option]
            subprocess.run(command, check=True)
            self.trainers[key] = path
        return self.trainers[key]

    def seconds(self, algorithm, factor, reduction=1.0, batch=8, options=()):
        """Virtual seconds to the target with a step of factor / L."""
        train = self.trainer(algorithm, batch, options)
        cluster = self.folder / f"cluster-{reduction}.toml"
        cluster.write_text(
            re.sub(r"^all-reduce = .*$", f"all-reduce = {reduction}",
                   STATIC.read_text(), flags=re.M)
        )  # fmt: skip
        times = []
        for seed in range(SEEDS):
            data = []
            for option in ("", "eval-"):
                data += [f"--{option}input", self.folder / "x.npy"]
                data += [f"--{option}label", self.folder / "y.npy"]
            done = subprocess.run(
                [train, "simulate", cluster, *data, "--replacement", "--quiet"]
                + ["--observe", "1", "--target", str(self.target)]
                + ["--lr", str(factor / self.curvature / 2), "--seed", str(seed)]
                + ["--time", str(LONGEST), "--epochs", "1000000"],
                capture_output=True, text=True,
            )  # fmt: skip
            check(done.returncode in (0, 5), done.stderr)  # 5: it diverged
            found = re.search(r"reached at ([0-9.]+) s", done.stdout)
            times.append(float(found.group(1)) if found else float("inf"))
        return statistics.median(times)

    def adaptive(self, factor, reduction=1.0, batch=8, least=1):
        options = ("b-ref=128", "clip-low=0", "clip-high=1e9", f"m-min={least}")
        return self.seconds("abs-sgd", factor, reduction, batch, options)


def main():
    bench = Bench(sys.argv[1], pathlib.Path(sys.argv[2]))
    steps = (0.0884, 0.125, 0.1768, 0.25, 0.3536, 0.5, 0.7071)

    def balanced(reduction):
        options = ("batch=128",)
        return min(bench.seconds("lb-bsp", f, reduction, options=options) for f in steps)

    def overlapped(**how):
        return min(bench.adaptive(factor, **how) for factor in steps)

    gains = {r: balanced(r) / overlapped(reduction=r) for r in (0.1, 1, 4, 8)}
    print("lb-bsp / abs-sgd:", ", ".join(f"{g:.2f} at {r} s" for r, g in gains.items()))
    ordered = list(gains.values())
    check(all(a < b for a, b in zip(ordered, ordered[1:])), "the gain does not grow")
    check(ordered[-1] > 2, "a long reduction gains too little")

    sizes = {u: overlapped(batch=u) for u in (2, 8, 16, 64)}
    print("size of a micro-batch:", ", ".join(f"{s:.0f} s with {u}" for u, s in sizes.items()))
    check(abs(sizes[16] / sizes[8] - 1) < 0.2, "8 and 16 samples differ")
    check(sizes[64] > 1.15 * sizes[8], "large micro-batches do not hurt")

    least = {m: overlapped(least=m) for m in (1, 2, 8)}
    print("least number:", ", ".join(f"{s:.0f} s with {m}" for m, s in least.items()))
    check(abs(least[2] / least[1] - 1) < 0.15, "one and two at least differ")
    check(least[8] > 1.15 * least[1], "eight at least do not hurt")


if __name__ == "__main__":
    main()
