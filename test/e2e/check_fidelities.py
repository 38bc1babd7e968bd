#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
#
# check_fidelities.py TOOLS FILE.mlir...: compiles each kernel and times it in
# both fidelities of the simulator. Prints a table; fails if a pair differs by
# more than a tenth, unless by less than the start of a kernel takes: there, flow
# lets all cores wait alike, stick serves one after the other.

import os
import re
import subprocess
import sys
import tempfile

TOLERANCE = 0.10
START_SECONDS = 0.4e-6
SECONDS = {"us": 1e-6, "ms": 1e-3, "s": 1.0}


def output_of(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"check_fidelities: {' '.join(command)} fails\n{done.stdout}{done.stderr}")
    return done.stdout


def simulated(tools, model, fidelity):
    text = output_of([os.path.join(tools, "spyre-run"), model, "--timing-only",
                      f"--fidelity={fidelity}"])
    value, unit = re.search(r"compute ([\d.]+) (us|ms|s)", text).groups()
    return float(value) * SECONDS[unit]


def main():
    tools, files = sys.argv[1], sys.argv[2:]
    failed = close = 0
    print(f"{'kernel':<40} {'flow us':>12} {'stick us':>12} {'stick/flow':>11}")
    with tempfile.TemporaryDirectory() as folder:
        for path in files:
            model = os.path.join(folder, "model.spyre")
            output_of([os.path.join(tools, "spyre-compile"), path, "--weights=none", "-o", model])
            flow, stick = (simulated(tools, model, name) for name in ("flow", "stick"))
            agrees = abs(stick - flow) <= max(TOLERANCE * flow, START_SECONDS)
            failed += not agrees
            close += abs(stick / flow - 1) <= TOLERANCE
            print(f"{os.path.basename(path):<40} {flow * 1e6:>12.3f} {stick * 1e6:>12.3f} "
                  f"{stick / flow:>11.3f}{'' if abs(stick / flow - 1) <= TOLERANCE else '  NOT within 10 %'}")
    print(f"{close} of {len(files)} kernels agree within 10 %, "
          f"{failed} differ by more than 10 % and {START_SECONDS * 1e6:g} us")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
