"""Simulates few and many workers and looks at what each one more costs: its cells,
and the values that its strands hold at the same time.

    peak_memory.py TRAIN FEW MANY VALUES ARGUMENTS...

VALUES is how many vectors of the size of the parameters a worker may hold beside
its cells. Prints the output of the larger run.
"""

import json
import os
import subprocess
import sys

train, few, many, values = sys.argv[1], *map(int, sys.argv[2:5])
config = json.loads(subprocess.check_output([train, "--print-config"]))["compiled"]
cells = config["bytes"]["private"]
parameters = next(cell["bytes"] for cell in config["cells"] if cell["role"] == "parameter")


def peak(workers):
    command = [train, *sys.argv[5:], "--workers", str(workers)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    output = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)  # of this child alone
    if status:
        sys.exit(f"{workers} workers: exit status {status}")
    return output, usage.ru_maxrss * 1024


_, little = peak(few)
output, much = peak(many)
print(output)
each = (much - little) / (many - few)
mebi = 1 << 20
print(f"each worker costs {each / mebi:.1f} MiB: {cells / mebi:.1f} MiB of cells, "
      f"values of {parameters / mebi:.1f} MiB")
if 0.9 * cells < each < 1.1 * cells + values * parameters:
    print(f"as much as its cells and at most {values} values")
