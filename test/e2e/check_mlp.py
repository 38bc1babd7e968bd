#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
#
# check_mlp.py FOLDER: compares FOLDER/y.npy, what examples/mlp.mlir computed,
# with an f32 computation from the same FOLDER/mlp.weights and FOLDER/x.npy.

import os
import sys

import numpy as np

import compare

HIDDEN, INNER = 4096, 12800
# Relative L2 of each row. The device rounds the intermediate and the result to
# f16 (about 3e-4 of the norm each); nothing here does.
GATE = 3e-3


def erf(x):
    """Abramowitz and Stegun 7.1.26: within 1.5e-7, below f32's own noise here."""
    t = 1 / (1 + np.float32(0.3275911) * np.abs(x))
    poly = np.float32(1.061405429)
    for coefficient in [-1.453152027, 1.421413741, -0.284496736, 0.254829592]:
        poly = poly * t + np.float32(coefficient)
    return np.sign(x) * (1 - poly * t * np.exp(-x * x))


def main():
    folder = sys.argv[1]
    count = HIDDEN * INNER
    weights = np.memmap(os.path.join(folder, "mlp.weights"), np.float16, "r", shape=(2 * count,))
    w1 = weights[:count].reshape(HIDDEN, INNER).astype(np.float32)
    x = np.load(os.path.join(folder, "x.npy")).astype(np.float32)
    h = x @ w1
    del w1
    g = h * np.float32(0.5) * (1 + erf(h * np.float32(np.sqrt(0.5))))
    w2 = weights[count:].reshape(INNER, HIDDEN).astype(np.float32)
    compare.check("mlp", np.load(os.path.join(folder, "y.npy")), g @ w2, GATE)


if len(sys.argv) != 2:
    sys.exit("usage: check_mlp.py FOLDER")
main()
