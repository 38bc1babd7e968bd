#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
#
# check_stats.py report REPORT: what `spyre-run --report` wrote for
# examples/mlp.mlir must agree with the sizes of its two products, with the
# limits that follow from them, and with itself.
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


def is_close(a, b):
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b))


def kernel_failures(kernel, reads, writes, target):
    """reads and writes: bytes of the operands of one product."""
    macs = ROWS * HIDDEN * INNER
    rate = target_value(target, "sustainedDdrGBps")
    cores = target_value(target, "numCores")
    compute = macs / (cores * target_value(target, "sustainedMacsPerNsPerCore"))
    turns = target_value(target, "mixedPenaltyNsPerByte") * min(reads, writes)
    elements = target_value(target, "lxPlannerBudgetBytes") / F16_BYTES
    sharing = 2 * macs / (cores * elements) ** 0.5 * F16_BYTES / rate
    limits = [compute, (reads + writes) / rate + turns, sharing]
    names = ["compute", "compulsory traffic", "ring sharing"]
    expected = {
        "macs": macs,
        "compulsoryReadBytes": reads,
        "compulsoryWriteBytes": writes,
        "computeLimitNs": limits[0],
        "compulsoryLimitNs": limits[1],
        "sharingLimitNs": limits[2],
        "limitNs": max(limits),
        "fraction": max(limits) / kernel["timeNs"],
    }
    failures = [f"{kernel['name']}: {name} is {kernel[name]}, not {value}"
                for name, value in expected.items() if not is_close(kernel[name], value)]
    if kernel["bound"] != names[limits.index(max(limits))]:
        failures.append(f"{kernel['name']} is bound by {kernel['bound']}")
    return failures


def tensor_failures(report):
    weight = F16_BYTES * HIDDEN * INNER
    tensors = {tensor["name"]: tensor for tensor in report["tensors"]}
    failures = [f"{name} is not read exactly once" for name in ("w1", "w2")
                if (tensors[name]["readBytes"], tensors[name]["kind"]) != (weight, "weight")]
    for total, part in (("ddrReadBytes", "readBytes"), ("ddrWriteBytes", "writeBytes")):
        tensor_sum = sum(tensor[part] for tensor in report["tensors"])
        kernel_sum = sum(kernel[total] for kernel in report["kernels"])
        if not report[total] == tensor_sum == kernel_sum:
            failures.append(f"{total}: {report[total]}, {tensor_sum} of tensors, {kernel_sum} of kernels")
    return failures


def part_failures(report, target):
    failures = []
    link_rate = target_value(target, "ringBytesPerCycle") * target_value(target, "ringClockGHz")
    links = [part for part in report["parts"] if part["name"].startswith("link ")]
    # A node for each core and one for memory, two directions.
    if len(links) != 2 * (target_value(target, "numCores") + 1):
        failures.append(f"{len(links)} links")
    for link in links:
        if not is_close(link["utilisation"], link["bytes"] / (link_rate * report["computeNs"])):
            failures.append(f"{link['name']}: {link['bytes']} bytes, {link['utilisation']} used")
    if not all(0 <= part["utilisation"] <= 1 + 1e-6 for part in report["parts"]):
        failures.append("a part carries more than it can")
    return failures


def unit_failures(report):
    failures = []
    stalls = ("queue empty", "queue full", "peers", "own commands")
    for number, core in enumerate(report["cores"]):
        for unit in core["units"]:
            where = f"{unit['name']} of core {number}"
            if not is_close(unit["stallNs"], sum(unit["waitNs"][cause] for cause in stalls)):
                failures.append(f"{where}: the stall is not the sum of its causes")
            if unit["busyNs"] + unit["stallNs"] > report["computeNs"] * (1 + 1e-9):
                failures.append(f"{where}: busy and stalled longer than the run")
    return failures


def check_report(path):
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    with open(TARGET, encoding="utf-8") as file:
        target = json.load(file)
    weight, rows, hidden = (F16_BYTES * size for size in (HIDDEN * INNER, ROWS * HIDDEN, ROWS * INNER))
    first, second = report["kernels"]
    failures = kernel_failures(first, rows + weight, hidden, target)
    failures += kernel_failures(second, hidden + weight, rows, target)
    failures += tensor_failures(report) + part_failures(report, target) + unit_failures(report)
    if not is_close(report["computeNs"], first["timeNs"] + second["timeNs"]):
        failures.append("the kernels do not add up to the compute time")
    if not is_close(report["hostWaitNs"], report["totalNs"] - report["computeNs"]):
        failures.append("what is not computing is not waiting for the host")
    if failures:
        sys.exit("check_stats: " + "; ".join(failures))


def check_mlp(path, single):
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


def main():
    arguments = sys.argv[1:]
    if len(arguments) == 2 and arguments[0] == "report":
        check_report(arguments[1])
    elif len(arguments) in (2, 3) and arguments[0] == "mlp":
        check_mlp(arguments[1], arguments[2:])
    else:
        sys.exit("usage: check_stats.py report REPORT, or mlp STATS [SINGLE-BUFFERED-STATS]")


main()
