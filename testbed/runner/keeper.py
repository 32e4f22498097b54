# SPDX-License-Identifier: Apache-2.0
"""The process that holds the guest that stays, and lets one command after the other into it.

A command comes as a connection, is told about the guest, and sends a request with three sockets: the other ends of its
standard streams. Then it gets lines, of JSON, and ends early by closing its end of the connection.
"""

import asyncio
import contextlib
import json
import os
import signal
import socket

from . import control, guest
from .agent import CHUNK, AgentGuest, Died, cancel
from .control import LENGTH
from .failure import Failure, say

READY = b"ready"


class Keeper:
    def __init__(self, options, idle, listener, starter, lock):
        self.options = options
        self.idle = idle
        self.listener = listener
        self.starter = starter  # a socket of the process that waits for the end of the boot
        self.lock = lock  # held until then
        self.identity = control.identity()
        self.tasks = set()
        self.timer = None
        self.doing = "boots"

    async def keep(self):
        """Boots the guest, and returns when it is time to end. Raises what is wrong."""
        self.loop = asyncio.get_running_loop()
        self.ended = self.loop.create_future()
        self.turn = asyncio.Lock()
        self.guest = AgentGuest(self.options)
        self.loop.add_signal_handler(signal.SIGTERM, self.end)
        for end in (self.listener, self.starter):
            end.setblocking(False)
        self._start(self._begin())
        try:
            await self.ended
        finally:
            control.leave()  # before any connection is closed: from then on another may be there
            self.guest.end()

    def end(self, reason=None):
        if not self.ended.done():
            if reason:
                self.ended.set_exception(reason)
            else:
                self.ended.set_result(None)

    def _start(self, coroutine):
        """Starts a task whose failure is that of the keeper."""
        task = self.loop.create_task(coroutine)
        self.tasks.add(task)  # the loop itself holds none

        def done(_):
            self.tasks.discard(task)
            if not task.cancelled() and task.exception():
                self.end(task.exception())

        task.add_done_callback(done)
        return task

    async def _begin(self):
        async with self.turn:
            self._start(self._accept())
            abandoned = self.loop.create_task(self._gone(self.starter))
            boot = self.loop.create_task(self.guest.boot())
            await asyncio.wait({boot, abandoned}, return_when=asyncio.FIRST_COMPLETED)
            if not boot.done():
                await cancel(boot)
                self.end()
                return
            await boot  # raises what is wrong
            await cancel(abandoned)
            with contextlib.suppress(ConnectionError):
                await self.loop.sock_sendall(self.starter, READY)
            self.starter.close()
            self.lock.close()
            self._set_idle()

    async def _accept(self):
        while True:
            connection, _ = await self.loop.sock_accept(self.listener)
            connection.setblocking(False)
            self._start(self._answer(connection))

    def _set_idle(self):
        """Begins the time without commands after which the guest ends."""
        self.doing = None
        self.timer = self.loop.call_later(self.idle, self.end)

    def _set_busy(self, what):
        self.doing = what
        self.timer.cancel()

    async def _answer(self, connection):
        with connection:
            streams = []
            try:
                await self._tell(connection, device=self.options.device, devices=guest.devices_named(self.options),
                                 identity=self.identity, doing=self.doing, pid=os.getpid())
                request, streams = await self._request(connection)
                if request["do"] == "run":
                    await self._run(connection, request, streams)
                elif request["do"] == "up":
                    self.idle = request["idle"]
                    if self.doing is None:
                        self.timer.cancel()
                        self._set_idle()
                elif request["do"] == "down":
                    self.end()
                    await self._gone(connection)  # this one goes first
            except ConnectionError:
                pass  # whoever has asked is gone
            finally:
                for stream in streams:
                    stream.close()

    async def _request(self, connection):
        readable = self.loop.create_future()
        self.loop.add_reader(connection, lambda: readable.done() or readable.set_result(None))
        try:
            await readable
        finally:
            self.loop.remove_reader(connection)
        length, descriptors, _, _ = socket.recv_fds(connection, LENGTH.size, 3)
        streams = [socket.socket(fileno=descriptor) for descriptor in descriptors]
        for stream in streams:
            stream.setblocking(False)
        if len(length) < LENGTH.size:
            raise ConnectionError
        text, (size,) = b"", LENGTH.unpack(length)
        while len(text) < size:
            if not (data := await self.loop.sock_recv(connection, size - len(text))):
                raise ConnectionError
            text += data
        return json.loads(text), streams

    async def _tell(self, connection, **what):
        with contextlib.suppress(ConnectionError):  # it may be gone
            await self.loop.sock_sendall(connection, json.dumps(what).encode() + b"\n")

    async def _gone(self, connection):
        """Returns when the other side has closed the connection, or its end of it."""
        try:
            while await self.loop.sock_recv(connection, CHUNK):
                pass
        except OSError:
            pass

    async def _run(self, connection, request, streams):
        gone = self.loop.create_task(self._gone(connection))
        turn = self.loop.create_task(self.turn.acquire())
        await asyncio.sleep(0)
        try:
            if not turn.done():
                await self._tell(connection, wait=True)
            await asyncio.wait({gone, turn}, return_when=asyncio.FIRST_COMPLETED)
            if turn.done() and not gone.done():
                await self._run_in_turn(connection, request, streams, gone)
        finally:
            await cancel(gone)
            await cancel(turn)
            if not turn.cancelled():
                self.turn.release()

    async def _run_in_turn(self, connection, request, streams, gone):
        if self.guest.qemu.process.poll() is not None:
            await self._boot_again()
        self._set_busy("runs a command")
        await self._tell(connection, turn=True)
        try:
            status, changed = await self.guest.run(
                request["script"].encode(errors="surrogateescape"), request["stdin"], streams, gone)
            await self._tell(connection, exit=status, changed=changed)
        except (Died, OSError):
            failure = self.guest.qemu.explain("the guest died")
            say(failure)
            await self._tell(connection, failed=str(failure))
            changed = True
        if changed:
            await self._boot_again()
        self._set_idle()

    async def _boot_again(self):
        self._set_busy("boots")
        await self.guest.boot()


def run(options, idle, listener, starter, lock):
    """Is the keeper until its end. Tells starter, a socket, when the guest is ready, or what is wrong."""
    try:
        asyncio.run(Keeper(options, idle, listener, starter, lock).keep())
    except (Failure, OSError) as failure:
        say(failure)
        with contextlib.suppress(OSError):
            starter.sendall(str(failure).encode())
