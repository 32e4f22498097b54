# SPDX-License-Identifier: Apache-2.0
"""What a process prints, which is passed on as it comes."""

import collections
import contextlib
import glob
import os
import re
import select
import signal
import subprocess
import sys
import time

CLOSING = re.compile(r"([a-z0-9-]*): (\d+) passed, (\d+) failed.*")  # the line in which tests tell their result
FATAL = "A fatal error has been detected by the Java Runtime Environment"
LAST = 20  # lines that are kept of what a process has printed last
REPORT = 80  # of a JVM's report of its own death: what it did, and its stack
ORPHANS = 10  # seconds for which what a process has left running may be silent
LATE = 300  # seconds of silence within which a process ends that has told its result
STACKS = 10  # seconds for a JVM to write its threads' stacks
UNATTENDED = 60  # seconds that a process has to end after its output has
LONGEST = 300  # of a line that is repeated


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


class Output:
    """The lines that a process prints. They end with it, though a process that it has left running may hold its output
    open, and though it may not end after it has told its result."""

    def __init__(self, process):
        self.process = process
        self.told = False  # its result
        self.left = []  # commands of what was ended
        self.heard = time.monotonic()

    def show(self, line_read=lambda text: None):
        """Passes the lines on until the process has ended; returns the last ones, and of a JVM's death its report."""
        last, death = collections.deque(maxlen=LAST), []
        for line in self:
            sys.stdout.buffer.write(line)
            sys.stdout.buffer.flush()
            text = line.decode(errors="replace").rstrip("\r\n")
            last.append(text[:LONGEST])
            if death or FATAL in text:
                death = (death or list(last)[:-1]) + [text[:LONGEST]]
                del death[LAST + REPORT:]
            self.told = self.told or bool(CLOSING.fullmatch(text))
            line_read(text)
        try:
            self.process.wait(UNATTENDED)
        except subprocess.TimeoutExpired:  # not even after SIGKILL: a driver holds it
            self.left.append(f"process {self.process.pid}, which does not end")
        return death or list(last)

    def ended_holders(self):
        """What to say of processes that the one shown has left running."""
        return [f"did not end, and was ended: {command}" for command in self.left]

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
