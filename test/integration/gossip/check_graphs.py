"""Simulates gossip on one graph and looks at who met whom.

    check_graphs.py FOLDER WORKERS NAME=VALUE ...

The options are those of a2cid2. FOLDER has quadratic.onnx, x.npy and y.npy. Members
start apart, learn nothing and average. Every exchange is along an edge of the graph as
`rubato explain` shows it, nearly as many edges are used as there can be, and members agree better in the end.
"""

import json
import math
import subprocess
import sys

folder, workers, *options = sys.argv[1:]
data = ["--input", "x.npy", "--label", "y.npy", "--eval-input", "x.npy", "--eval-label", "y.npy"]


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, cwd=folder).stdout


flags = []
for option in options:
    name, value = option.split("=")
    flags += [f"--{name}", value]
said = json.loads(run("rubato", "explain", "a2cid2", *flags, "--members", workers, "--json"))
edges = {(a, b) for a, b, _ in said["edges"]}

compile_ = ["rubato", "compile", "quadratic.onnx", "--loss", "mse", "--batch", "1"]
for option in options:
    compile_ += ["--algorithm-option", option]
run(*compile_, "--algorithm", "a2cid2", "-o", "train")
run("./train", "simulate", "cluster.toml", "--workers", workers, *data, "--lr", "0", "--quiet",
    "--scatter", "1", "--observe", "1", "--rounds", "40", "--metrics", "m.jsonl", "--log", "log.jsonl")
used, astray = set(), set()
with open(f"{folder}/log.jsonl") as log:
    for line in log:
        event = json.loads(line)
        if event["op"] == "exchange":
            pair = tuple(sorted((event["rank"], event["peer"])))
            (used if pair in edges else astray).add(pair)
with open(f"{folder}/m.jsonl") as metrics:
    points = [json.loads(line) for line in metrics]
# Members are scattered when they start.
distances = [p["consensus"] for p in points if "summary" not in p and p["seen"] > 0]
fell = distances[-1] / distances[0]
name = " ".join(options)
print(f"{name}: {len(used)} of {len(edges)} edges used, distance times {fell:.2g}")
# 40 averagings of each member; as many draws of edges leave some out.
draws = 20 * int(workers)
least = 0.8 * len(edges) * (1 - math.exp(-draws / len(edges)))
if astray or len(used) < least or not fell < 0.2:
    sys.exit(f"FAILED: {name}: {len(astray)} pairs that are no edge")
