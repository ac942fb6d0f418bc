"""Writes graph-constants.json: edges and constants of graphs, by numpy.

    make_graph_constants.py RUBATO

Random graphs are drawn by `RUBATO explain --json`, since only their constants can be
computed by somebody else; all others are laid out here.
"""

import json
import pathlib
import subprocess
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent


def laid_out(name, n):
    if name == "ring":
        return [(i, (i + 1) % n) for i in range(n)]
    if name == "path":
        return [(i, i + 1) for i in range(n - 1)]
    if name == "star":
        return [(0, i) for i in range(1, n)]
    if name == "complete":
        return [(i, j) for i in range(n) for j in range(i)]
    if name in ("exponential", "exponential-simple"):
        count = {}
        for i in range(n):
            for step in (2**k for k in range((n - 1).bit_length())):
                for j in ((i + step) % n, (i - step) % n):
                    if i < j:
                        count[i, j] = count.get((i, j), 0) + 1
        simple = name == "exponential-simple"
        return [(i, j, 1 if simple else c) for (i, j), c in count.items()]
    if name == "hypercube":
        bits = n.bit_length() - 1
        return [(i, i ^ 1 << k) for i in range(n) for k in range(bits) if i < i ^ 1 << k]
    if name == "two-clusters":
        half = (n + 1) // 2
        inside = [(i, j) for i in range(n) for j in range(i) if (i < half) == (j < half)]
        return [*inside, (half - 1, half)]
    raise ValueError(name)


def torus(rows, columns):
    edges = set()
    for r in range(rows):
        for c in range(columns):
            here = r * columns + c
            for other in (r * columns + (c + 1) % columns, (r + 1) % rows * columns + c):
                if other != here:
                    edges.add((min(here, other), max(here, other)))
    return sorted(edges)


def of_file(name):
    edges = []
    for line in (HERE / "Inputs" / name).read_text().splitlines():
        words = line.split("#")[0].split()
        if words:
            edges.append((int(words[0]), int(words[1]), *map(float, words[2:])))
    # Shown relative to the largest.
    most = max(edge[2] if len(edge) > 2 else 1.0 for edge in edges)
    return [(a, b, (weight[0] if weight else 1.0) / most) for a, b, *weight in edges]


def constants(edges):
    """The busier end of an edge says how often it is used, an averaging of each
    member per gradient."""
    n = max(max(edge[:2]) for edge in edges) + 1
    weights = np.zeros((n, n))
    for a, b, w in edges:
        weights[a, b] = weights[b, a] = w
    total = weights.sum(1)
    rates = weights / np.maximum(total[:, None], total[None, :])
    laplacian = np.diag(rates.sum(1)) - rates
    chi1 = 1 / np.linalg.eigvalsh(laplacian)[1]
    green = np.linalg.pinv(laplacian, hermitian=True)
    chi2 = max(green[a, a] + green[b, b] - 2 * green[a, b] for a, b, _ in edges) / 2
    return {
        "chi1": chi1,
        "chi2": chi2,
        "eta": 1 / (2 * np.sqrt(chi1 * chi2)),
        "alpha": np.sqrt(chi1 / chi2) / 2,
    }


def main():
    rows = []

    def add(arguments, edges):
        edges = sorted((*sorted(e[:2]), float(e[2]) if len(e) > 2 else 1.0) for e in edges)
        rows.append({"arguments": arguments, "edges": edges, **constants(edges)})

    def named(name, n):
        add(["--topology", name, "--members", str(n)], laid_out(name, n))

    def drawn(*arguments):
        command = [sys.argv[1], "explain", "a2cid2", *arguments, "--json"]
        text = subprocess.run(command, check=True, capture_output=True).stdout
        add(list(arguments), json.loads(text)["edges"])

    for name, n in {
        "ring": 12,
        "path": 10,
        "complete": 8,
        "star": 9,
        "exponential": 12,
        "exponential-simple": 16,
        "hypercube": 16,
        "two-clusters": 12,
    }.items():
        named(name, n)
    add(["--topology", "torus", "--members", "12"], torus(3, 4))
    add(["--topology", "torus", "--members", "64", "--topology-rows", "2"], torus(2, 32))
    drawn("--topology", "random-regular", "--members", "20", "--topology-degree", "3", "--topology-seed", "7")
    drawn("--topology", "erdos-renyi", "--members", "24", "--topology-degree", "6", "--topology-seed", "5")
    for file in ("plain.edges", "weighted.edges"):
        add(["--topology-file", file], of_file(file))
    lines = ",\n".join(json.dumps(row) for row in rows)
    (HERE / "graph-constants.json").write_text(f"[\n{lines}\n]\n")


main()
