"""Says which pairs average in an event log of rubato-interp after the first death.

    check_parts.py LOG.jsonl
"""

import json
import sys

dead, pairs = None, set()
with open(sys.argv[1]) as log:
    for line in log:
        event = json.loads(line)
        if event["op"] == "die":
            dead, pairs = event["rank"], set()
        elif event["op"] == "exchange":
            pairs.add(tuple(sorted((event["rank"], event["peer"]))))
# An exchange may still be under way with it.
left = sorted(pair for pair in pairs if dead not in pair)
print("afterwards: " + ", ".join(f"{a}-{b}" for a, b in left))
