# SPDX-License-Identifier: Apache-2.0
"""The results of tiers, and what of them is repeated at the end."""

import json
import os
import sys

from .output import CLOSING, LONGEST, Output

NOTED = ("refused by the device: ", "excepted: ", "again: ", "WRONG ")  # so do lines begin that are repeated at the end
FAILED = "FAILED "


def _duration(seconds):
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def read_program(tier, process):
    """Passes on what a tier prints that is a program of its own, and returns what it says of itself."""
    passed, failed, again, notes, failure = {}, {}, 0, [], None

    def line_read(text):
        nonlocal failure, again
        if failure:
            notes.append(f"{failure}: {text[:LONGEST]}")
            failure = None
        elif text.startswith(FAILED):
            failure = text
        elif text.startswith(NOTED):
            notes.append(text)
            again += text.startswith("again: ")
        elif match := CLOSING.fullmatch(text):
            passed[match[1]], failed[match[1]] = int(match[2]), int(match[3])

    output = Output(process)
    last = output.show(line_read)
    notes += output.ended_holders()
    if not passed:
        notes += [f"exit status {process.returncode}; it has not told its result; what it printed last:", *last]
    ran = sum(passed.values()) + sum(failed.values())
    return {"tier": tier, "closed": bool(passed), "passed": sum(passed.values()) - again, "failed": sum(failed.values()),
            "again": again, "ran": ran, "notes": notes, "good": process.returncode == 0 and not sum(failed.values())}


class Results:
    """The results of tiers, in files of a folder that a testbed's guest, too, can write to: one for each tier."""

    def __init__(self, folder):
        self.folder = folder

    def add(self, tier, result):
        # Complete, or not there: a reader comes when the writer has ended, however it has.
        with open(f"{self.folder}/{tier}.json", "w", encoding="utf-8") as file:
            json.dump({"tier": tier, "notes": [], **result}, file)

    def of(self, tier):
        path = f"{self.folder}/{tier}.json"
        if not os.path.exists(path):
            return {"closed": False, "notes": ["it has not run to its end"]}
        with open(path, encoding="utf-8") as file:
            return json.load(file)

    def summarise(self, tiers, least):
        """Prints a line for each tier; returns the exit status. least says how many tests must have run, by tier."""
        wrong = []
        print()
        for tier in tiers:
            result = self.of(tier)
            if not result["closed"]:  # it has not run to its end
                print(f"{tier}: 0 passed, 1 failed")
            else:
                more = f", {result['again']} again" if result["again"] else ""
                print(f"{tier}: {result['passed']} passed, {result['failed']} failed{more} in {_duration(result['seconds'])},"
                      f" {_duration(result['processor'])} of processor time")
                if result["ran"] < least.get(tier, 0):
                    result["notes"].append(f"only {result['ran']} tests ran, where testbed/runner/tiers.py says at least {least[tier]}")
                    result["good"] = False
            for text in result["notes"]:
                print(f"    {text}")
            if not result["closed"] or not result["good"]:
                wrong.append(tier)
        sys.stdout.flush()
        if wrong:
            print(f"failed: {' '.join(wrong)}", file=sys.stderr)
        return 1 if wrong else 0
