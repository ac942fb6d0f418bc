"""Counts the tests in lit's xunit report: 'N passed, N failed'."""

import sys
import xml.etree.ElementTree as tree

passed, failed, skipped = 0, [], 0
for case in tree.parse(sys.argv[1]).iter("testcase"):
    if case.find("failure") is not None or case.find("error") is not None:
        failed.append(f"{case.get('classname')} :: {case.get('name')}")
    elif case.find("skipped") is not None:
        skipped += 1
    else:
        passed += 1
for name in failed:
    print(f"FAILED {name}")
if skipped:
    print(f"{skipped} skipped")
print(f"{passed} passed, {len(failed)} failed")
sys.exit(1 if failed or not passed else 0)
