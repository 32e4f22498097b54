# SPDX-License-Identifier: Apache-2.0
"""What tiers have printed of themselves, and what of it is repeated at the end."""

import collections
import contextlib
import glob
import json
import os
import re
import select
import signal
import sys
import time

CLOSING = re.compile(r"([a-z-]*): (\d+) passed, (\d+) failed.*")
REPEATED = "again, as it has limits of its own: "
NOTED = ("refused by the device: ", "excepted: ", REPEATED, "WRONG ")  # so do lines begin that are repeated at the end
FAILED = "FAILED "
FATAL = "A fatal error has been detected by the Java Runtime Environment"
LAST = 20  # lines that are kept of a tier that has not told its result
REPORT = 80  # of a JVM's report of its own death: what it did, and its stack
ORPHANS = 10  # seconds for which what a tier has left running may be silent
LATE = 300  # seconds of silence within which a tier ends that has told its result
STACKS = 10  # seconds for a JVM to write its threads' stacks
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


def _holders(pipe):
    """Yields the other processes that have a pipe open, and their commands."""
    name, found = os.readlink(f"/proc/self/fd/{pipe}"), set()
    for link in glob.glob("/proc/[0-9]*/fd/*"):
        pid = int(link.split("/")[2])
        with contextlib.suppress(OSError):  # it has ended, or the descriptor is closed
            if os.readlink(link) == name and pid not in found | {os.getpid()}:
                found.add(pid)
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    yield pid, file.read().replace(b"\0", b" ").decode(errors="replace").strip()


class _Output:
    """The lines that a tier prints. They end with it, though a process that a test has left running may hold its output
    open, and though it may not end after it has told its result."""

    def __init__(self, process):
        self.process = process
        self.told = False  # its result
        self.left = []  # commands of what was ended
        self.heard = time.monotonic()

    def __iter__(self):
        pipe, rest, limit = self.process.stdout.fileno(), b"", 0
        while True:
            if select.select([pipe], [], [], 1)[0]:
                data = os.read(pipe, 65536)
                self.heard = time.monotonic()
                *lines, rest = (rest + data).split(b"\n")
                yield from (line + b"\n" for line in lines)
                if not data:
                    break
            elif self.process.poll() is not None:
                limit = ORPHANS
            elif self.told and limit == 0 and self._silence() > LATE:
                self.process.send_signal(signal.SIGQUIT)
                limit, self.heard = STACKS, time.monotonic()
            if limit and self._silence() > limit:
                self._end_holders(pipe)
                break
        if rest:
            yield rest

    def _silence(self):
        return time.monotonic() - self.heard

    def _end_holders(self, pipe):
        for pid, command in _holders(pipe):
            self.left.append(command[:LONGEST])
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


class Results:
    """The results of tiers, in a file of a folder that a testbed's guest, too, can append to."""

    def __init__(self, folder):
        self.path = f"{folder}/results.jsonl"
        self.others = []

    def read(self, tier, process):
        """Passes on what a tier prints, and returns what it says of itself."""
        began = time.monotonic()
        passed, failed, notes, failure = {}, {}, [], None
        last, death = collections.deque(maxlen=LAST), []
        output = _Output(process)
        for line in output:
            sys.stdout.buffer.write(line)
            sys.stdout.buffer.flush()
            text = line.decode(errors="replace").rstrip("\r\n")
            last.append(text[:LONGEST])
            if death or FATAL in text:
                death = (death or list(last)[:-1]) + [text[:LONGEST]]
                del death[LAST + REPORT:]
            if failure:
                notes.append(f"{failure}: {text[:LONGEST]}")
                failure = None
            elif text.startswith(FAILED):
                failure = text
            elif text.startswith(NOTED):
                notes.append(text)
            elif match := CLOSING.fullmatch(text):
                passed[match[1]], failed[match[1]] = int(match[2]), int(match[3])
                output.told = True
        notes += [f"did not end, and was ended: {command}" for command in output.left]
        if not passed:
            notes += ["it has not told its result; what it printed last:", *(death or last)]
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
            result = found.get(tier, {"closed": False, "notes": []})
            if result["closed"]:
                print(f"{tier}: {result['passed']} passed, {result['failed']} failed in {_duration(result['seconds'])}")
            else:  # it has not run to its end
                print(f"{tier}: 0 passed, 1 failed")
            for text in result["notes"]:
                print(f"    {text}")
            if not result["closed"] or result["failed"] or not result["ended"]:
                wrong.append(tier)
        sys.stdout.flush()
        if wrong:
            print(f"failed: {' '.join(wrong)}", file=sys.stderr)
        return 1 if wrong else 0
