# SPDX-License-Identifier: Apache-2.0
"""Two Soft-RoCE devices on this machine, and a keeper that removes them whatever happens.

Runs that overlap take different pairs of devices and agree by locks on bytes of one file: byte N belongs to the
keeper of pair N, the one after the last pair to whoever makes or removes something. The file holds the names of
the modules that runs have loaded, for the last run to unload: unloading rdma_rxe or veth takes the devices of
everybody with it.
"""

import contextlib
import fcntl
import glob
import os
import re
import select
import signal
import socket
import subprocess

from .failure import Failure, Unavailable, ignore_signals, say
from .place import HERE

REGISTER = "/run/isthmus-testbed"  # not in a folder where others can write

# Networks for benchmarks (RFC 2544): no real one uses them.
NETWORK = "198.18.{}"
PAIRS = 32

# It makes or removes devices in a second, but on a busy machine, and it waits for other runs' keepers.
KEEPER_SECONDS = 200

MODULES = ("veth", "ib_uverbs", "rdma_ucm", "rdma_rxe")  # what testbed/devices loads

CAP_NET_ADMIN = 12
CAP_SYS_MODULE = 16


class Devices:
    """Two Soft-RoCE devices on a veth pair. Use it in a with statement.

    Another process, the keeper, makes them, and removes them once this one has closed its end of a socket: the
    kernel does that even for a process that was killed. What the keeper cannot remove, because it was killed
    too, the next keeper does.
    """

    def __enter__(self):
        _check()
        self.line, theirs = socket.socketpair()
        self.keeper = os.fork()
        if self.keeper == 0:
            self.line.close()
            _be_keeper(theirs)
        theirs.close()
        try:
            answer = self._answer()
            word, _, rest = answer.partition(" ")
            if word != "ready":
                raise Unavailable(rest or "the keeper of the devices died")
            first, second = rest.split()
        except BaseException:
            self.__exit__()
            raise
        self.names = first.split("=")[0], second.split("=")[0]
        self.addresses = first.split("=")[1], second.split("=")[1]
        return self

    def _answer(self):
        """Returns all that the keeper says once it has made the devices, or could not."""
        self.line.settimeout(KEEPER_SECONDS)
        try:
            return b"".join(iter(lambda: self.line.recv(4096), b"")).decode()
        except TimeoutError:
            raise Unavailable(f"no Soft-RoCE devices within {KEEPER_SECONDS} s") from None

    def __exit__(self, *_):
        ignore_signals()
        self.line.close()
        end = os.pidfd_open(self.keeper)
        if select.select([end], [], [], KEEPER_SECONDS)[0]:
            os.waitpid(self.keeper, 0)
        else:  # it goes on without us
            say(f"the Soft-RoCE devices are still there after {KEEPER_SECONDS} s")
        os.close(end)


def _check():
    """Raises when this process may not make links and load modules into the running kernel."""
    with open("/proc/self/status", encoding="ascii") as file:
        rights = int(re.search(r"^CapEff:\s*(\w+)", file.read(), re.MULTILINE)[1], 16)
    if not all(rights >> right & 1 for right in (CAP_NET_ADMIN, CAP_SYS_MODULE)):
        raise Unavailable("no right to make Soft-RoCE devices")  # root in a container, too, as a rule
    with contextlib.suppress(FileNotFoundError):
        if subprocess.run(["modprobe", "--dry-run", "--quiet", "rdma_rxe"], check=False).returncode == 0:
            return
    raise Unavailable("no rdma_rxe module for the running kernel")


def _be_keeper(line):
    """Is the keeper, and does not return."""
    os.setsid()
    ignore_signals()
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)  # who reads the command's output must not wait for us
    try:
        _keep(line)
    except (Failure, OSError, subprocess.SubprocessError) as error:
        with contextlib.suppress(OSError):
            line.sendall(f"failed {error}".encode())
    finally:
        os._exit(0)


def _keep(line):
    with open(os.open(REGISTER, os.O_RDWR | os.O_CREAT, 0o600), "r+", encoding="ascii") as register:
        with _alone(register):
            number = _claim(register)
            ends = _ends(number)
            before = _modules()
            made = _devices("up", ends)
            _note(register, _modules() - before)
            if made.returncode != 0:
                _remove(register, ends)
                said = made.stderr.strip().splitlines() or ["testbed/devices failed"]
                raise Failure(said[-1].removeprefix("testbed: "))
        with contextlib.suppress(OSError):  # the other end may be gone already
            line.sendall("ready {2}={1} {5}={4}".format(*ends).encode())
            line.shutdown(socket.SHUT_WR)
            line.recv(1)  # nothing comes: it ends when the other end is closed
        with _alone(register):
            _remove(register, ends)


