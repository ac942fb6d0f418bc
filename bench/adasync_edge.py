#!/usr/bin/env python3
"""How often AdaSync fails near its largest stable step, ours and another's.

Near the edge of stability a run arrives or is lost by chance, so a rate of failures
tells a difference in meaning that medians of fifteen runs do not. Here the same task,
cluster and rule (docs/reproduce.md, setting E5) run twice, with as many seeds each:

* ours: the compiled program, `./train simulate`;
* a simulation of the specification in numpy, written from its text, event by event,
  in double precision, with random numbers of its own.

Failed is who has not reached the target after --time seconds. Prints the rates with
95 % intervals (Wilson's), their difference with one (Newcombe's) and the p-value of
Fisher's exact test. --vary changes the simulation in numpy in one respect at a time:
how much each choice moves the rate says how far two readings of the specification may
be apart.

    python3 bench/adasync_edge.py [--rubato build/bin/rubato] [--seeds 1000]
        [--factor 0.21] [--k0 2] [--jobs 2] [--vary] [--only numpy]
"""

import argparse
import concurrent.futures
import functools
import heapq
import importlib.util
import math
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
CLUSTER = ROOT / "examples" / "clusters" / "jobs-exponential.toml"
WORKERS, STEPS, BATCH, LATENCY = 20, 5, 4, 0.25
NOISE, SHARE, GRID, SMOOTHING = 1.0, 0.003, 0.25, 0.9

# What --vary changes; the first of each is what the specification says.
CHOICES = {
    "loss": ("exact, after the update", "reported by the workers"),
    "count": ("before the grant, for the next round", "one round later"),
    "smoothing": ("begins at the first round's loss", "begins at the loss before training"),
    "growth": ("never falls", "rises and falls"),
    "duration": ("one draw a job", "one draw a local step"),
    "rows": ("drawn anew", "each once an epoch"),
    "numbers": ("64 bits", "32 bits"),
}
SPECIFIED = {name: values[0] for name, values in CHOICES.items()}


def task():
    """Rows, labels, the optimum and the curvature of examples/least-squares."""
    path = ROOT / "examples" / "least-squares" / "make.py"
    spec = importlib.util.spec_from_file_location("make", path)
    make = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make)
    x, y = make.data(NOISE)
    found = make.describe(x, y)
    return x, y, found["F*"], found["F(0) - F*"], found["L"]


class Loss:
    """F(w) = mean of half the squared error, by its quadratic form."""

    def __init__(self, x, y):
        self.a, self.b, self.c = x.T @ x / len(x), x.T @ y / len(x), np.mean(y**2)

    def __call__(self, w):
        return 0.5 * (w @ (self.a @ w) - 2 * (self.b @ w) + self.c)


class Server:
    """Sections 2.1, 2.2 and 2.4: w, its version, and for how many it waits."""

    def __init__(self, loss, k0, how, kind):
        self.loss, self.k0, self.how = loss, k0, how
        self.w = np.zeros(len(loss.b), kind)
        self.count = self.next = k0
        self.first = self.reports = None
        self.smoothed = loss(self.w) if "before" in how["smoothing"] else None
        if "exact" in how["loss"]:
            self.first = loss(self.w)
        else:
            self.reports = []

    def close(self, uploads):
        """A round of (worker, change, reported loss)."""
        uploads = sorted(uploads, key=lambda each: each[0])
        total = uploads[0][1]
        for _, change, _ in uploads[1:]:
            total = total + change
        self.w = self.w + total / total.dtype.type(len(uploads))
        if self.reports is None:
            loss = self.loss(self.w.astype(np.float64))
        else:
            told = [report for _, _, report in uploads]
            loss = np.mean(told)
            if self.first is None:
                self.reports += told
                if len(self.reports) >= WORKERS:
                    self.first = np.mean(self.reports[:WORKERS])
        last = self.smoothed
        self.smoothed = loss if last is None else SMOOTHING * last + (1 - SMOOTHING) * loss
        ratio = 1.0 if self.first is None else max(1.0, self.first / max(self.smoothed, 1e-12))
        if not math.isfinite(ratio):
            raise OverflowError
        wanted = min(WORKERS, math.floor(self.k0 * math.sqrt(ratio) + 0.5))
        if "never" in self.how["growth"]:
            wanted = max(self.next, wanted)
        late = "later" in self.how["count"]
        self.count, self.next = (self.next if late else wanted), wanted


