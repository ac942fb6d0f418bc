"""Makes the small models of this folder: what the importer must read.

exported_*.onnx are written by PyTorch's exporters, built_*.onnx by hand with
onnx.helper where an exporter is unwieldy, bad_*.onnx must be refused (see
README.md for what each is about). Needs torch, onnx and onnxscript:

    python test/models/make_models.py
"""

import os

from built import write_built
from exported import write_exported

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    for name in os.listdir(HERE):
        if name.endswith((".onnx", ".onnx.data")):
            os.remove(os.path.join(HERE, name))
    write_exported(HERE)
    write_built(HERE)
    for name in sorted(os.listdir(HERE)):
        if name.endswith((".onnx", ".onnx.data")):
            print(f"{os.path.getsize(os.path.join(HERE, name)):7} {name}")


if __name__ == "__main__":
    main()