def _ends(number):
    """Returns a pair as testbed/devices takes it: link, address and device, twice."""
    first, second = f"isthmus{2 * number}", f"isthmus{2 * number + 1}"
    network = NETWORK.format(number)
    return first, f"{network}.1", first, second, f"{network}.2", second


def _devices(action, ends):
    return subprocess.run([f"{HERE}/devices", action, *ends], check=False, text=True, errors="replace",
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def _claim(register):
    """Returns the number of a free pair, which is then ours until we die, and removes what the dead have left."""
    for link in glob.glob("/sys/class/net/isthmus*"):
        number = re.fullmatch(r"isthmus(\d+)", os.path.basename(link))
        if number and int(number[1]) < 2 * PAIRS and _lock(register, int(number[1]) // 2):
            _take_down(_ends(int(number[1]) // 2))
    routes = subprocess.run(["ip", "-4", "route", "show", "table", "all"],
                            capture_output=True, text=True, check=False).stdout
    for number in range(PAIRS):
        if f"{NETWORK.format(number)}." not in routes and _lock(register, number):
            return number
    raise Failure("all names and networks for Soft-RoCE devices are in use")


def _remove(register, ends):
    """Removes a pair, and with the last one the modules, unless somebody else has come to use them."""
    _take_down(ends)
    others = glob.glob("/sys/class/infiniband/*") or subprocess.run(
        ["ip", "-o", "link", "show", "type", "veth"], capture_output=True, check=False).stdout
    if _lock(register, 0, PAIRS) and not others:
        register.seek(0)
        _unload(set(register.read().split()) & _modules())
        register.truncate(0)


def _take_down(ends):
    """Removes a pair. To delete a device waits for those who have it open: they end first."""
    for node in glob.glob("/sys/class/infiniband_verbs/uverbs*"):
        with contextlib.suppress(OSError), open(f"{node}/ibdev", encoding="ascii") as file:
            if file.read().strip() in ends:
                _end_users(f"/dev/infiniband/{os.path.basename(node)}")
    removed = _devices("down", ends)
    if removed.returncode != 0:
        say(f"could not remove {ends[0]}: {removed.stderr.strip()}")


def _end_users(node):
    for link in glob.glob("/proc/[0-9]*/fd/*"):
        with contextlib.suppress(OSError):
            if os.readlink(link) == node:
                os.kill(int(link.split("/")[2]), signal.SIGKILL)


@contextlib.contextmanager
def _alone(register):
    fcntl.lockf(register, fcntl.LOCK_EX, 1, PAIRS)
    try:
        yield
    finally:
        fcntl.lockf(register, fcntl.LOCK_UN, 1, PAIRS)


def _lock(register, start, count=1):
    """Tells whether these pairs are nobody else's; then they are ours until we die."""
    try:
        fcntl.lockf(register, fcntl.LOCK_EX | fcntl.LOCK_NB, count, start)
        return True
    except OSError:
        return False


def _modules():
    with open("/proc/modules", encoding="ascii") as file:
        return {line.split()[0] for line in file}


def _note(register, loaded):
    """Adds modules to the register, but not what others happened to load at the same time."""
    if not loaded:
        return
    tree = subprocess.run(["modprobe", "--show-depends", "--all", *MODULES],
                          capture_output=True, text=True, check=False).stdout
    ours = {name.replace("-", "_") for name in re.findall(r"([^/\s]+)\.ko", tree)}
    # rdma_rxe asks for its checksum by the name of the algorithm, without depending on it.
    ours |= {name for name in loaded if name.startswith("crc32_")}
    register.seek(0, os.SEEK_END)
    register.write("".join(f"{name}\n" for name in loaded & ours))
    register.flush()


def _unload(modules):
    """Unloads modules, users before what they use: another round as long as one of them went."""
    while modules:
        for module in modules:
            subprocess.run(["rmmod", module], check=False, stderr=subprocess.DEVNULL)
        left = modules & _modules()
        if left == modules:
            return
        modules = left
