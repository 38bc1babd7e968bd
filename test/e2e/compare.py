# SPDX-License-Identifier: Apache-2.0
#
# How an output is judged against its reference: relative L2 error per row. A
# row lies along the last axis if that has at least 32 elements, else the whole
# tensor is one row; rows whose norm is below 1e-3 of the largest are skipped,
# and NaN and infinities must stand at the same positions. A single maximum
# over the tensor would hide a wrong row beside a large one.

import sys

import numpy as np


def row_errors(actual, expected):
    """Relative L2 error of each row that counts."""
    actual = np.asarray(actual, dtype=np.float64)
    expected = np.asarray(expected, dtype=np.float64)
    if actual.shape != expected.shape:
        sys.exit(f"the shape is {actual.shape}, expected {expected.shape}")
    for kind, test in [("NaN", np.isnan), ("+inf", np.isposinf), ("-inf", np.isneginf)]:
        wrong = int(np.sum(test(actual) != test(expected)))
        if wrong:
            sys.exit(f"{kind} differs at {wrong} of {expected.size} positions")
    finite = np.isfinite(expected)
    actual = np.where(finite, actual, 0)
    expected = np.where(finite, expected, 0)
    length = expected.shape[-1] if expected.ndim and expected.shape[-1] >= 32 else expected.size
    actual, expected = actual.reshape(-1, length), expected.reshape(-1, length)
    norms = np.linalg.norm(expected, axis=1)
    counted = norms >= 1e-3 * norms.max()
    if norms.max() == 0:
        # Nothing to be relative to: the output must be zero too.
        return np.linalg.norm(actual, axis=1)
    errors = np.linalg.norm(actual - expected, axis=1)
    return errors[counted] / norms[counted]


def check(name, actual, expected, gate):
    """Prints one line; exits with 1 if a row is above the gate."""
    errors = row_errors(actual, expected)
    worst = float(errors.max())
    verdict = "pass" if worst <= gate else "FAIL"
    print(f"{name}: {verdict}: {errors.size} rows, worst relative L2 {worst:.2e}, gate {gate:.0e}")
    if worst > gate:
        sys.exit(1)
