"""Ends a run of several workers in every way and looks at what is left.

    endings.py TRAIN FOLDER       (x.npy and y.npy are in FOLDER)
"""
import os
import pathlib
import resource
import signal
import subprocess
import sys
import time

import onnx

TRAIN, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
PATIENCE = 20  # seconds; far more than any ending takes


def wait_until(what, condition):
    limit = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > limit:
            raise AssertionError(f"waited {PATIENCE} s for {what}")
        time.sleep(0.01)


def is_gone(pid):
    """A zombie is gone too: whoever inherits it may be slow to ask."""
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return True
    return state.rpartition(")")[2].split()[0] in "ZX"


class Run:
    """A run that would last for hours, in the middle of its training."""

    def __init__(self, name, workers, *options):
        self.model = FOLDER / f"{name}.onnx"
        self.model.write_text("the old file")
        self.output = FOLDER / f"{name}.log"
        command = [TRAIN, "--input", "x.npy", "--label", "y.npy"]
        command += ["--workers", str(workers), "--epochs", "10000000"]
        command += ["--save", self.model.name, *options]
        with open(self.output, "w", encoding="utf-8") as output:
            self.process = subprocess.Popen(
                command,
                cwd=FOLDER,
                stdout=output,
                stderr=subprocess.PIPE,
                text=True,
                start_new_session=True,
            )
        try:
            wait_until("an epoch", lambda: "epoch 1/" in self.output.read_text())
        except AssertionError:
            os.killpg(self.process.pid, signal.SIGKILL)
            raise
        pid = self.process.pid
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text()
        self.children = [int(child) for child in children.split()]  # by rank
        assert len(self.children) == (workers if workers > 1 else 0)
        for each in [pid, *self.children]:
            maps = pathlib.Path(f"/proc/{each}/maps").read_text()
            assert "/dev/shm" not in maps, "shared memory has a name"

    def ends(self, code, message):
        """The exit code, one line of error, no process, no stray file."""
        try:
            _, errors = self.process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            raise AssertionError("the run does not end") from None
        print(f"{self.model.stem}: {self.process.returncode}: {errors.strip()}")
        assert self.process.returncode == code, f"expected exit code {code}"
        assert message in errors, f"expected '{message}'"
        assert len(errors.splitlines()) == (1 if message else 0)
        for child in self.children:
            wait_until(f"worker {child} to end", lambda: is_gone(child))
        assert not list(FOLDER.glob("*.tmp-*")), "a temporary file is left"
        assert not [n for n in os.listdir("/dev/shm") if "rubato" in n]

    def has_old_file(self):
        assert self.model.read_text() == "the old file"

    def has_model(self):
        onnx.checker.check_model(onnx.load(self.model), full_check=True)


run = Run("killed-worker", 3)
os.kill(run.children[1], signal.SIGKILL)
run.ends(4, "error: worker of rank 1 was killed by signal 9 (Killed); ranks 0, 2 waited")
run.has_old_file()

run = Run("killed-leader", 2)
os.kill(run.children[0], signal.SIGKILL)
run.ends(4, "error: worker of rank 0 was killed by signal 9 (Killed); rank 1 waited")
run.has_old_file()

# A worker that stops answering without dying: the deadline finds it.
run = Run("silent-worker", 2, "--deadline", "1")
os.kill(run.children[1], signal.SIGSTOP)
run.ends(4, "error: rank 0: ")
run.has_old_file()

run = Run("killed-launcher", 2)
os.kill(run.process.pid, signal.SIGKILL)
run.ends(-signal.SIGKILL, "")
run.has_old_file()

run = Run("interrupted", 2)
os.kill(run.process.pid, signal.SIGINT)
run.ends(130, "stopped by signal 2 (Interrupt) at the end of a round; the model")
run.has_model()

# A terminal sends it to every process of the group.
run = Run("interrupted-group", 3)
os.killpg(run.process.pid, signal.SIGINT)
run.ends(130, "stopped by signal 2 (Interrupt) at the end of a round; the model")
run.has_model()

run = Run("interrupted-alone", 1)
os.kill(run.process.pid, signal.SIGTERM)
run.ends(143, "stopped by signal 15 (Terminated) at the end of a round; the model")
run.has_model()

# No room for the model: as on a full disk, write() fails in mid-file.
run = Run("no-room", 2)
resource.prlimit(run.children[0], resource.RLIMIT_FSIZE, (100000, 100000))
os.kill(run.process.pid, signal.SIGINT)
run.ends(1, "cannot write 'no-room.onnx': File too large; free some space")
run.has_old_file()
