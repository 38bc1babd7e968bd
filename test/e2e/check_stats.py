#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
#
# check_stats.py mlp STATS [SINGLE-BUFFERED-STATS]: what `spyre-run --stats`
# printed for examples/mlp.mlir. All cores must work and evenly so, the time must
# be at most twice the machine's limit, and shorter than with single buffering.
# The limit is computed here from the problem's size and the target file: the
# multiply-accumulates at the peak rate, or weights, input and output once
# through device memory, whichever takes longer.

import json
import os
import re
import sys

ROWS, HIDDEN, INNER = 512, 4096, 12800
F16_BYTES = 2
TARGET = os.path.join(os.path.dirname(__file__), "..", "..", "lib", "Target", "spyre-32.json")
SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def find(text, pattern):
    match = re.search(pattern, text)
    if not match:
        sys.exit(f"check_stats: no line matches {pattern}")
    return match.groups()


def achieved(path):
    with open(path, encoding="utf-8") as file:
        value, unit = find(file.read(), r"achieved +([\d.]+) (\w+),")
    return float(value) * SECONDS[unit]


def target_value(node, name):
    """The value of a field, wherever the file groups it."""
    if isinstance(node, dict):
        if name in node and isinstance(node[name], dict) and "value" in node[name]:
            return node[name]["value"]
        for child in node.values():
            found = target_value(child, name)
            if found is not None:
                return found
    return None


def limit_seconds():
    with open(TARGET, encoding="utf-8") as file:
        target = json.load(file)
    macs = 2 * ROWS * HIDDEN * INNER
    macs_per_second = (
        target_value(target, "numCores")
        * target_value(target, "ptFp16MacsPerCycle")
        * target_value(target, "coreClockGHz") * 1e9
    )
    traffic = F16_BYTES * (2 * HIDDEN * INNER + 2 * ROWS * HIDDEN)
    bytes_per_second = target_value(target, "ddrPeakGBps") * 1e9
    return max(macs / macs_per_second, traffic / bytes_per_second)


def main():
    path, *single = sys.argv[2:]
    with open(path, encoding="utf-8") as file:
        text = file.read()
    failures = []
    busy, cores = find(text, r"cores busy +(\d+) of (\d+)")
    if busy != cores:
        failures.append(f"{busy} of {cores} cores are busy")
    (imbalance,) = find(text, r"max/mean ([\d.]+)")
    if float(imbalance) > 1.25:
        failures.append(f"the busiest core works {imbalance} times the mean, at most 1.25")
    time, limit = achieved(path), limit_seconds()
    if time > 2 * limit:
        failures.append(f"{time * 1e3:.3f} ms is more than twice the limit of {limit * 1e3:.3f} ms")
    if single and achieved(single[0]) <= time:
        failures.append(f"single buffering takes {achieved(single[0]) * 1e3:.3f} ms, not more than {time * 1e3:.3f} ms")
    print(f"mlp: {cores} cores, max/mean {imbalance}, {time * 1e3:.3f} ms, limit {limit * 1e3:.3f} ms")
    if failures:
        sys.exit("check_stats: " + "; ".join(failures))


if len(sys.argv) not in (3, 4) or sys.argv[1] != "mlp":
    sys.exit("usage: check_stats.py mlp STATS [SINGLE-BUFFERED-STATS]")
main()