class Rows:
    """Which samples a micro-batch has."""

    def __init__(self, random, rows, how):
        self.random, self.rows = random, rows
        self.order = None if "anew" in how["rows"] else []

    def __call__(self):
        if self.order is None:
            return self.random.integers(0, self.rows, BATCH)
        if len(self.order) < BATCH:
            self.order = list(self.random.permutation(self.rows))
        taken, self.order = self.order[:BATCH], self.order[BATCH:]
        return taken


def arrives(x, y, target, step, k0, seconds, how, seed):
    """Section 3 and 4.1: when the target is reached, or None."""
    kind = np.float32 if how["numbers"] == "32 bits" else np.float64
    loss = Loss(x, y)
    x, y, scale = x.astype(kind), y.astype(kind), kind(step / BATCH)
    timing, sampling = np.random.default_rng(5000 + seed), np.random.default_rng(seed)
    rows, server = Rows(sampling, len(x), how), Server(loss, k0, how, kind)
    waiting, arrivals, hits, look = [], [], 0, 0

    def issue(worker, now):
        draws = timing.exponential(size=STEPS)
        compute = STEPS * draws[0] if "a job" in how["duration"] else draws.sum()
        heapq.heappush(arrivals, (now + 2 * LATENCY + compute, worker, server.w))

    def work(model):
        w, told = model, 0.0
        for u in range(STEPS):
            chosen = rows()
            some = x[chosen]
            error = some @ w - y[chosen]
            if u == 0:
                told = 0.5 * float(error @ error) / BATCH
            w = w - scale * (error @ some)
        return w - model, told

    for worker in range(WORKERS):
        issue(worker, 0.0)
    while True:
        now, worker, model = heapq.heappop(arrivals)
        # The model is as the last round left it until now.
        while look * GRID < now:
            if look * GRID > seconds:
                return None
            hits = hits + 1 if loss(server.w.astype(np.float64)) <= target else 0
            if hits == 3:
                return (look - 2) * GRID
            look += 1
        waiting.append((worker, *work(model)))
        if len(waiting) < server.count and arrivals:
            continue
        try:
            server.close(waiting)
        except OverflowError:
            return None
        if not np.all(np.abs(server.w) < 1e30):
            return None
        for each in sorted(one[0] for one in waiting):
            issue(each, now)
        waiting = []


def in_numpy(data, factor, k0, seconds, how, seed):
    x, y, floor, gap, curvature = data
    with np.errstate(all="ignore"):
        return arrives(x, y, floor + SHARE * gap, factor / curvature, k0, seconds, how, seed)


def compiled(folder, rubato, data, k0):
    """The program of ours, and its data."""
    x, y = data[:2]
    np.save(folder / "x.npy", x.astype(np.float32))
    np.save(folder / "y.npy", y.astype(np.float32).reshape(-1, 1))
    train = folder / "train"
    command = [rubato, "compile", ROOT / "examples/least-squares/least-squares.onnx"]
    command += ["--loss", "mse", "--batch", BATCH, "--algorithm", "adasync", "-o", train]
    for option in (f"k0={k0}", f"steps={STEPS}", "loss=exact"):
        command += ["--algorithm-option", option]
    subprocess.run(list(map(str, command)), check=True)
    return train


