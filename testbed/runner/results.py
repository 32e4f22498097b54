"""What tiers have printed of themselves, and what of it is repeated at the end."""

import json
import os
import re
import sys
import time

CLOSING = re.compile(r"([a-z-]*): (\d+) passed, (\d+) failed.*")
REFUSED = "refused by the device: "
FAILED = "FAILED "
LONGEST = 300  # of the line that says why a test failed: what is seen of a long output is its end

STATED = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "tests.txt")


def _duration(seconds):
    minutes, rest = divmod(seconds, 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def stated(program):
    """How many tests testbed/tests.txt states of a tier that is a program."""
    with open(STATED, encoding="utf-8") as file:
        for line in file:
            if match := re.fullmatch(rf"{program} {program}=(\d+)", line.rstrip()):
                return int(match[1])
    return 0


class Results:
    """The results of tiers, in a file of a folder that a testbed's guest, too, can append to."""

    def __init__(self, folder):
        self.path = f"{folder}/results.jsonl"
        self.others = []

    def read(self, tier, output):
        """Passes a tier's output on, and returns what it says of itself."""
        began = time.monotonic()
        passed, failed, notes, failure = {}, {}, [], None
        for line in output:
            sys.stdout.buffer.write(line)
            sys.stdout.buffer.flush()
            text = line.decode(errors="replace").rstrip("\r\n")
            if failure:
                notes.append(f"{failure}: {text[:LONGEST]}")
                failure = None
            elif text.startswith(FAILED):
                failure = text
            elif text.startswith(REFUSED):
                notes.append(text)
            elif match := CLOSING.fullmatch(text):
                passed[match[1]], failed[match[1]] = int(match[2]), int(match[3])
        return {"tier": tier, "closed": bool(passed), "passed": sum(passed.values()), "failed": sum(failed.values()),
                "notes": notes, "ended": False, "seconds": round(time.monotonic() - began)}

    def broken(self, tier):
        self.add({"tier": tier, "closed": False, "passed": 0, "failed": 0, "notes": [], "ended": False})

    def add(self, result):
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(result) + "\n")

    def take(self, folder):
        """Adds those of a lane."""
        self.others.append(Results(folder))

    def all(self):
        found = {}
        if os.path.exists(self.path):
            with open(self.path, encoding="utf-8") as file:
                found = {result["tier"]: result for result in map(json.loads, file)}
        for other in self.others:
            found.update(other.all())
        return found

    def summarise(self, tiers):
        """Prints a line for each tier; returns the exit status."""
        found, wrong = self.all(), []
        print()
        for tier in tiers:
            result = found.get(tier)
            if not result or not result["closed"]:  # it has not run to its end
                print(f"{tier}: 0 passed, 1 failed")
                wrong.append(tier)
                continue
            print(f"{tier}: {result['passed']} passed, {result['failed']} failed in {_duration(result['seconds'])}")
            for text in result["notes"]:
                print(f"    {text}")
            if result["failed"] or not result["ended"]:
                wrong.append(tier)
        sys.stdout.flush()
        if wrong:
            print(f"failed: {' '.join(wrong)}", file=sys.stderr)
        return 1 if wrong else 0
