# SPDX-License-Identifier: Apache-2.0
"""Runs spyre-check and compares what fails with what is known to fail."""

import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def table(name):
    """The first two columns of a file of tab-separated rows, as a dict."""
    with open(os.path.join(HERE, name), encoding="utf-8") as lines:
        rows = [line.rstrip("\n").split("\t") for line in lines if line[0] != "#"]
    return {row[0]: row[1] for row in rows}


def skip(reason):
    """Ends as a test that ctest counts as skipped."""
    print("SKIPPED:", reason)
    sys.exit(77)


def rows_of(tool, folders):
    """A row of spyre-check for each data set of the tests."""
    with tempfile.NamedTemporaryFile() as report:
        command = [tool, "-j2", "--timeout=300", "--json=" + report.name, *folders]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode not in (0, 1):
            sys.exit(f"spyre-check ended with status {done.returncode}\n{done.stderr}")
        with open(report.name, encoding="utf-8") as text:
            return json.load(text)["rows"]


def failures(rows):
    """Names of the tests that do not pass, with the reason."""
    return {row["test"]: row["reason"] for row in rows if row["verdict"] != "PASS"}


def as_known(chosen, failed, known):
    """Whether exactly the known tests fail; prints those that differ."""
    good = True
    for name in chosen:
        if name in failed and name not in known:
            print(f"FAILED {name}: {failed[name]}")
            good = False
        if name in known and name not in failed:
            print(f"PASSED {name}: take it off the list of known failures")
            good = False
    return good
