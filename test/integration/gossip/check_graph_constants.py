"""Compares what `rubato explain` says of graphs with graph-constants.json.

    check_graph_constants.py
"""

import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
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
