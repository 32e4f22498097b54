# SPDX-License-Identifier: Apache-2.0
"""The guest that stays: its beginning, its end, and a command in it."""

import argparse
import contextlib
import json
import os
import select
import socket
import time

from . import control
from .control import CHECKOUT, LENGTH, SHARED
from .failure import BROKEN, TIMED_OUT, Failure, Unavailable, ignore_signals, say

IDLE = 3600
LAST_WORDS = 15  # seconds for the guest to end a command; it goes on without us

DESCRIPTION = """\
up boots a guest once, in the background, for all commands of this checkout that follow: testbed -- COMMAND. They see
the files as they are when they begin, and one runs at a time. What they write below target/testbed stays there;
elsewhere in the checkout it is forgotten when they end, and elsewhere in the guest when the guest does.
"""

# Each has a guest of its own when it is not what the guest that stays has been booted with.
OWN = ("root", "cpus", "memory", "accel", "icount", "console", "append", "qemu_opts", "no_devices")


def run(arguments, options, default, announce):
    """Runs a command in the guest that stays, and returns its exit status. Without a guest, or with options that it cannot
    serve, it is unavailable; why is empty where there is no guest."""
    connection = control.connect()
    if connection is None:
        raise Unavailable("")
    with connection:
        from . import streams  # a testbed without a guest that stays starts sooner without
        pairs = [socket.socketpair() for _ in range(3)]
        ours = streams.Streams(connection, *(end for end, _ in pairs))
        theirs = [end for _, end in pairs]
        return _Command(connection, ours, options, announce).run(arguments, theirs, default)


class _Command:
    def __init__(self, connection, ours, options, announce):
        self.connection = connection
        self.streams = ours
        self.options = options
        self.announce = announce

    def run(self, arguments, theirs, default):
        greeting = self._message()
        if not greeting:
            raise Unavailable("")  # it has just ended
        self._check(greeting, default)
        self.options.device = greeting["device"]
        self._request(arguments, theirs)
        self._await_turn(greeting["devices"])
        deadline = time.monotonic() + self.options.timeout
        try:
            if self.options.stdin:
                self.streams.feed()
            else:
                self.streams.input.shutdown(socket.SHUT_WR)
            ending = self._message(deadline)
        except TimeoutError:
            self._end()
            raise Failure(f"timed out after {self.options.timeout:g} s", TIMED_OUT) from None
        except BaseException:
            ignore_signals()
            self._end()
            raise
        if "exit" not in ending:
            raise Failure(ending.get("failed", "the guest that stays was ended"))
        self.streams.finish(deadline, self.options.timeout)
        if ending["changed"] and not self.options.quiet:
            say("the command has changed the guest's network or devices: it boots again before the next one")
        return ending["exit"]

    def _check(self, greeting, default):
        if greeting["identity"] != control.identity():
            raise Unavailable("the guest that stays is of another state of the testbed: end it with testbed down")
        if self.options.device not in (None, greeting["device"]):
            raise Unavailable(f"the guest that stays has {greeting['device']} devices")
        for name in OWN:
            if getattr(self.options, name) != default(name):
                raise Unavailable(f"--{name.replace('_', '-')} takes a guest of its own")
        for folder in self.options.rw:
            if os.path.commonpath((folder, SHARED)) != SHARED:
                raise Unavailable(f"--rw outside of {os.path.relpath(SHARED, CHECKOUT)} takes a guest of its own")

    def _request(self, arguments, theirs):
        from . import guest
        _make_shared()
        script = guest.command_script(arguments, self.options, {}).decode(errors="surrogateescape")
        text = json.dumps({"do": "run", "stdin": self.options.stdin, "script": script}).encode()
        with contextlib.suppress(ConnectionError):  # then there is nothing to read, either
            socket.send_fds(self.connection, [LENGTH.pack(len(text))], [end.fileno() for end in theirs])
            self.connection.sendall(text)
        for end in theirs:
            end.close()

    def _await_turn(self, devices):
        while "turn" not in (message := self._message()):
            if not message:
                raise Unavailable("the guest that stays has just ended")
            if not self.options.quiet:
                say("waits for its turn in the guest that stays")
        self.announce(f"in the guest that stays{devices}")

    def _message(self, deadline=float("inf")):
        return json.loads(self.streams.line(deadline) or "{}")

    def _end(self):
        """Has the guest end the command, and all that it has started."""
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_WR)
            select.select([self.connection], [], [], LAST_WORDS)


