# SPDX-License-Identifier: Apache-2.0
"""The guest that stays, by the words that guest/agent knows."""

import asyncio
import contextlib
import socket
import time

from . import control, guest, machine
from .control import LENGTH
from .vm import BOOT_SECONDS, Qemu

CHUNK = 65536
LAST_WORDS = 5  # seconds for what a command that is ended has written to be read
END_SECONDS = 30  # for a guest to end a command


class Died(Exception):
    """The guest has ended, or does not do what it is told."""


class AgentGuest:
    def __init__(self, options):
        self._loop = asyncio.get_running_loop()
        self.options = options
        self.told = "".join(f"export {name}={value}\n" for name, value in machine.told(options).items()).encode()
        self.qemu = None
        self.said = b""

    def end(self):
        if self.qemu:
            self.qemu.end()

    async def boot(self):
        """Starts it, again if need be, and returns when it is ready; raises Failure when it does not get ready."""
        self.end()
        self.qemu = Qemu(guest.agent_files(control.CHECKOUT), self.options)
        for port in self.qemu.ports.values():
            port.setblocking(False)
        self.qemu.ports[machine.CONSOLE].setblocking(True)  # a thread reads it
        self.said = b""
        what = "the guest did not start"
        try:
            if await asyncio.wait_for(self._line(), BOOT_SECONDS) == "ready":
                return
        except (Died, OSError):
            pass
        except asyncio.TimeoutError:
            what += f" within {BOOT_SECONDS} s"
        raise self.qemu.explain(what)

    async def _line(self):
        """Returns the guest's next line."""
        while b"\n" not in self.said:
            self.said += await self._some("control", CHUNK)
        line, _, self.said = self.said.partition(b"\n")
        return line.decode()

    async def _some(self, name, size):
        data = await self._loop.sock_recv(self.qemu.ports[name], size)
        if not data:
            raise Died
        return data

    async def _exactly(self, name, size):
        data = b""
        while len(data) < size:
            data += await self._some(name, size - len(data))
        return data

    async def _send(self, name, data):
        await self._loop.sock_sendall(self.qemu.ports[name], data)

    async def run(self, script, has_input, streams, gone):
        """Runs a command until its end, or until gone is done. Returns its exit status, and whether it has left links and
        devices other than they were. streams are three sockets, which are closed."""
        script = self.told + script
        head = f"run {len(script)} {time.time()} {'stdin' if has_input else 'none'}\n"
        await self._send("control", head.encode() + script)
        source, *sinks = streams
        feed, *outputs, line = tasks = [self._loop.create_task(task) for task in (
            self._feed(source), self._deliver("stdout", sinks[0]), self._deliver("stderr", sinks[1]), self._line())]
        try:
            await asyncio.wait({line, gone}, return_when=asyncio.FIRST_COMPLETED)
            if not line.done():
                await self._send("control", b"kill\n")
                await asyncio.wait({line}, timeout=LAST_WORDS)
                _discard(sinks)  # should their reader stand still
                await asyncio.wait({line}, timeout=END_SECONDS)
                if not line.done():
                    raise Died
            _, status, state = (await line).split()
            delivered = asyncio.gather(*outputs)
            await asyncio.wait({delivered, gone}, return_when=asyncio.FIRST_COMPLETED)
            if not delivered.done():
                _discard(sinks)
            await delivered
            source.shutdown(socket.SHUT_RD)  # the command reads no more
            await feed
        finally:
            await cancel(*tasks)
            for stream in streams:
                stream.close()
        return int(status), state != "same"

    async def _feed(self, source):
        """Copies a command's input to the guest until its end, which is also that of the command."""
        try:
            while data := await self._loop.sock_recv(source, CHUNK):
                await self._send("stdin", LENGTH.pack(len(data)) + data)
        except ConnectionResetError:
            pass  # of whoever had it: the guest's end is noticed elsewhere
        await self._send("stdin", LENGTH.pack(0))

    async def _deliver(self, name, sink):
        """Copies what a command writes to who reads it, until its end, which comes also when nobody does."""
        while size := LENGTH.unpack(await self._exactly(name, LENGTH.size))[0]:
            data = await self._exactly(name, size)
            with contextlib.suppress(OSError):
                await self._loop.sock_sendall(sink, data)


async def cancel(*tasks):
    """Cancels tasks and waits for their end: as long as one waits for a socket, nobody may close it."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _discard(sinks):
    """Ends what still goes to them."""
    for sink in sinks:
        with contextlib.suppress(OSError):
            sink.shutdown(socket.SHUT_RDWR)
