"""Runs a command, kills one of its processes after a while and expects code 4.

Usage: kill_member.py COMMAND...
"""

import os
import signal
import subprocess
import sys
import time


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return list(map(int, file.read().split()))


run = subprocess.Popen(sys.argv[1:], stderr=subprocess.PIPE, text=True)
while not children(run.pid) and run.poll() is None:
    time.sleep(0.01)
time.sleep(0.5)
os.kill(children(run.pid)[-1], signal.SIGKILL)
complaint = run.communicate(timeout=60)[1]
if run.returncode != 4:
    sys.exit(f"code {run.returncode} instead of 4\n{complaint}")
