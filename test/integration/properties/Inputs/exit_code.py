"""Runs a command and compares its exit code: exit_code.py CODE COMMAND..."""
import subprocess
import sys

code = subprocess.run(sys.argv[2:], timeout=60).returncode
if code != int(sys.argv[1]):
    sys.exit(f"exit code {code}, expected {sys.argv[1]}")
