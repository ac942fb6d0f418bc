"""Runs trainers of several algorithms again and again, and kills members.

    program_endings.py RUBATO FOLDER RUNS KILLS NAME...

For each algorithm: RUNS short runs that must end well, then KILLS endless runs
of which one member, worker or server, is killed at a random moment: the others
must end by themselves, none by force, with code 4, and name the rank and who
waited for it. Nothing may be left behind: no process, no file in the folder for
temporary files.
"""

import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[4]
REFERENCES = ROOT / "test" / "references"
PATIENCE = 60  # seconds for a whole run; far more than any takes
LIMIT = 3  # seconds from a death to the end of the others
ERROR = re.compile(
    r"error: worker of rank (\d) was killed by signal 9 \(Killed\); "
    r"(.*); the others were ended; if nobody"
)
WAITED = re.compile(r"ranks? [\d, ]+ waited for it in \w+( on @\w+)? \((round \d+|before)")


def children(pid):
    try:
        text = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return []
    return [int(each) for each in text.split()]


def is_gone(pid):
    """A zombie is gone too: whoever inherits it may be slow to ask."""
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return True
    return state.rpartition(")")[2].split()[0] in "ZX"


class Trainer:
    def __init__(self, rubato, folder, name):
        self.name, self.path = name, folder / name
        self.named = 0  # deaths of whom somebody waited for
        self.temporary = folder / f"{name}-temporary"
        self.temporary.mkdir()
        self.environment = dict(
            os.environ, TMPDIR=str(self.temporary), XDG_RUNTIME_DIR=str(self.temporary)
        )
        subprocess.run(
            [rubato, "compile", REFERENCES / "relu.onnx", "--batch", "8"]
            + ["--loss", "softmax-cross-entropy", "--optimizer", "sgd"]
            + ["--lr", "0.01", "--algorithm", name, "-o", self.path],
            check=True,
        )

    def start(self, *options):
        return subprocess.Popen(
            [self.path, "--workers", "4", "--quiet"]
            + ["--input", f"x={REFERENCES}/inputs.npy"]
            + ["--label", f"y={REFERENCES}/labels.npy", *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.environment,
            start_new_session=True,
        )

    def fail(self, what, process):
        os.killpg(process.pid, signal.SIGKILL)
        sys.exit(f"{self.name}: {what}")

    def check_rest(self, members):
        left = [pid for pid in members if not is_gone(pid)]
        files = list(self.temporary.rglob("*"))
        if left or files:
            sys.exit(f"{self.name}: left behind: processes {left}, files {files}")

    def run_to_end(self):
        process = self.start("--epochs", "2")
        try:
            _, errors = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.fail("a short run does not end", process)
        if process.returncode:
            sys.exit(f"{self.name}: code {process.returncode}: {errors}")
        self.check_rest([])

    def kill_one(self, chance):
        process = self.start("--epochs", "10000000")
        limit = time.monotonic() + PATIENCE
        while len(children(process.pid)) < 4:  # until the members are there
            if time.monotonic() > limit or process.poll() is not None:
                self.fail("its members do not start", process)
            time.sleep(0.002)
        time.sleep(chance.random() * 0.3)
        members = children(process.pid)
        victim = chance.choice(members)
        os.kill(victim, signal.SIGKILL)
        death = time.monotonic()
        try:
            _, errors = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.fail("the others do not end after a death", process)
        took = time.monotonic() - death
        # Whom the launcher has to end by force is in the message, too.
        told = ERROR.search(errors)
        if process.returncode != 4 or not told:
            sys.exit(f"{self.name}: code {process.returncode}: {errors}")
        if int(told[1]) != members.index(victim):
            sys.exit(f"{self.name}: rank {members.index(victim)} was killed: {errors}")
        self.named += WAITED.search(told[2]) is not None
        self.check_rest(members)
        return took


def main():
    rubato, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    runs, kills = int(sys.argv[3]), int(sys.argv[4])
    chance = random.Random(7)
    slowest, named = 0.0, 0
    for name in sys.argv[5:]:
        trainer = Trainer(rubato, folder, name)
        for _ in range(runs):
            trainer.run_to_end()
        for _ in range(kills):
            slowest = max(slowest, trainer.kill_one(chance))
        named += trainer.named
        print(f"{name}: {runs} runs ended well, {kills} deaths ended with code 4")
    print(f"somebody waited for {named} of {kills * len(sys.argv[5:])} who died")
    # A loaded machine may take its time; what matters is printed, not asserted.
    print(f"slowest end after a death: {slowest:.2f} s of {LIMIT} s")


if __name__ == "__main__":
    main()
