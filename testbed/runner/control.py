# SPDX-License-Identifier: Apache-2.0
"""The control socket of the guest that stays: a command finds it by the name of the checkout."""

import contextlib
import fcntl
import hashlib
import os
import re
import socket
import stat
import struct

from .failure import Failure
from .place import HERE

CHECKOUT = os.path.dirname(HERE)
SHARED = os.path.join(CHECKOUT, "target", "testbed")  # what commands write there is kept

# What the guest that stays is made of. When these change, it is another one.
PARTS = ("devices", "guest/init", "guest/run", "guest/agent", "guest/mounts.py", "guest/netstate.py", "guest/ports.py",
         "runner/agent.py", "runner/control.py", "runner/guest.py", "runner/keeper.py", "runner/machine.py", "runner/vm.py")

LENGTH = struct.Struct("!I")  # before what follows


def _base():
    """Returns the path of this checkout's files, without their endings. It is short: a socket's has 107 bytes at most."""
    folder = f"/tmp/isthmus-testbed-{os.geteuid()}"
    with contextlib.suppress(FileExistsError):
        os.mkdir(folder, 0o700)
    found = os.lstat(folder)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o077:
        raise Failure(f"{folder} is not a folder of this user alone")
    name = re.sub(r"[^A-Za-z0-9_-]", "_", os.path.basename(CHECKOUT))[:32]
    return f"{folder}/{name}-{hashlib.sha256(os.fsencode(CHECKOUT)).hexdigest()[:16]}"


def log():
    return f"{_base()}.log"


def lock():
    """Returns a file by whose lock one process at a time may start a guest that stays."""
    return open(os.open(f"{_base()}.lock", os.O_RDWR | os.O_CREAT, 0o600), "r+b", buffering=0)


def take(file, wait=True):
    """Takes that lock, which holds until the last process that has inherited the file has closed it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        return True
    except BlockingIOError:
        return False


def listen():
    """Returns the socket that commands connect to. Call it with the lock, when nobody answers: it replaces one of the dead."""
    path = f"{_base()}.socket"
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    os.chmod(path, 0o600)
    listener.listen(128)
    return listener


def leave():
    with contextlib.suppress(FileNotFoundError):
        os.unlink(f"{_base()}.socket")


def connect():
    """Returns a connection to the guest that stays, or None if there is none."""
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(f"{_base()}.socket")
        return connection
    except (FileNotFoundError, ConnectionRefusedError):
        connection.close()
        return None


def identity():
    """Returns what a guest is made of: this very checkout, and the testbed's own files."""
    found = os.stat(CHECKOUT)
    digest = hashlib.sha256(f"{found.st_dev}:{found.st_ino}".encode())
    for part in PARTS:
        with open(f"{HERE}/{part}", "rb") as file:
            digest.update(hashlib.sha256(file.read()).digest())
    return digest.hexdigest()
