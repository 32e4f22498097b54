# SPDX-License-Identifier: Apache-2.0
"""A command's standard streams, between its pipes and the ports of the guest that stays."""

import os
import select
import struct

CHUNK = 32768 - 4  # the kernel takes no more at a time


class Output:
    """From a pipe of the command's to a port."""

    def __init__(self, port):
        self.port = port
        self.pipe, self.theirs = os.pipe()
        os.set_blocking(self.pipe, False)
        self.chunk = b""
        self.ended = False

    def waits_for(self):
        if self.chunk:
            return self.port, select.POLLOUT
        return None if self.ended else (self.pipe, select.POLLIN)

    def move(self):
        try:
            if self.chunk:
                self.chunk = self.chunk[os.write(self.port, self.chunk):]
            elif not self.ended:
                data = os.read(self.pipe, CHUNK)
                self.chunk = struct.pack("!I", len(data)) + data
                if not data:
                    self.ended = True
                    os.close(self.pipe)
        except BlockingIOError:
            pass


class Input:
    """From the port to a pipe of the command's, or to nowhere once it reads no more."""

    def __init__(self, port):
        self.port = port
        self.theirs, self.pipe = os.pipe()
        os.set_blocking(self.pipe, False)
        self.data = b""  # for the pipe
        self.raw = b""  # from the port
        self.left = 0  # of the present chunk
        self.ended = False

    def waits_for(self):
        if self.data:
            return self.pipe, select.POLLOUT
        return None if self.ended else (self.port, select.POLLIN)

    def move(self):
        try:
            if self.data:
                self.data = self.data[os.write(self.pipe, self.data):]
            elif not self.ended:
                self.raw += os.read(self.port, CHUNK)
                self._unpack()
        except BlockingIOError:
            return
        except BrokenPipeError:
            self.close()
        if self.ended and not self.data:
            self.close()

    def _unpack(self):
        while not self.ended and (len(self.raw) >= 4 if self.left == 0 else self.raw):
            if self.left == 0:
                (self.left,) = struct.unpack_from("!I", self.raw)
                self.raw = self.raw[4:]
                self.ended = self.left == 0
            else:
                data = self.raw[:self.left]
                self.raw = self.raw[len(data):]
                self.left -= len(data)
                self.data += data if self.pipe is not None else b""

    def close(self):
        if self.pipe is not None:
            os.close(self.pipe)
        self.pipe, self.data = None, b""


def poll(*waits, seconds=None):
    """Waits for events, and returns the descriptors that have some."""
    polling = select.poll()
    for descriptor, events in waits:
        polling.register(descriptor, events)
    return {descriptor for descriptor, _ in polling.poll(None if seconds is None else seconds * 1000)}
