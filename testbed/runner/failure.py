# SPDX-License-Identifier: Apache-2.0
"""What ends a run early: the testbed's own failures, a deadline, a signal."""

import os
import signal

TIMED_OUT = 124  # as timeout(1) has it
BROKEN = 125  # the testbed itself failed, as env(1) has it


class Failure(Exception):
    """Ends the run with a message and an exit status."""

    def __init__(self, message, status=BROKEN):
        super().__init__(message)
        self.status = status


class Unavailable(Failure):
    """This place cannot be had here; the next one may."""


class Interrupted(Exception):
    """A signal asked the testbed to stop."""

    def __init__(self, number):
        super().__init__(signal.Signals(number).name)
        self.status = 128 + number


SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


_received = []


def _interrupt(number, _frame):
    ignore_signals()  # a second one must not cut the cleaning up short
    _received.append(number)
    raise Interrupted(number)


def check_interrupted():
    """Raises what a signal has raised once more.

    Python drops an exception where it has no caller to give it to, as in the callback of a weak reference (imports
    have those): then this is all that is left of the signal.
    """
    if _received:
        raise Interrupted(_received[0])


def catch_signals():
    for number in SIGNALS:
        # What nohup has asked to ignore stays ignored.
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _interrupt)


def ignore_signals():
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def say(message):
    # One write of the whole line: it may share stderr with others.
    os.write(2, f"testbed: {message}\n".encode(errors="surrogateescape"))


def open_standard_streams():
    """Fills closed standard streams, so that no socket of ours is taken for one of them."""
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
