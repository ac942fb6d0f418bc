"""Looks whether the layers of the runtime keep to what they declare.

    layers.py LIST RUNTIME ARCHIVES

LIST has a line for each layer, in their order: its name, what it uses, its
sources (cmake/RubatoLayers.cmake). Files under RUNTIME include what their layer
uses, and no layer uses what it does not include. Objects in ARCHIVES refer to
symbols of their layer, of those it uses and of those they use in turn.
"""

import pathlib
import re
import subprocess
import sys

INCLUDE = re.compile(r'#include "([a-z_]+)/[^"]+"')
# The core never refers to these.
BESIDE = {"sim", "report", "simulate"}


class Layer:
    def __init__(self, line, earlier):
        self.name, uses, sources = (part.strip() for part in line.split(":"))
        self.uses = set(uses.split())
        self.sources = set(sources.split())
        self.reaches = self.uses.union(*(earlier[use].reaches for use in self.uses))


def read_layers(path):
    layers = {}
    for line in path.read_text().splitlines():
        layer = Layer(line, layers)
        layers[layer.name] = layer
    return layers


def check_includes(root, layers):
    """Complaints, and how many includes were seen."""
    wrong, count = [], 0
    owners = {path: layer for layer in layers.values() for path in layer.sources}
    included = {name: set() for name in layers}
    for path in sorted(root.rglob("*")):
        if path.suffix not in (".h", ".cpp", ".def"):
            continue
        file = str(path.relative_to(root))
        folder = file.split("/")[0]
        # A header is of its folder's layer; that may have several libraries.
        layer = owners.get(file, None if path.suffix == ".cpp" else layers.get(folder))
        if not layer:
            wrong.append(f"{file} is in no layer")
            continue
        for name in INCLUDE.findall(path.read_text()):
            count += 1
            included[layer.name].add(name)
            if name not in (layer.name, *layer.uses):
                wrong.append(f"{file} includes {name}, which {layer.name} does not use")
    for layer in layers.values():
        for name in sorted(layer.uses - included[layer.name]):
            wrong.append(f"{layer.name} uses {name} and includes nothing of it")
    return wrong, count


def symbols(archive):
    """What an archive defines, and what its objects leave undefined."""
    printed = subprocess.run(
        ["llvm-nm", "--print-file-name", "--format=posix", "--extern-only", archive],
        check=True, capture_output=True, text=True).stdout
    defined, undefined = set(), set()
    for line in printed.splitlines():
        member, name, kind = line.split()[:3]
        member = re.search(r"\[(.*)\]", member)[1]
        if kind in "Uwv":
            undefined.add((member, name))
        else:
            defined.add(name)
    return defined, undefined


def demangled(name):
    return subprocess.run(["llvm-cxxfilt", name], check=True,
                          capture_output=True, text=True).stdout.strip()


def check_symbols(folder, layers):
    """Complaints, and how many symbols were looked for in other layers."""
    wrong, count = [], 0
    found = {name: symbols(folder / f"librubato_{name}.a")
             for name, layer in layers.items() if layer.sources}
    owners = {}  # an inline function may be in many
    for name, (defined, _) in found.items():
        for symbol in defined:
            owners.setdefault(symbol, []).append(name)
    for name, (_, undefined) in found.items():
        for member, symbol in sorted(undefined):
            owning = owners.get(symbol, [name])
            count += name not in owning
            if not {name, *layers[name].reaches}.intersection(owning):
                wrong.append(f"{member} of {name} refers to {demangled(symbol)}, "
                             f"which only {' and '.join(owning)} defines")
    return wrong, count


def main():
    layers = read_layers(pathlib.Path(sys.argv[1]))
    wrong, includes = check_includes(pathlib.Path(sys.argv[2]), layers)
    more, references = check_symbols(pathlib.Path(sys.argv[3]), layers)
    wrong += more
    if "core_main" in layers:
        for name in sorted(BESIDE & layers["core_main"].reaches):
            wrong.append(f"the core refers to {name}, which stands beside it")
    for line in wrong:
        print(f"error: {line}")
    print(f"{includes} includes and {references} symbols between "
          f"{len(layers)} layers")
    return 1 if wrong or not includes or not references else 0


sys.exit(main())
