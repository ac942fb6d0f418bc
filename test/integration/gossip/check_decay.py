"""How fast members agree on every graph of graph-constants.json: the compiled program
with its matcher in simulations, beside the simulation of bench/gossip_pairing.py, which
is another program, and beside the second moments under Poisson clocks.

    check_decay.py FOLDER BENCH SEEDS

FOLDER has quadratic.onnx, cluster.toml, x.npy and y.npy.
"""

import json
import pathlib
import subprocess
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
folder, bench, seeds = str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2], int(sys.argv[3])
sys.path.insert(0, bench)
import gossip_pairing as pairing  # noqa: E402

SLACK = 1  # averagings an edge of a given graph may be behind
OPTIONS = ("--topology", "--topology-file", "--topology-rows", "--topology-degree",
           "--topology-seed")


def simulated(algorithm, arguments, n, steps):
    command = ["rubato", "compile", f"{folder}/quadratic.onnx", "--loss", "mse", "--batch", "1"]
    for flag, value in zip(arguments[::2], arguments[1::2]):
        if flag in OPTIONS:
            command += ["--algorithm-option", f"{flag[2:]}={value}"]
    command += ["--algorithm", algorithm, "-o", f"{folder}/train"]
    subprocess.run(command, check=True, cwd=HERE / "Inputs")
    data = ["--input", "x.npy", "--label", "y.npy", "--eval-input", "x.npy", "--eval-label", "y.npy"]
    decays = []
    for seed in range(seeds):
        subprocess.run(
            ["./train", "simulate", "cluster.toml", "--workers", str(n), *data, "--lr", "0",
             "--quiet", "--scatter", "1", "--observe", "1", "--rounds", str(steps),
             "--seed", str(seed), "--metrics", "m.jsonl"],
            check=True, cwd=folder, stderr=subprocess.DEVNULL,
        )
        with open(f"{folder}/m.jsonl") as file:
            points = [json.loads(line) for line in file]
        points = [(p["seen"] / n, p["consensus"]) for p in points if "summary" not in p]
        decays.append(pairing.decay([p for p in points if p[0] > 0]))
    return np.mean(decays), np.std(decays, ddof=1) / np.sqrt(seeds)


failures = 0
print(f"{'':46}{'runtime':>17}{'numpy':>17}{'Poisson':>9}")
for row in json.loads((HERE / "graph-constants.json").read_text()):
    n = max(max(edge[:2]) for edge in row["edges"]) + 1
    if n > 24:
        continue  # slow in numpy
    w = np.zeros((n, n))
    for a, b, weight in row["edges"]:
        w[a, b] = w[b, a] = weight
    given = row["arguments"][0] == "--topology-file"
    name = " ".join(row["arguments"]).replace("--", "").replace("topology ", "")
    base = []
    for accelerated, algorithm in enumerate(("gossip", "a2cid2")):
        steps = pairing.steps_of(w, bool(accelerated))
        decays = [
            pairing.decay(pairing.strands(w, bool(accelerated), steps, 100 + seed, repeats=False,
                                          slack=SLACK if given else None)[0])
            for seed in range(seeds)
        ]
        want, spread = np.mean(decays), np.std(decays, ddof=1) / np.sqrt(seeds)
        got, error = simulated(algorithm, row["arguments"], n, steps)
        exact = pairing.theory(w, bool(accelerated))
        good = abs(got - want) <= 0.08 * want + 4 * np.hypot(spread, error)
        # Pairs that do not repeat agree faster than Poisson clocks, plain gossip on
        # every graph; in single runs also faster than their mean square.
        good = good and (accelerated or got > exact)
        failures += not good
        base.append(got)
        print(f"{'' if good else 'FAILED: '}{algorithm + ', ' + name:46}{got:8.4f} ±{error:.4f} "
              f"{want:8.4f} ±{spread:.4f} {exact:8.4f}", flush=True)
    print(f"{'':8}a2cid2 / gossip {base[1] / base[0]:.2f}")
print(f"{failures} failures")
sys.exit(bool(failures))
