"""Looks for names of algorithms where nobody may know them."""

import json
import pathlib
import re
import subprocess
import sys

root, rubato = pathlib.Path(sys.argv[1]), sys.argv[2]
names = json.loads(subprocess.run([rubato, "explain", "--json"], check=True,
                                  capture_output=True, text=True).stdout)
spellings = {name for name in names} | {name.replace("-", "_") for name in names}
spellings |= {"".join(part.capitalize() for part in name.split("-")) for name in names}
pattern = re.compile(r"(?<![\w-])(" + "|".join(map(re.escape, sorted(spellings))) + r")(?![\w-])")
found = 0
for top in ("dialects", "include", "lib", "tools", "runtime"):
    for path in sorted((root / top).rglob("*")):
        where = path.relative_to(root)
        own = (where.parts[:2] == ("lib", "Sync") and len(where.parts) > 3) or \
            where.parts[:2] == ("runtime", "policy") or \
            str(where).startswith("tools/rubato/Reproduce")  # what papers compare
        if own or path.suffix not in (".td", ".h", ".cpp", ".txt"):
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if pattern.search(line):
                print(f"{where}:{number}: names an algorithm: {line.strip()}")
                found += 1
sys.exit(1 if found else 0)
