"""Writes x.npy and y.npy: random samples, the same on every machine.

    make_data.py FOLDER SAMPLES FEATURES CLASSES
"""
import pathlib
import sys

import numpy

folder = pathlib.Path(sys.argv[1])
samples, features, classes = map(int, sys.argv[2:])
generator = numpy.random.Generator(numpy.random.PCG64(1))
x = generator.standard_normal((samples, features), dtype=numpy.float32)
numpy.save(folder / "x.npy", x)
numpy.save(folder / "y.npy", generator.integers(0, classes, samples))
