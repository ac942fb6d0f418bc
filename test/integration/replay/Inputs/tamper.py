"""Copies a file and changes its last byte but ten. Usage: tamper.py FROM TO"""

import sys

with open(sys.argv[1], "rb") as file:
    content = bytearray(file.read())
content[-10] ^= 1
with open(sys.argv[2], "wb") as file:
    file.write(content)
