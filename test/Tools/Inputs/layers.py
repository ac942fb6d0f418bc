"""Looks whether folders of the runtime include only those above them.

    layers.py RUNTIME

The order is that of the `foreach(layer …)` in RUNTIME/CMakeLists.txt.
"""

import pathlib
import re
import sys

INCLUDE = re.compile(r'#include "([a-z_]+)/[^"]+"')


def main():
    root = pathlib.Path(sys.argv[1])
    text = (root / "CMakeLists.txt").read_text()
    listed = re.search(r"foreach\(layer\n(.*?)\)", text, re.S)[1]
    order = re.sub(r"#.*", "", listed).split()
    found = {path.name for path in root.iterdir() if path.is_dir()}
    wrong = [f"{name} is in no layer" for name in sorted(found - set(order))]
    wrong += [f"there is no folder {name}" for name in order if name not in found]
    count = 0
    for path in sorted(root.rglob("*")):
        if path.suffix not in (".h", ".cpp", ".def"):
            continue
        layer = path.relative_to(root).parts[0]
        for name in INCLUDE.findall(path.read_text()):
            count += 1
            if order.index(name) > order.index(layer):
                wrong.append(f"{path.relative_to(root)} includes {name}, a layer above")
            # The simulator stands beside the core, which never refers to it.
            beside = ("sim", "report", "simulate")
            if name in beside and layer not in (*beside, "train"):
                wrong.append(f"{path.relative_to(root)} includes {name}")
    for line in wrong:
        print(f"error: {line}")
    print(f"{count} includes of {len(order)} layers")
    return 1 if wrong or not count else 0


sys.exit(main())
