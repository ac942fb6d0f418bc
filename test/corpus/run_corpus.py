"""Runs a corpus of make_corpus.py and says which cases misbehave.

    run_corpus.py RUBATO FOLDER [--trainer PATH] [--compile] [--only REGEX]
        [--jobs 2] [--timeout 20] [--address-space 4096] [--resident 512]

Model cases run `RUBATO check FILE`, with --compile `RUBATO compile FILE` as far
as the train stage; data cases run the trainer, compiled
with `--batch 4` from test/models/exported_new18.onnx (8 inputs, 5 classes), and
are counted as not run without one. A case fails when the program

  * ends by a signal, runs into the timeout or uses too much memory (limits in
    MiB; --address-space 0 lifts that one, as sanitizers need it);
  * ends with a code other than 0, 1 (error) or 3 (unsupported), for a trainer
    other than 0, 1, 2 (usage) or 5 (numeric failure);
  * succeeds where it must refuse, or the other way round;
  * refuses without a line that has "error:", or without the expected words;
  * prints what only a crash prints, or more than 64 KiB.

Needs Python alone.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import threading

CODES = {"check": (0, 1, 3), "train": (0, 1, 2, 5)}
CRASH = re.compile(
    r"Sanitizer|runtime error:|terminate called|Assertion .*failed|LLVM ERROR"
    r"|Stack dump|UNREACHABLE|libprotobuf|std::bad_alloc|stack smashing"
)
LONGEST = 64 * 1024


class Outcome:
    """How a process ended: code (negative for a signal), output, memory."""

    def __init__(self, code, output, resident, timed_out):
        self.code, self.output = code, output
        self.resident, self.timed_out = resident, timed_out


def run(command, folder, timeout, address_space):
    """Runs a command in its own process group under limits."""
    limit = f"ulimit -v {address_space * 1024}; " if address_space else ""
    shell = f'ulimit -c 0; {limit}exec "$@"'
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            ["sh", "-c", shell, "sh", *command],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        timed_out = threading.Event()

        def stop():
            timed_out.set()
            os.killpg(process.pid, signal.SIGKILL)

        timer = threading.Timer(timeout, stop)
        timer.start()
        # wait4 tells the peak memory of this process and its children.
        _, status, usage = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read(LONGEST + 1).decode("utf-8", "replace")
    return Outcome(
        process.returncode, text, usage.ru_maxrss // 1024, timed_out.is_set()
    )


def judge(case, outcome, resident):
    """Returns what is wrong with an outcome, or None."""
    if outcome.timed_out:
        return "did not end in time"
    if outcome.code < 0:
        return f"ended by signal {signal.Signals(-outcome.code).name}"
    if outcome.code not in CODES[case["run"]]:
        return f"ended with code {outcome.code}"
    if CRASH.search(outcome.output):
        return "printed the traces of a crash"
    if len(outcome.output) > LONGEST:
        return "printed too much"
    if resident and outcome.resident > resident:
        return f"used {outcome.resident} MiB"
    if outcome.code == 0:
        return "was accepted" if case["kind"] == "error" else None
    if case["kind"] == "ok":
        return "was refused"
    lines = [line for line in outcome.output.splitlines() if "error:" in line]
    if not lines:
        return "was refused without an 'error:' line"
    expected = case.get("contains")
    text = outcome.output
    if case["run"] == "check":  # a model's file is named after what is wrong
        text = text.replace(os.path.basename(case["file"]), "FILE")
    if expected and not re.search(expected, text, re.IGNORECASE):
        return f"was refused without the words /{expected}/"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("rubato")
    parser.add_argument("folder")
    parser.add_argument("--trainer")
    parser.add_argument("--compile", action="store_true", help="instead of check")
    parser.add_argument("--only", default="", help="cases whose file matches")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--timeout", type=float, default=20)
    parser.add_argument("--address-space", type=int, default=4096, metavar="MIB")
    parser.add_argument("--resident", type=int, default=512, metavar="MIB")
    parser.add_argument("--verbose", action="store_true", help="print every outcome")
    arguments = parser.parse_args()
    rubato = os.path.abspath(arguments.rubato)
    trainer = arguments.trainer and os.path.abspath(arguments.trainer)
    with open(os.path.join(arguments.folder, "list.json")) as stream:
        cases = json.load(stream)
    cases = [case for case in cases if re.search(arguments.only, case["file"])]
    chosen = [case for case in cases if case["run"] == "check" or trainer]

    def execute(case):
        if case["run"] == "check" and arguments.compile:
            stop = ["--loss", "mse", "--emit", "train", "-o", os.devnull]
            command = [rubato, "compile", *case["arguments"], *stop]
        elif case["run"] == "check":
            command = [rubato, "check", *case["arguments"]]
        else:
            command = [trainer, *case["arguments"], "--epochs", "1", "--workers", "1"]
        outcome = run(
            command, arguments.folder, arguments.timeout, arguments.address_space
        )
        return case, command, outcome, judge(case, outcome, arguments.resident)

    counts, failed = collections.Counter(), 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for case, command, outcome, problem in pool.map(execute, chosen):
            counts["refused" if outcome.code else "accepted"] += 1
            failed += problem is not None
            if problem or arguments.verbose:
                print(
                    f"{'FAIL' if problem else 'pass'} {case['file']}: {problem or ''}"
                )
                print(f"     {shlex.join(command)}")
                for line in outcome.output[:2000].splitlines()[:12]:
                    print(f"     | {line}")
    skipped = len(cases) - len(chosen)
    print(
        f"corpus: {len(chosen) - failed} passed, {failed} failed"
        f" ({counts['accepted']} accepted, {counts['refused']} refused,"
        f" {skipped} not run)"
    )
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