def _make_shared():
    try:
        os.makedirs(SHARED, exist_ok=True)
    except OSError as error:
        raise Failure(f"the guest that stays is to write to {SHARED}, which cannot be made: {error.strerror}") from None


def parser():
    p = argparse.ArgumentParser(prog="testbed", usage="testbed up [OPTION]... | testbed down | testbed status",
                                description=DESCRIPTION, allow_abbrev=False,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("do", choices=("up", "down", "status"))
    p.add_argument("--device", choices=("rxe", "siw"), help="up: Soft-RoCE, or SoftiWARP (default: rxe)")
    p.add_argument("--idle", type=float, default=IDLE, metavar="SECONDS",
                   help=f"up: end the guest after this time without a command (default: {IDLE})")
    return p


def main(arguments, defaults):
    """Does what up, down or status ask for. defaults are the options of a guest without any."""
    wanted = parser().parse_args(arguments)
    if wanted.do == "up":
        return _up(wanted, defaults)
    status = _ask(wanted.do)
    if not status:
        say("no guest is up")
    elif wanted.do == "down":
        say("the guest is down")
    else:
        say(f"a guest is up{status['devices']}{', and ' + status['doing'] if status['doing'] else ''};"
            f" process {status['pid']} keeps it")
    return 0


def _ask(what, **more):
    """Returns what the guest's keeper says of it, or None if there is none; with "down", once it has ended."""
    text = json.dumps({"do": what, **more}).encode()
    connection = control.connect()
    if connection is None:
        return None
    try:
        with connection, connection.makefile("rb") as file:
            greeting = file.readline()
            connection.sendall(LENGTH.pack(len(text)) + text)
            if what == "down":
                file.read()
            return json.loads(greeting or "null")
    except ConnectionError:
        return None


def _up(wanted, options):
    with control.lock() as lock:
        if not control.take(lock, wait=False):
            say("another testbed up is at work: waits for it")
            control.take(lock)
        status = _ask("up", idle=wanted.idle)
        if status is None:
            options.device = wanted.device or "rxe"
            _boot(options, wanted.idle, lock)
    from . import guest
    devices = status["devices"] if status else guest.devices_named(options)
    if status and wanted.device not in (None, status["device"]):
        raise Failure(f"another guest is already up{devices}: end it with testbed down first")
    say(f"a guest is {'already ' if status else ''}up{devices}, until testbed down, or {wanted.idle:g} s without a command")
    return 0


def _boot(options, idle, lock):
    """Starts the keeper of a guest, and returns once it is ready. The lock is the keeper's until then."""
    from . import guest, machine, siw
    machine.check(options)
    if options.device == "siw":
        siw.module(guest.newest_kernel(options.root)[1])  # it says so if it takes a while
    _make_shared()
    options.checkout = CHECKOUT
    ours, theirs = socket.socketpair()
    if os.fork() == 0:
        ours.close()
        _be_keeper(options, idle, lock, theirs)
    theirs.close()
    lock.close()
    with ours, ours.makefile("rb") as report:
        text = report.read().decode(errors="replace")
    if text != "ready":
        raise Failure(text or f"the guest was ended before it was ready; if nobody has, {control.log()} may say why")


def _be_keeper(options, idle, lock, starter):
    """Is the keeper, and does not return."""
    try:
        os.setsid()
        ignore_signals()
        os.chdir("/")
        nowhere = os.open(os.devnull, os.O_RDWR)
        written = os.open(control.log(), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        for descriptor, number in ((nowhere, 0), (written, 1), (written, 2)):
            os.dup2(descriptor, number)
        kept = sorted((lock.fileno(), starter.fileno()))
        for low, high in zip((2, *kept), (*kept, os.sysconf("SC_OPEN_MAX"))):
            os.closerange(low + 1, high)  # whoever reads what started us must not wait for our end
        from . import keeper
        keeper.run(options, idle, control.listen(), starter, lock)
    except BaseException:  # it must not go on as a second testbed
        import traceback
        traceback.print_exc()
    finally:
        os._exit(BROKEN)
