# SPDX-License-Identifier: Apache-2.0
"""The streams of a command that runs in a guest, and ours."""

import os
import select
import signal
import socket
import threading
import time

from .failure import TIMED_OUT, Failure, Interrupted, check_interrupted


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
        while data := receive(self.connection.fileno()):
            if self.descriptor is None or self.broken:
                self.kept = (self.kept + data)[-65536:]
                continue
            try:
                while data:
                    data = data[os.write(self.descriptor, data):]
            except OSError:
                self.broken = True  # nobody reads us any more, as in `testbed ... | head`


class Streams:
    """The command's end of four sockets: lines that tell what becomes of it, and its standard streams."""

    def __init__(self, control, stdin, stdout, stderr):
        self.control = control
        self.input = stdin
        self.outputs = [Stream(stdout, 1), Stream(stderr, 2)]

    def line(self, deadline):
        """Returns the next line, or "" when the other end has gone; raises TimeoutError at the deadline."""
        line = b""
        while not line.endswith(b"\n"):
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            check_interrupted()
            if any(stream.broken for stream in self.outputs):
                raise Interrupted(signal.SIGPIPE)
            if select.select([self.control], [], [], min(left, 0.2))[0]:
                data = receive(self.control.fileno(), 1)
                if not data:
                    return ""
                line += data
        return line.decode().strip()

    def feed(self):
        """Begins to copy our stdin to the command's."""
        threading.Thread(target=self._feed, daemon=True).start()

    def _feed(self):
        try:
            while data := os.read(0, 65536):
                self.input.sendall(data)
            self.input.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # the command has ended without reading all

    def finish(self, deadline, timeout):
        """Waits until our readers have all that the command wrote."""
        for stream in self.outputs:
            stream.join(max(0, deadline - time.monotonic()))
            if stream.is_alive():
                raise Failure(f"timed out after {timeout:g} s: nobody reads what the command wrote", TIMED_OUT)


def receive(descriptor, size=65536):
    try:
        return os.read(descriptor, size)
    except ConnectionResetError:  # QEMU was killed
        return b""
