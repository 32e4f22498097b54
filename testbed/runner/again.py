# SPDX-License-Identifier: Apache-2.0
"""Tests that run again, as what failed may have been the place: an emulated processor may stand still for a second.

A test that fails in a guest runs again by itself when its tier is through, and so does one during which UCX ended the JVM by
a fault that docs/ucx-faults.md names. All that run again are told apart from those that have passed, with their first
failures.
"""

import os
import re

from .place import HERE

TIMES = 2  # for one test
MOST = 5  # tests in one run of all tiers
SOURCE_LINE = re.compile(r"\b\w+\.c:\d+\b")  # as UCX begins a message


class Budget:
    """How many tests may still run again, in a folder that all lanes and guests of a run share."""

    def __init__(self, folder, most=MOST):
        self.folder = folder
        self.most = most

    def take(self):
        """Returns whether one more test may run again."""
        for number in range(self.most):
            try:
                os.close(os.open(f"{self.folder}/again-{number}", os.O_CREAT | os.O_EXCL | os.O_WRONLY))
                return True
            except FileExistsError:
                pass
        return False


def is_emulated():
    """Whether tests run here in a guest, where each may run again."""
    return os.environ.get("ISTHMUS_TESTBED") == "vm"


def is_known_fault(said):
    """Whether a JVM's last lines name a place in UCX's source that docs/ucx-faults.md names."""
    with open(f"{os.path.dirname(HERE)}/docs/ucx-faults.md", encoding="utf-8") as file:
        known = set(SOURCE_LINE.findall(file.read()))
    return not known.isdisjoint(SOURCE_LINE.findall("\n".join(said)))


def run_again(failures, budget, run):
    """Runs the tests that have failed again; returns what they said first, by name, of those that have passed.

    failures has by each test's name what it said when it failed; run(name) runs one again, and returns whether it has passed.
    """
    passed = {}
    for name, said in failures.items():
        if not budget.take():
            print(f"not run again, as {budget.most} tests have been: {name}", flush=True)
            continue
        for _ in range(TIMES):
            print(f"\nruns again: {name}", flush=True)
            if run(name):
                passed[name] = said
                print(f"again: {name}, which failed first: {said}", flush=True)
                break
    return passed
