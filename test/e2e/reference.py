#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
#
# Inputs and references of the end-to-end tests. The case is named by the
# test's file (softmax-rows.mlir: softmax_rows below).
#
#   reference.py make TEST.mlir FOLDER    writes an .npy file for each input
#                                         and a raw file for each weight
#   reference.py check TEST.mlir FOLDER   computes the outputs from the same
#                                         values and compares FOLDER/y.npy
#
# Values are seeded by (case, name), uniform in [-1, 1) unless the case says
# otherwise, and rounded to f16; references compute in f32 (or f64) on the
# rounded values, so that only the device's own rounding counts.

import os
import sys
import zlib

import numpy as np

import compare

# Relative L2 of each row.
GATE = 2e-3

CASES = {}


class Case:
    def __init__(self, reference, inputs, weights, indices, low, high):
        self.reference = reference
        self.inputs = inputs
        self.weights = weights
        self.indices = indices
        self.low = low
        self.high = high

    def values(self, case):
        """Input and weight values by name."""
        return {
            name: self.value(case, name, shape)
            for name, shape in {**self.inputs, **self.weights}.items()
        }

    def value(self, case, name, shape):
        seed = zlib.crc32(f"{case}/{name}".encode())
        generator = np.random.Generator(np.random.PCG64(seed))
        if name in self.indices:
            return generator.integers(0, self.indices[name], shape, dtype=np.int64)
        values = generator.random(shape, dtype=np.float32)
        return (values * (self.high - self.low) + self.low).astype(np.float16)


def case(low=-1.0, high=1.0, weights=None, indices=None, **inputs):
    """Registers a reference function under its name; inputs are shapes, those
    in `indices` hold i64 below the number given there."""

    def register(function):
        CASES[function.__name__] = Case(
            function, inputs, weights or {}, indices or {}, low, high
        )
        return function

    return register


def softmax(x, axis):
    shifted = np.exp(x - x.max(axis=axis, keepdims=True))
    return shifted / shifted.sum(axis=axis, keepdims=True)


# Wide enough that rows are peaked: the largest of 1024 differs from the mean.
@case(low=-6.0, high=6.0, x=(512, 1024))
def softmax_rows(x):
    return softmax(x, 1)


@case(low=-6.0, high=6.0, x=(512, 1024))
def softmax_columns(x):
    return softmax(x, 0)


@case(low=-6.0, high=6.0, x=(512, 1024))
def softmax_rows_one_core(x):
    return softmax(x, 1)


@case(low=-6.0, high=6.0, x=(512, 1024))
def softmax_columns_one_core(x):
    return softmax(x, 0)


@case(x=(256, 512), w=(384, 512), r=(384, 256))
def matmul_transposed_residual(x, w, r):
    return x @ w.T + r.T


@case(x=(1, 4096), weights={"w": (4096, 49159)})
def matmul_1x4096x49159(x, w):
    return x @ w


@case(x=(40, 300), w=(300, 130))
def matmul_split_k(x, w):
    return x @ w


@case(x=(77, 200), w=(200, 333))
def matmul_77x200x333(x, w):
    return x @ w


# Positive values: a sum of signed ones may lie near zero, where a relative
# error says nothing.
@case(low=0.0, high=0.5, x=(300, 400))
def reduce_to_scalar(x):
    return np.sum(x, dtype=np.float64)


@case(low=0.0, high=1.0, x=(100000,))
def reduce_100000(x):
    return np.sum(x, dtype=np.float64)


@case(x=(100000,))
def reduce_max_100000(x):
    return np.max(x)


@case(x=(300, 500), b=(300, 1))
def broadcast_along_stick(x, b):
    return x + b


@case(x=(4, 3, 48, 96), w=(4, 96, 80))
def batch_matmul_broadcast(x, w):
    return x @ w[:, None]


@case(x=(5, 40, 130), w=(130, 70))
def batch_matmul_shared(x, w):
    return x @ w


def split_heads(x):
    return x.reshape(2, 16, 4, 32).transpose(0, 2, 1, 3)


@case(q=(2, 16, 128), k=(2, 16, 128), v=(2, 16, 128))
def attention_heads(q, k, v):
    q, k, v = split_heads(q), split_heads(k), split_heads(v)
    values = softmax(q @ k.transpose(0, 1, 3, 2), -1) @ v
    return values.transpose(0, 2, 1, 3).reshape(2, 16, 128)


@case(x=(2, 4, 10, 32))
def rotate_half(x):
    return np.concatenate([-x[..., 16:], x[..., :16]], -1)


@case(x=(2, 5, 9, 11), w=(7, 5, 3, 3))
def convolution_strided(x, w):
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    y = np.zeros((2, 7, 5, 6))
    for i in range(5):
        for j in range(6):
            window = padded[:, :, 2 * i : 2 * i + 3, 2 * j : 2 * j + 3]
            y[:, :, i, j] = np.einsum("bchw,ochw->bo", window, w)
    return y


@case(x=(77, 200))
def causal_mask(x):
    return np.where(np.arange(200)[None] <= np.arange(77)[:, None], x, -4.0)


@case(ids=(2, 21), table=(500, 96), indices={"ids": 500})
def gather_rows(ids, table):
    return table[ids.astype(np.int64)]


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ("make", "check"):
        sys.exit("usage: reference.py make|check TEST.mlir FOLDER")
    verb, test, folder = sys.argv[1:]
    name = os.path.splitext(os.path.basename(test))[0].replace("-", "_")
    if name not in CASES:
        sys.exit(f"reference.py: no case {name}")
    chosen = CASES[name]
    values = chosen.values(name)
    if verb == "make":
        os.makedirs(folder, exist_ok=True)
        for value in chosen.inputs:
            np.save(os.path.join(folder, value + ".npy"), values[value])
        for value in chosen.weights:
            values[value].tofile(os.path.join(folder, value + ".weights"))
        return
    wide = {key: value.astype(np.float32) for key, value in values.items()}
    actual = np.load(os.path.join(folder, "y.npy"))
    compare.check(name, actual, chosen.reference(**wide), GATE)


main()
