#!/usr/bin/env python3
"""Fills the generated parts of docs/algorithms/*.md.

    docs/algorithm_pages.py            rewrites the pages
    docs/algorithm_pages.py --check    says which pages are not up to date

A page NAME.md belongs to `--algorithm NAME`. What stands between
`<!-- begin generated: X -->` and `<!-- end generated: X -->` is made here: X is
`options` (from `rubato explain`), `program` or `overlap` (from `rubato compile`).
The tools
are taken from RUBATO_BIN, build/bin if it is not set.
"""

import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs" / "algorithms"
BIN = pathlib.Path(os.environ.get("RUBATO_BIN", ROOT / "build" / "bin"))
MODEL = ROOT / "test" / "references" / "regression.onnx"


def run(tool, *arguments, text=None):
    return subprocess.run(
        [str(BIN / tool), *map(str, arguments)],
        input=text, capture_output=True, text=True, check=True,
    ).stdout


def options(name):
    described = json.loads(run("rubato", "explain", name, "--json"))
    if not described["options"]:
        return "It has no options."
    rows = ["| option | default | allowed | meaning |", "|---|---|---|---|"]
    for option in described["options"]:
        allowed = option["allowed"].replace("|", ", ")
        rows.append(
            f"| `{option['name']}` | `{option['default']}` | {allowed} | {option['help']} |"
        )
    return "\n".join(rows)


def shortened(text):
    """The same program with names for its longest types, which MLIR allows."""
    aliases = []
    flat = re.search(r"gsync\.cell @w : (tensor<\d+xf32>)", text)
    if flat:
        aliases.append(("!P", flat.group(1)))
        text = text.replace(flat.group(1), "!P")
    futures = []
    for match in re.finditer(r"!gsync\.future<[^<>]*(?:<[^<>]*>[^<>]*)*>", text):
        if match.group(0) not in futures:
            futures.append(match.group(0))
    for i, future in enumerate(futures):
        alias = "!F" if len(futures) == 1 else f"!F{i}"
        aliases.append((alias, future))
        inner = future[len("!gsync.future"):]
        text = text.replace(future, alias)
        text = re.sub(r"(: )" + re.escape(inner), r"\1" + alias, text)
    heads = [f"{alias} = {type_}" for alias, type_ in aliases]
    return "\n".join(heads) + "\n\n" + text


def program(name):
    common = [MODEL, "--loss", "mse", "--lr", "0.1", "--batch", "8"]
    trained = run("rubato", "compile", *common, "--emit", "train")
    chosen = run("rubato-opt", f"--choose-algorithm=algorithm={name} lr=0.1",
                 text=trained)
    train = next(line.strip() for line in chosen.splitlines()
                 if line.lstrip().startswith("gsync.train"))
    synced = run("rubato", "compile", *common, "--algorithm", name,
                 "--emit", "sync")
    plain = run("rubato-opt", text=synced).splitlines()
    start = next(i for i, line in enumerate(plain)
                 if line.lstrip().startswith("gsync.group"))
    helpers = []
    for i, line in enumerate(plain[:start]):
        # Helper functions of the algorithm's own; the training functions are
        # the model's.
        if line.startswith("  func.func private"):
            end = next(j for j in range(i, start) if plain[j] == "  }")
            helpers += plain[i:end + 1]
    body = helpers + plain[start:-1]
    text = shortened("\n".join(line[2:] for line in body))
    return (f"Before:\n\n```mlir\n{train}\n```\n\nAfter, for a small "
            f"model and `--batch 8`:\n\n```mlir\n{text}\n```")


def overlap(name):
    """What `--explain` says of its reductions, for the demo's model."""
    demo = ROOT / "examples" / "fashion-mlp" / "fashion-mlp.onnx"
    explained = subprocess.run(
        [str(BIN / "rubato"), "compile", str(demo), "--algorithm", name]
        + ["--loss", "softmax-cross-entropy", "--batch", "64"]
        + ["--explain", "--emit", "schedule", "-o", os.devnull],
        capture_output=True, text=True, check=True,
    ).stderr
    lines = explained.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("reductions:"))
    end = next(i for i, line in enumerate(lines) if line.startswith("arena:"))
    if end - start == 1:
        return "It reduces nothing: pushes and grants leave whole, when they are made."
    text = "\n".join(lines[start + 1:end])
    return f"Of the demo's model, `rubato compile --explain` says:\n\n```\n{text}\n```"


def filled(page):
    text = page.read_text()
    for kind, make in (("options", options), ("program", program), ("overlap", overlap)):
        begin, end = (f"<!-- {word} generated: {kind} -->" for word in ("begin", "end"))
        if begin not in text or end not in text:
            sys.exit(f"{page.name}: has no place for the generated part '{kind}'")
        head, rest = text.split(begin, 1)
        _, tail = rest.split(end, 1)
        text = f"{head}{begin}\n{make(page.stem)}\n{end}{tail}"
    return text


def main():
    check = "--check" in sys.argv[1:]
    names = json.loads(run("rubato", "explain", "--json"))
    stale = [f"{name}.md is missing" for name in names
             if not (PAGES / f"{name}.md").exists()]
    for page in sorted(PAGES.glob("*.md")):
        if page.stem == "README":
            continue
        if page.stem not in names:
            stale.append(f"{page.name} belongs to no algorithm")
            continue
        text = filled(page)
        if text != page.read_text():
            if check:
                stale.append(f"{page.name} is not up to date")
            else:
                page.write_text(text)
    for line in stale:
        print(f"docs/algorithms: {line}; run docs/algorithm_pages.py")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
