# SPDX-License-Identifier: Apache-2.0
"""The command in QEMU: the guest's life and its end."""

import contextlib
import os
import re
import socket
import subprocess
import time

from . import guest, machine
from .failure import TIMED_OUT, Failure, say
from .place import architecture
from .streams import Stream, Streams

BOOT_SECONDS = 300  # it takes 5 s under software emulation, and ten times that with ten others like it
END_SECONDS = 60  # a killed QEMU gives back its memory
CONSOLE_LINES = 25


class Qemu:
    """One QEMU process, which dies with this one."""

    def __init__(self, files, options):
        """Starts it with an initramfs that has these files, too."""
        kernel, version = guest.newest_kernel(options.root)
        self.ports, theirs = {}, {}
        for name in (*machine.PORTS, machine.CONSOLE):
            self.ports[name], theirs[name] = socket.socketpair()
        image = _in_memory("kernel", guest.kernel_image(kernel, architecture(options.root)))
        initramfs = _in_memory("initramfs", guest.initramfs(version, files, options))
        self.began = time.monotonic()  # to make the initramfs may have meant to build a module
        descriptors = {name: end.fileno() for name, end in theirs.items()}
        line = machine.command(options, _path(image), _path(initramfs), descriptors)
        # Its own session keeps the terminal's Ctrl-C from it: we end it in order. setpriv has the
        # kernel kill it should we be killed without a chance to do so.
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", *line], start_new_session=True,
            pass_fds=(image.fileno(), initramfs.fileno(), *descriptors.values()),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        for end in (image, initramfs, *theirs.values()):
            end.close()
        self.console = Stream(self.ports[machine.CONSOLE], 2 if options.console else None)
        self.noise = Stream(self.process.stderr)

    def kill(self):
        self.process.kill()

    def end(self):
        self.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(END_SECONDS)

    def explain(self, what):
        """Returns the failure that says what has happened, and what the guest has said last."""
        self.kill()
        self.console.join(2)
        self.noise.join(2)
        said = (self.noise.kept + self.console.kept).decode(errors="replace").splitlines()
        tail = "\n".join(f"  | {line}" for line in said[-CONSOLE_LINES:])
        return Failure(f"{what}; the end of its console:\n{tail}" if tail else what)


class Guest:
    """A guest for one command. Use it in a with statement: leaving it kills the guest, whatever happened."""

    def __init__(self, arguments, options):
        self.timeout = options.timeout
        self.feeding = options.stdin
        self.qemu = Qemu(guest.command_files(arguments, options, machine.told(options)), options)
        self.streams = Streams(*(self.qemu.ports[name] for name in machine.PORTS))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.qemu.end()
        for stream in self.streams.outputs:
            stream.join(5)  # shows what the command has said, unless our reader stands still

    def run(self):
        """Waits for the command's end and returns its exit status."""
        if self._message(min(BOOT_SECONDS, self.timeout)) != "ready":
            raise self.qemu.explain("the guest did not start")
        if self.feeding:
            self.streams.feed()
        ending = re.fullmatch(r"exit (\d+)", self._message(self.timeout))
        if not ending:
            raise self.qemu.explain("the guest died")
        # QEMU has taken all output from the guest before this message, and the sockets keep it.
        self.qemu.kill()
        self.streams.finish(self.qemu.began + self.timeout, self.timeout)
        return int(ending[1])

    def _message(self, seconds):
        """Returns the guest's next line, or "" when it has died; raises when the time is up."""
        try:
            return self.streams.line(self.qemu.began + seconds)
        except TimeoutError:
            if seconds >= self.timeout:
                raise Failure(f"timed out after {self.timeout:g} s", TIMED_OUT) from None
            raise self.qemu.explain(f"the guest did not start within {seconds} s") from None


def _in_memory(name, data):
    """Returns a file without a folder, so that there is nothing to leave behind."""
    file = open(os.memfd_create(name), "w+b", buffering=0)
    rest = memoryview(data)
    while rest:
        rest = rest[file.write(rest):]
    return file


def _path(file):
    return f"/proc/self/fd/{file.fileno()}"


def run(arguments, options, announce):
    files = "" if options.root == "/" else f", {architecture(options.root)}, on the files of {options.root}"
    announce(f"in QEMU{guest.devices_named(options)}{files}")
    machine.check(options)
    if options.icount and guest.has_softroce_threads(options.root):
        say("with this kernel, Soft-RoCE works in a thread of its own: on the one processor that --icount has, a"
            " program that polls without sleeping waits for it until the clock's next tick")
    with Guest(arguments, options) as running:
        return running.run()
