# SPDX-License-Identifier: Apache-2.0
"""The process that holds the guest that stays, and lets one command after the other into it.

A command comes as a connection with a request and three sockets, the other ends of its standard streams. guest/agent says
what goes to and from the guest.
"""

import asyncio
import contextlib
import json
import os
import signal
import socket
import time

from . import guest, machine, rendezvous
from .failure import Failure, say
from .rendezvous import LENGTH
from .vm import BOOT_SECONDS, Qemu

READY = b"ready"
CHUNK = 65536
LAST_WORDS = 5  # seconds for what a command that is ended has written to be read
END_SECONDS = 30  # for a guest to end a command


class Died(Exception):
    """The guest has ended, or does not do what it is told."""


class Keeper:
    def __init__(self, options, idle, listener, starter, lock):
        self.options = options
        self.idle = idle
        self.listener = listener
        self.starter = starter  # a socket of the process that waits for the end of the boot
        self.lock = lock  # held until then
        self.identity = rendezvous.identity()
        self.qemu = None
        self.tasks = set()
        self.timer = None
        self.doing = "boots"

    async def keep(self):
        """Boots the guest, and returns when it is time to end. Raises what is wrong."""
        self.loop = asyncio.get_running_loop()
        self.ended = self.loop.create_future()
        self.turn = asyncio.Lock()
        self.loop.add_signal_handler(signal.SIGTERM, self.end)
        for end in (self.listener, self.starter):
            end.setblocking(False)
        self._start(self._begin())
        try:
            await self.ended
        finally:
            rendezvous.leave()  # before any connection is closed: from then on another may be there
            if self.qemu:
                self.qemu.end()

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
            boot = self.loop.create_task(self._boot())
            await asyncio.wait({boot, abandoned}, return_when=asyncio.FIRST_COMPLETED)
            if not boot.done():
                await _cancel(boot)
                self.end()
                return
            await boot  # raises what is wrong
            await _cancel(abandoned)
            with contextlib.suppress(ConnectionError):
                await self.loop.sock_sendall(self.starter, READY)
            self.starter.close()
            self.lock.close()
            self._rest()

    async def _accept(self):
        while True:
            connection, _ = await self.loop.sock_accept(self.listener)
            connection.setblocking(False)
            self._start(self._answer(connection))

    # --- the guest

    async def _boot(self):
        if self.qemu:
            self.qemu.end()
        self.qemu = Qemu(guest.agent_files(rendezvous.CHECKOUT), self.options)
        for port in self.qemu.ports.values():
            port.setblocking(False)
        self.qemu.ports[machine.CONSOLE].setblocking(True)  # a thread reads it
        self.said = b""
        try:
            if await asyncio.wait_for(self._line(), BOOT_SECONDS) == "ready":
                return
            what = "the guest did not start"
        except (Died, OSError):
            what = "the guest did not start"
        except asyncio.TimeoutError:
            what = f"the guest did not start within {BOOT_SECONDS} s"
        raise self.qemu.explain(what)

    async def _line(self):
        """Returns the guest's next line."""
        while b"\n" not in self.said:
            self.said += await self._some("control", CHUNK)
        line, _, self.said = self.said.partition(b"\n")
        return line.decode()

    async def _some(self, name, size):
        data = await self.loop.sock_recv(self.qemu.ports[name], size)
        if not data:
            raise Died
        return data

    async def _exactly(self, name, size):
        data = b""
        while len(data) < size:
            data += await self._some(name, size - len(data))
        return data

    async def _send(self, name, data):
        await self.loop.sock_sendall(self.qemu.ports[name], data)

    def _rest(self):
        """Begins the time without commands after which the guest ends."""
        self.doing = None
        self.timer = self.loop.call_later(self.idle, self.end)

    def _work(self, what):
        self.doing = what
        self.timer.cancel()

    # --- what comes by a connection

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
                        self._rest()
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
                await self._run_now(connection, request, streams, gone)
        finally:
            await _cancel(gone)
            await _cancel(turn)
            if not turn.cancelled():
                self.turn.release()

    async def _run_now(self, connection, request, streams, gone):
        if self.qemu.process.poll() is not None:
            await self._boot_again()
        self._work("runs a command")
        await self._tell(connection, turn=True)
        try:
            changed = await self._perform(connection, request, streams, gone)
        except (Died, OSError):
            failure = self.qemu.explain("the guest died")
            say(failure)
            await self._tell(connection, failed=str(failure))
            changed = True
        if changed:
            await self._boot_again()
        self._rest()

    async def _boot_again(self):
        self._work("boots")
        await self._boot()

    async def _perform(self, connection, request, streams, gone):
        """Runs a command; returns whether the guest must boot again."""
        told = "".join(f"export {name}={value}\n" for name, value in machine.told(self.options).items())
        script = told.encode() + request["script"].encode(errors="surrogateescape")
        head = f"run {len(script)} {time.time()} {'stdin' if request['stdin'] else 'none'}\n"
        await self._send("control", head.encode() + script)
        source, *sinks = streams
        feed, *outputs, line = tasks = [self.loop.create_task(task) for task in (
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
            await _cancel(*tasks)
            for stream in streams:
                stream.close()
        await self._tell(connection, exit=int(status), changed=state != "same")
        return state != "same"

    async def _feed(self, source):
        """Copies a command's input to the guest until its end, which is also that of the command."""
        try:
            while data := await self.loop.sock_recv(source, CHUNK):
                await self._send("stdin", LENGTH.pack(len(data)) + data)
        except ConnectionResetError:
            pass  # of whoever had it: the guest's end is noticed elsewhere
        await self._send("stdin", LENGTH.pack(0))

    async def _deliver(self, name, sink):
        """Copies what a command writes to who reads it, until its end, which comes also when nobody does."""
        while size := LENGTH.unpack(await self._exactly(name, LENGTH.size))[0]:
            data = await self._exactly(name, size)
            with contextlib.suppress(OSError):
                await self.loop.sock_sendall(sink, data)


async def _cancel(*tasks):
    """Cancels tasks and waits for their end: as long as one waits for a socket, nobody may close it."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _discard(sinks):
    """Ends what still goes to them."""
    for sink in sinks:
        with contextlib.suppress(OSError):
            sink.shutdown(socket.SHUT_RDWR)


def run(options, idle, listener, starter, lock):
    """Is the keeper until its end. Tells starter, a socket, when the guest is ready, or what is wrong."""
    try:
        asyncio.run(Keeper(options, idle, listener, starter, lock).keep())
    except (Failure, OSError) as failure:
        say(failure)
        with contextlib.suppress(OSError):
            starter.sendall(str(failure).encode())
