"""Runs a simulation and compares its peak memory with what its members keep.

    peak_memory.py TRAIN MEMBERS ARGUMENTS...
"""

import json
import resource
import subprocess
import sys

train, members = sys.argv[1], int(sys.argv[2])
config = json.loads(subprocess.check_output([train, "--print-config"]))["compiled"]
kept = members * sum(config["bytes"].values())
parameters = next(cell["bytes"] for cell in config["cells"] if cell["role"] == "parameter")
print(subprocess.check_output([train, *sys.argv[3:]], text=True))
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
print(f"peak {peak >> 20} MiB; {members} members keep {kept >> 20} MiB")
# Besides: one vector of each on its way in the last average, the executable,
# the data, stacks of fibers.
if 0.3 * kept < peak < 1.1 * kept + members * parameters + (256 << 20):
    print(f"as much as {members} members keep")
