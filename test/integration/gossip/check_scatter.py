"""First values of members that start apart.

    check_scatter.py ALLREDUCE-LOG GOSSIP-LOG DEVIATION

Nothing is learned in either run, so parameters of the first never change: they are
independent normal numbers. In the second x~ = x holds for ever if it does so at the
start, and no momentum was displaced.
"""

import json
import sys

import numpy as np

allreduce, gossip = ([json.loads(line) for line in open(p)] for p in sys.argv[1:3])
first = {e["rank"]: e["cells"]["w"] for e in allreduce if e["op"] == "next"}
assert len(first) == 16
z = np.array(list(first.values())) / float(sys.argv[3])
count = z.size
print("mean", z.mean(), "variance", z.var(), "fourth moment", (z**4).mean())
assert abs(z.mean()) < 3 / np.sqrt(count)
assert abs(z.var() - 1) < 3 * np.sqrt(2 / count)
assert abs((z**4).mean() - 3) < 3 * np.sqrt(96 / count)
# Independent between members and between coordinates.
for across in (z, z.T):
    correlation = np.corrcoef(across)
    pairs = correlation[np.triu_indices(len(across), 1)]
    assert abs((pairs**2).mean() * across.shape[1] - 1) < 0.3, pairs

rounds = [e for e in gossip if e["op"] == "next" and e["round"] == e["strand"] == 0]
assert len(rounds) == 16
for event in rounds:
    cells = event["cells"]
    assert cells["w"] == cells["xt"]
    assert np.var(cells["w"]) > 0.5
    # One gradient, (w + x) / 32, and not the deviation.
    assert np.abs(cells["state0"]).max() < 0.5
