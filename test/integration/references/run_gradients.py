"""Compares compiled gradients of one batch with PyTorch's, for all models.

    run_gradients.py RUBATO FOLDER

In f32, by fast and by reference kernels, our error against PyTorch's float64
may be 4 times that of PyTorch's float32 (check_gradients.py). In f64 nothing
but the order of sums differs, so 1e-12 of the largest element is plenty.
"""

import os
import sys

import numpy as np
import tools

sys.path.append(tools.REFERENCES)
from tensorfiles import read_safetensors

LOSSES = {
    "relu": "softmax-cross-entropy",
    "smooth": "softmax-cross-entropy",
    "regression": "mse",
}
VARIANTS = {
    "fast": ["--kernels=fast"],
    "reference": ["--kernels=reference"],
    "f64": ["--kernels=reference", "--float=f64"],
}


def check_f64(name, gradients):
    """Compares with the float64 reference and nothing else."""
    wanted = np.load(os.path.join(tools.REFERENCES, f"{name}-gradients.npz"))
    worst = 0.0
    for key, ours in gradients.items():
        exact = wanted[f"f64/{key}"]
        if ours.dtype != np.float64 or ours.shape != exact.shape:
            sys.exit(f"error: {name}: '{key}' is {ours.dtype}{ours.shape}")
        worst = max(worst, np.abs(ours - exact).max() / np.abs(exact).max())
    if len(gradients) != sum(k.startswith("f64/") for k in wanted.files) - 1:
        sys.exit(f"error: {name}: tensors are missing")
    if not worst <= 1e-12:
        sys.exit(f"error: {name}: the f64 gradients are off by {worst:.1e}")
    print(f"{name} f64: {len(gradients)} tensors agree, worst {worst:.1e}")


def main():
    rubato, folder = sys.argv[1:]
    for name, loss in LOSSES.items():
        model = os.path.join(tools.REFERENCES, f"{name}.onnx")
        for variant, options in VARIANTS.items():
            program = os.path.join(folder, f"{name}-{variant}")
            dump = program + ".safetensors"
            options = ["--loss", loss, "--batch", "16", *options]
            tools.run([rubato, "compile", model, *options, "-o", program])
            tools.run([program, *tools.data_of(loss), "--dump-gradients", dump])
            if variant == "f64":
                check_f64(name, read_safetensors(dump))
                continue
            exact = os.path.join(tools.REFERENCES, f"{name}-gradients.npz")
            print(name, variant)
            print(tools.reference("check_gradients.py", exact, dump), end="")


if __name__ == "__main__":
    main()