def simulated(train, data, factor, seconds, seed):
    _, _, floor, gap, curvature = data
    x, y = train.parent / "x.npy", train.parent / "y.npy"
    command = [train, "simulate", CLUSTER, "--workers", WORKERS, "--quiet"]
    command += ["--input", x, "--label", y, "--eval-input", x, "--eval-label", y]
    command += ["--observe", GRID, "--time", seconds, "--epochs", 1_000_000, "--seed", seed]
    # mse is 2 F.
    command += ["--lr", float(factor / curvature / 2), "--target", float(2 * (floor + SHARE * gap))]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode == 5:
        return None
    said = done.stdout + done.stderr
    if done.returncode or "reached" not in said:
        sys.exit(f"error: code {done.returncode}: {said}")
    return None if "not reached" in said else float(said.split("reached at ")[1].split()[0])


def wilson(failed, n, z=1.96):
    p, middle = failed / n, (failed + z * z / 2) / (n + z * z)
    half = z / (n + z * z) * math.sqrt(n * p * (1 - p) + z * z / 4)
    return middle - half, middle + half


def difference(a, b, n):
    """Of two rates, with Newcombe's interval."""
    (la, ua), (lb, ub), d = wilson(a, n), wilson(b, n), (a - b) / n
    return (
        d,
        d - math.hypot(a / n - la, ub - b / n),
        d + math.hypot(ua - a / n, b / n - lb),
    )


def fisher(a, b, n):
    """Two sides, of two samples of n."""
    log = lambda k: math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
    both = a + b
    ways = [log(k) + log(both - k) for k in range(max(0, both - n), min(n, both) + 1)]
    most = max(ways)
    weights = [math.exp(w - most) for w in ways]
    mine = math.exp(log(a) + log(b) - most)
    return sum(w for w in weights if w <= mine * (1 + 1e-9)) / sum(weights)


def report(name, times):
    failed, n = sum(t is None for t in times), len(times)
    low, high = wilson(failed, n)
    median = np.median([math.inf if t is None else t for t in times])
    later = [100 * sum(t is None or t > limit for t in times) / n for limit in (100, 150, 250)]
    print(f"{name:44} {failed:5} of {n:5} failed: {100 * failed / n:5.1f} %"
          f"  [{100 * low:.1f}, {100 * high:.1f}]  median {median:.2f} s, not there after "
          "100, 150 and 250 s: " + ", ".join(f"{p:.1f} %" for p in later), flush=True)  # fmt: skip
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rubato", default=ROOT / "build" / "bin" / "rubato")
    parser.add_argument("--seeds", type=int, default=1000)
    parser.add_argument("--factor", type=float, default=0.21, help="step size in units of 1 / L")
    parser.add_argument("--k0", type=int, default=2)
    parser.add_argument("--time", type=float, default=500)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--vary", action="store_true")
    parser.add_argument("--only", choices=("ours", "numpy"))
    args = parser.parse_args()
    data, seeds, failed = task(), range(args.seeds), {}
    print(f"adasync, E5, K0 = {args.k0}, step {args.factor} / L, {args.time:g} s, seeds 0 to {args.seeds - 1}")
    if args.only != "ours":
        kinds = [("numpy", SPECIFIED)]
        if args.vary:
            kinds += [(f"numpy, {name}: {value}", SPECIFIED | {name: value})
                      for name, values in CHOICES.items() for value in values[1:]]  # fmt: skip
        with concurrent.futures.ProcessPoolExecutor(args.jobs) as pool:
            for name, how in kinds:
                run = functools.partial(in_numpy, data, args.factor, args.k0, args.time, how)
                failed[name] = report(name, list(pool.map(run, seeds, chunksize=10)))
    if args.only != "numpy":
        with tempfile.TemporaryDirectory() as folder:
            train = compiled(pathlib.Path(folder), args.rubato, data, args.k0)
            run = functools.partial(simulated, train, data, args.factor, args.time)
            with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
                failed["ours"] = report("ours", list(pool.map(run, seeds)))
    if len(failed) > 1 and "ours" in failed:
        d, low, high = difference(failed["ours"], failed["numpy"], args.seeds)
        p = fisher(failed["ours"], failed["numpy"], args.seeds)
        print(f"ours - numpy: {100 * d:.1f} points [{100 * low:.1f}, {100 * high:.1f}], p = {p:.3f}")


if __name__ == "__main__":
    main()
