"""Asks trainers to stop at random moments.

    program_stops.py RUBATO FOLDER STOPS NAME...

Workers are computing, waiting or on their way then, and some are asked before
others. All must end by themselves with the code of the signal, and leave nothing
behind. A replay of the last run ends with the recorded model: nothing that came
after the end has changed it.
"""

import os
import pathlib
import random
import signal
import subprocess
import sys
import time

from program_endings import PATIENCE, REFERENCES, Trainer, children


def stop_once(trainer, folder, chance):
    record = folder / f"{trainer.name}.run"
    process = trainer.start("--epochs", "10000000", "--record", str(record))
    limit = time.monotonic() + PATIENCE
    while len(children(process.pid)) < 4:  # until the members are there
        if time.monotonic() > limit or process.poll() is not None:
            trainer.fail("its members do not start", process)
        time.sleep(0.002)
    time.sleep(chance.random() * 0.25)
    members = children(process.pid)
    os.kill(process.pid, signal.SIGTERM)
    try:
        _, errors = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        trainer.fail("does not end after a request to stop", process)
    if process.returncode != 128 + signal.SIGTERM:
        sys.exit(f"{trainer.name}: code {process.returncode}: {errors}")
    trainer.check_rest(members)
    return record


def replay(trainer, record):
    done = subprocess.run(
        [trainer.path, "replay", record, "--quiet"]
        + ["--input", f"x={REFERENCES}/inputs.npy"]
        + ["--label", f"y={REFERENCES}/labels.npy"],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    if done.returncode:
        sys.exit(f"{trainer.name}: replay: {done.stdout}{done.stderr}")


def main():
    rubato, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    chance = random.Random(11)
    for name in sys.argv[4:]:
        trainer = Trainer(rubato, folder, name)
        for _ in range(int(sys.argv[3])):
            record = stop_once(trainer, folder, chance)
        replay(trainer, record)  # of the last one
        print(f"{name}: {sys.argv[3]} requests to stop ended well")


if __name__ == "__main__":
    main()
