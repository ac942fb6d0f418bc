"""Shows that upstream passes do not change communication.

usage: upstream_passes.py RUBATO-OPT PROGRAM
       upstream_passes.py RUBATO-OPT TRAINING --algorithms [NAME…]

Prints the operations of a program on channels, cells and data in their order
(`gsync-print-communication`), runs a pass, prints again and compares; the
contract of the sync stage must hold before and after. The second form does so
for the program of every named algorithm, or of every one that the build has.
"""

import difflib
import subprocess
import sys

PASSES = [
    "canonicalize",
    "cse",
    "symbol-dce",
    "inline",
    "loop-invariant-code-motion",
    "sccp",
    "remove-dead-values",
    "control-flow-sink",
]


def run(opt, file, passes):
    command = [opt, file, "-o", "/dev/null", *passes]
    return subprocess.run(command, capture_output=True, text=True)


def communication(opt, file, passes):
    result = run(opt, file, [*passes, "--verify-sync", "--gsync-print-communication"])
    if result.returncode:
        sys.exit(f"{' '.join(passes)} on {file}:\n{result.stderr}")
    return result.stdout.splitlines()


def check(opt, file, name, make):
    before = communication(opt, file, make)
    assert any("gsync.strand" in line for line in before), before
    each = [f"--{name}" for name in PASSES]
    for passes in [*([one] for one in each), each + each]:
        after = communication(opt, file, [*make, *passes])
        difference = list(difflib.unified_diff(before, after, lineterm="", n=2))
        if difference:
            sys.exit("\n".join([f"{name}: changed by {' '.join(passes)}", *difference]))
    print(f"{name}: {len(before)} lines, unchanged by {len(PASSES)} passes")


def every_algorithm(opt, file):
    """The names, from the message about one that does not exist."""
    message = run(opt, file, ["--choose-algorithm=algorithm=?"]).stderr
    return message.split("this build has: ")[1].split("\n")[0].split(", ")


def main(opt, file, *rest):
    if not rest:
        return check(opt, file, "program", [])
    for name in rest[1:] or every_algorithm(opt, file):
        make = [f"--choose-algorithm=algorithm={name}", "--expand-algorithm"]
        check(opt, file, name, make)


main(*sys.argv[1:])
