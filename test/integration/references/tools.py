"""What the drivers of this folder share: running a command, or saying why not."""

import os
import shlex
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(os.path.dirname(HERE))
REFERENCES = os.path.join(TESTS, "references")
MODELS = os.path.join(TESTS, "models")


def attempt(command, **options):
    """Runs a command and returns how it ended, with its output as text."""
    return subprocess.run(
        list(map(str, command)), capture_output=True, text=True, **options
    )


def run(command):
    """Runs a command that must succeed; returns what it printed."""
    done = attempt(command)
    if done.returncode != 0:
        print(f"error: code {done.returncode} from: {shlex.join(map(str, command))}")
        print(done.stdout + done.stderr)
        sys.exit(1)
    return done.stdout


def reference(script, *arguments):
    """Runs a check script of test/references."""
    return run([sys.executable, os.path.join(REFERENCES, script), *arguments])


def data_of(loss):
    """Options that give a trainer the reference samples."""
    wanted = "targets.npy" if loss == "mse" else "labels.npy"
    return [
        *("--input", "x=" + os.path.join(REFERENCES, "inputs.npy")),
        *("--label", "y=" + os.path.join(REFERENCES, wanted)),
    ]
