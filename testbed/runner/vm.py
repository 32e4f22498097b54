# SPDX-License-Identifier: Apache-2.0
"""The command in QEMU: the guest's life, its streams and its end."""

import contextlib
import os
import re
import select
import signal
import socket
import subprocess
import threading
import time

from . import guest, machine
from .failure import TIMED_OUT, Failure, Interrupted, check_interrupted, say
from .place import architecture

BOOT_SECONDS = 300  # it takes 5 s under software emulation, and ten times that with ten others like it
END_SECONDS = 60  # a killed QEMU gives back its memory
CONSOLE_LINES = 25


class Stream(threading.Thread):
    """Copies what the guest writes to one port into a descriptor of ours, or keeps its end."""

    def __init__(self, connection, descriptor=None):
        super().__init__(daemon=True)
        self.connection = connection
        self.descriptor = descriptor
        self.kept = b""
        self.broken = False
        self.start()

    def run(self):
        while data := _receive(self.connection.fileno()):
            if self.descriptor is None or self.broken:
                self.kept = (self.kept + data)[-65536:]
                continue
            try:
                while data:
                    data = data[os.write(self.descriptor, data):]
            except OSError:
                self.broken = True  # nobody reads us any more, as in `testbed ... | head`


class Guest:
    """One QEMU process. Use it in a with statement: leaving it kills the guest, whatever happened."""

    def __init__(self, arguments, options):
        kernel, version = guest.newest_kernel(options.root)
        self.timeout = options.timeout
        ours, theirs = {}, {}
        for name in (*machine.PORTS, machine.CONSOLE):
            ours[name], theirs[name] = socket.socketpair()
        image = _in_memory("kernel", guest.kernel_image(kernel, architecture(options.root)))
        initramfs = _in_memory("initramfs", guest.initramfs(version, arguments, options, machine.told(options)))
        self.began = time.monotonic()  # to make the initramfs may have meant to build a module
        descriptors = {name: end.fileno() for name, end in theirs.items()}
        line = machine.command(options, _path(image), _path(initramfs), descriptors)
        # Its own session keeps the terminal's Ctrl-C from it: we end it in order. setpriv has the
        # kernel kill it should we be killed without a chance to do so.
        self.qemu = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", *line], start_new_session=True,
            pass_fds=(image.fileno(), initramfs.fileno(), *descriptors.values()),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        for end in (image, initramfs, *theirs.values()):
            end.close()
        self.control = ours["control"]
        self.console = Stream(ours[machine.CONSOLE], 2 if options.console else None)
        self.noise = Stream(self.qemu.stderr)
        self.outputs = [Stream(ours["stdout"], 1), Stream(ours["stderr"], 2)]
        self.input = ours["stdin"]
        self.feeding = options.stdin

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.qemu.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.qemu.wait(END_SECONDS)
        for stream in self.outputs:
            stream.join(5)  # shows what the command has said, unless our reader stands still

    def run(self):
        """Waits for the command's end and returns its exit status."""
        if self._message(min(BOOT_SECONDS, self.timeout)) != "ready":
            self._explain("the guest did not start")
        if self.feeding:
            threading.Thread(target=self._feed, daemon=True).start()
        ending = re.fullmatch(r"exit (\d+)", self._message(self.timeout))
        if not ending:
            self._explain("the guest died")
        # QEMU has taken all output from the guest before this message, and the sockets keep it.
        self.qemu.kill()
        for stream in self.outputs:
            stream.join(max(0, self.began + self.timeout - time.monotonic()))
            if stream.is_alive():
                raise Failure(f"timed out after {self.timeout:g} s: nobody reads what the command wrote", TIMED_OUT)
        return int(ending[1])

    def _message(self, seconds):
        """Returns the guest's next line, or "" when it has died; raises when the time is up."""
        line = b""
        while not line.endswith(b"\n"):
            left = self.began + seconds - time.monotonic()
            if left <= 0:
                if seconds >= self.timeout:
                    raise Failure(f"timed out after {self.timeout:g} s", TIMED_OUT)
                self._explain(f"the guest did not start within {seconds} s")
            check_interrupted()
            if any(stream.broken for stream in self.outputs):
                raise Interrupted(signal.SIGPIPE)
            if select.select([self.control], [], [], min(left, 0.2))[0]:
                data = _receive(self.control.fileno(), 1)
                if not data:
                    return ""
                line += data
        return line.decode().strip()

    def _feed(self):
        """Copies our stdin to the guest's."""
        try:
            while data := os.read(0, 65536):
                self.input.sendall(data)
            self.input.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # the command has ended without reading all

    def _explain(self, what):
        self.qemu.kill()
        self.console.join(2)
        self.noise.join(2)
        said = (self.noise.kept + self.console.kept).decode(errors="replace").splitlines()
        tail = "\n".join(f"  | {line}" for line in said[-CONSOLE_LINES:])
        raise Failure(f"{what}; the end of its console:\n{tail}" if tail else what)


def _in_memory(name, data):
    """Returns a file without a folder, so that there is nothing to leave behind."""
    file = open(os.memfd_create(name), "w+b", buffering=0)
    rest = memoryview(data)
    while rest:
        rest = rest[file.write(rest):]
    return file


def _path(file):
    return f"/proc/self/fd/{file.fileno()}"


def _receive(descriptor, size=65536):
    try:
        return os.read(descriptor, size)
    except ConnectionResetError:  # QEMU was killed
        return b""


def run(arguments, options, announce):
    names = guest.ends(options)[2::3]
    kind = {"rxe": "Soft-RoCE", "siw": "SoftiWARP"}[options.device]
    files = "" if options.root == "/" else f", {architecture(options.root)}, on the files of {options.root}"
    devices = "" if options.no_devices else f" with {kind} devices {names[0]} and {names[1]}"
    announce(f"in QEMU{devices}{files}")
    machine.check(options)
    if options.icount and guest.has_softroce_threads(options.root):
        say("with this kernel, Soft-RoCE works in a thread of its own: on the one processor that --icount has, a"
            " program that polls without sleeping waits for it until the clock's next tick")
    with Guest(arguments, options) as running:
        return running.run()
