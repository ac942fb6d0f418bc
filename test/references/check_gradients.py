"""Compares our gradients of one batch with PyTorch's in float64.

    check_gradients.py REFERENCE.npz OURS.safetensors [--factor 4]

OURS holds, under the parameters' names, the gradient of the SUM of the losses
of the first 16 samples. Per tensor and in the max-norm, our error against the
float64 reference may be at most `factor` times the error of PyTorch's own
float32 gradient. Where that error is below one rounding of the tensor's largest
element (2^-24 of it), which is luck, the rounding is the yardstick instead.
Exit code 1 when a tensor is missing, misshapen or too far off.
"""

import argparse
import sys

import numpy as np
from tensorfiles import read_safetensors


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("reference")
    parser.add_argument("ours")
    parser.add_argument("--factor", type=float, default=4.0)
    arguments = parser.parse_args()

    reference = np.load(arguments.reference)
    ours = read_safetensors(arguments.ours)
    names = [key[4:] for key in reference.files if key.startswith("f64/")]
    names.remove("loss")
    print(f"{'tensor':24} {'max |g|':>10} {'ours':>10} {'PyTorch':>10} {'ratio':>7}")
    failures = [f"unexpected tensor '{name}'" for name in ours if name not in names]
    for name in names:
        exact = reference[f"f64/{name}"]
        if name not in ours:
            failures.append(f"tensor '{name}' is missing")
            continue
        if ours[name].shape != exact.shape:
            failures.append(
                f"tensor '{name}' has shape {ours[name].shape}, not {exact.shape}"
            )
            continue
        size = np.abs(exact).max()
        error = np.abs(ours[name].astype(np.float64) - exact).max()
        theirs = np.abs(reference[f"f32/{name}"].astype(np.float64) - exact).max()
        yardstick = max(theirs, size * 2.0**-24)
        ratio = error / yardstick
        print(f"{name:24} {size:10.3e} {error:10.3e} {theirs:10.3e} {ratio:7.2f}")
        if not ratio <= arguments.factor:  # also true for NaN
            failures.append(f"tensor '{name}' is {ratio:.2f} times as far off")
    for failure in failures:
        print(f"error: {failure}")
    print("gradients: " + ("FAILED" if failures else f"{len(names)} tensors agree"))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
