#!/usr/bin/env python3
"""Breaks the programs of all algorithms and sees that every break is found.

    test/mutations/run_mutations.py [--algorithm NAME] [--kind KIND] [-v]

For every algorithm, every kind of mutation (`rubato-opt --gsync-test-mutate`) is
applied at up to SITES places. A mutant must be rejected by a verifier of the
sync stage (an error, or a warning) or be found by the exhaustive interpreter on
two ranks. What neither finds must stand in equivalent.json, with the reason why
the mutated program is as good as the original. The last line is the count.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BIN = pathlib.Path(os.environ.get("RUBATO_BIN", ROOT / "build" / "bin"))
INPUT = ROOT / "test" / "Sync" / "Inputs" / "training.mlir"
SITES = 2  # places per kind and algorithm
STATES = 1000000  # of one exploration
# The rule that each kind of mutation breaks.
RULES = {
    "futures are consumed once": [
        "drop-await", "await-twice", "await-under-condition", "forget-carried",
        "start-twice"],
    "members do alike": [
        "collective-under-stop", "collective-under-poll", "collective-under-rank",
        "collective-in-repeat", "swap-on-rank", "local-go", "commit-under-rank"],
    "cells have their discipline": [
        "read-outside-atomic", "write-setting", "write-in-model"],
    "cells change after what may fail": ["change-before-fallible"],
    "nobody waits for ever": [
        "drop-grant", "drop-close", "drop-push", "drop-commit", "old-ticket",
        "grant-to-all", "pull-twice", "other-tag", "exchange-under-rank",
        "drop-meet", "drop-ask", "until-never", "never-stop"],
}
RULE_OF = {kind: rule for rule, kinds in RULES.items() for kind in kinds}
# Options that keep a round short: the protocol is the same.
SMALL = {
    "local-sgd": "steps=2",
    "adaptive-sgd": "mega-batch=4,max-batch=2,min-batch=2",
    "k-avg": "local-steps=2",
    **dict.fromkeys(["bounded-staleness", "k-sync", "k-async", "asgd", "adasync",
                     "sa-adasync"], "steps=1"),
}


def opt(*arguments):
    return subprocess.run([str(BIN / "rubato-opt"), *map(str, arguments)],
                          capture_output=True, text=True)


def kinds():
    answer = opt(INPUT, "--gsync-test-mutate=kind=?")
    return re.search(r"there are: (.*)", answer.stderr).group(1).split()


def explore(program):
    """What the exhaustive interpreter finds; None: nothing wrong."""
    answer = subprocess.run(
        [str(BIN / "rubato-interp"), str(program), "--ranks", "2",
         "--rounds", "2", "--exhaustive", "--max-states", str(STATES)],
        capture_output=True, text=True)
    if answer.returncode == 0:
        return None
    return (answer.stderr or answer.stdout).strip().splitlines()[0]


def judge(algorithm, kind, site, folder):
    """(how a mutant was found, message), or None if there is no such site."""
    mutant = folder / f"{algorithm}-{kind}-{site}.mlir"
    answer = opt(folder / f"{algorithm}.mlir",
                 f"--gsync-test-mutate=kind={kind} site={site}", "--verify-sync",
                 "-o", mutant)
    complaint = first_complaint(answer.stderr)
    if answer.returncode and f"mutation '{kind}' has" in complaint:
        return None
    if answer.returncode or complaint:
        return "pass" if "sync stage" in complaint else "operation", complaint
    found = explore(mutant)
    if found and "not finished" in found:
        return "survived", found
    return ("interpreter", found) if found else ("survived", "")


def first_complaint(text):
    for line in text.splitlines():
        match = re.search(r"(error|warning): (.*)", line)
        if match:
            return match.group(2)
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--algorithm", action="append")
    parser.add_argument("--kind", action="append")
    parser.add_argument("--sites", type=int, default=SITES)
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    listed = subprocess.run([str(BIN / "rubato"), "explain", "--json"],
                            capture_output=True, text=True, check=True).stdout
    algorithms = options.algorithm or json.loads(listed)
    equivalent = json.loads((HERE / "equivalent.json").read_text())
    counts, per_algorithm, per_rule = (collections.Counter() for _ in range(3))
    wrong = [f"{kind}: stands in RULES under no rule" for kind in kinds()
             if kind not in RULE_OF]
    unused = {key for key in equivalent if key.split("/")[0] in algorithms
              and (not options.kind or key.split("/")[1] in options.kind)}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for algorithm in algorithms:
            small = SMALL.get(algorithm)
            chosen = f"algorithm={algorithm}" + (f" options={small}" if small else "")
            made = opt(INPUT, f"--choose-algorithm={chosen}",
                       "--expand-algorithm", "--canonicalize", "--verify-sync",
                       "-o", folder / f"{algorithm}.mlir")
            if made.returncode or first_complaint(made.stderr):
                sys.exit(f"{algorithm}: the program itself is rejected: {made.stderr}")
        jobs = [(a, k, s) for a in algorithms for k in options.kind or kinds()
                for s in range(options.sites)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            answers = pool.map(lambda job: judge(*job, folder), jobs)
            for (algorithm, kind, site), answer in zip(jobs, answers):
                if answer is None:
                    continue
                how, message = answer
                key = f"{algorithm}/{kind}/{site}"
                if how == "survived" and key in equivalent:
                    how, message = "equivalent", equivalent[key]
                    unused.discard(key)
                counts[how] += 1
                if how not in ("survived", "equivalent"):
                    per_algorithm[algorithm] += 1
                    per_rule[RULE_OF.get(kind)] += 1
                if how == "survived":
                    wrong.append(f"{key}: nobody found it")
                if options.verbose or how == "survived":
                    print(f"{key}: {how}: {message}")
    wrong += [f"{key}: stands in equivalent.json but was found" for key in sorted(unused)]
    wrong += [f"{a}: only {per_algorithm[a]} mutants found" for a in algorithms
              if per_algorithm[a] < 2 and not options.kind]
    if not options.kind and not options.algorithm:
        wrong += [f"{rule}: only {per_rule[rule]} mutants found" for rule in RULES
                  if per_rule[rule] < 3]
    for line in wrong:
        print(f"error: {line}")
    for rule in RULES:
        print(f"{per_rule[rule]:4} found that break the rule: {rule}")
    found = counts["operation"] + counts["pass"] + counts["interpreter"]
    print(f"{sum(counts.values())} mutants of {len(algorithms)} algorithms: {found} found "
          f"({counts['operation']} by operations, {counts['pass']} by passes, "
          f"{counts['interpreter']} by the interpreter), {counts['equivalent']} equivalent, "
          f"{counts['survived']} survived")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
