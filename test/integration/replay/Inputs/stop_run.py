"""Runs a command, asks it to stop after a while and expects that it did.

Usage: stop_run.py COMMAND...
"""

import signal
import subprocess
import sys
import time

run = subprocess.Popen(sys.argv[1:], stderr=subprocess.PIPE, text=True)
time.sleep(1)
run.send_signal(signal.SIGINT)
complaint = run.communicate(timeout=60)[1]
if run.returncode != 128 + signal.SIGINT:
    sys.exit(f"code {run.returncode} instead of {128 + signal.SIGINT}\n{complaint}")
