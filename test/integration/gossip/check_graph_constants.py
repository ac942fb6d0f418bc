"""Compares what `rubato explain` says of graphs with graph-constants.json.

    check_graph_constants.py
"""

import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def faults_of(arguments, edges):
    """What a drawn graph must be, whoever drew it: the rows have our own draws."""
    given = dict(zip(arguments[::2], arguments[1::2]))
    members = int(given["--members"])
    ends = [tuple(edge[:2]) for edge in edges]
    degrees = [sum(i in edge for edge in ends) for i in range(members)]
    if len({frozenset(edge) for edge in ends}) != len(ends) or any(a == b for a, b in ends):
        yield "an edge twice, or from a member to itself"
    if given["--topology"] == "random-regular":
        if set(degrees) != {int(given.get("--topology-degree", 4))}:
            yield f"degrees {degrees}"
    reached, new = {0}, {0}
    while new:
        new = {j for a, b in ends for i, j in ((a, b), (b, a)) if i in new} - reached
        reached |= new
    if len(reached) != members:
        yield "parts"


rows = json.loads((HERE / "graph-constants.json").read_text())
wrong = 0
for row in rows:
    said = subprocess.run(
        ["rubato", "explain", "a2cid2", *row["arguments"], "--json"],
        check=True,
        capture_output=True,
        cwd=HERE / "Inputs",
    )
    got = json.loads(said.stdout)
    name = " ".join(row["arguments"])
    if got["edges"] != row["edges"] or not got["connected"]:
        wrong += 1
        print(f"FAILED: {name}: other edges")
    if any(drawn in row["arguments"] for drawn in ("random-regular", "erdos-renyi")):
        for fault in faults_of(row["arguments"], got["edges"]):
            wrong += 1
            print(f"FAILED: {name}: {fault}")
    for key in ("chi1", "chi2", "eta", "alpha"):
        error = abs(got[key] / row[key] - 1)
        if not error <= 1e-10:
            wrong += 1
            print(f"FAILED: {name}: {key} {got[key]!r}, numpy {row[key]!r}")
    gain = (row["chi1"] / row["chi2"]) ** 0.5
    if not abs(got["gain"] / gain - 1) <= 1e-10:
        wrong += 1
        print(f"FAILED: {name}: gain {got['gain']!r}, numpy {gain!r}")
    print(f"{name}: eta {got['eta']:.6f}, alpha {got['alpha']:.6f}")
print(f"{len(rows)} graphs, {wrong} failures")
sys.exit(bool(wrong))
