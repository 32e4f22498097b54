# SPDX-License-Identifier: Apache-2.0
"""valkey-server, valkey-cli and valkey-benchmark with RDMA, which no Debian package has: built once from Debian's source.

The source is downloaded and unpacked in a temporary folder. What stays are the three programs, in the user's cache.
"""

import fcntl
import os
import subprocess
import sys
import tempfile
import threading

from .builds import step
from .debian import cache, debian_mirror
from .failure import Failure, catch_signals, say

VERSION = "9.1.2"
SHA256 = "8e8557da7426a51b4e0fb514a65ef6241dc7c85cb408243af389070abf379cec"
PROGRAMS = ("valkey-server", "valkey-cli", "valkey-benchmark")
# RDMA is part of each program, and nothing is linked that the machine's tests do not need, too.
OPTIONS = ("BUILD_RDMA=yes", "OPTIMIZATION=-O2", "BUILD_TLS=no", "USE_SYSTEMD=no", "MALLOC=libc")
# No file is written, and a server that is killed leaves nothing behind.
SERVER = ("--save", "", "--appendonly", "no", "--protected-mode", "no", "--daemonize", "no")

USAGE = """\
usage: testbed/valkey                                     print the folder of the programs
       testbed/valkey server ADDRESS [PORT [OPTION]...]   start valkey-server, for RDMA and TCP at that address
       testbed/valkey with ADDRESS COMMAND [ARGUMENT]...  run a command beside such a server at port 6379, and end that
       testbed/valkey cli|benchmark [OPTION]...           start valkey-cli or valkey-benchmark; --rdma for RDMA

Downloads the source of Valkey from Debian sid's mirror (4 MB) and builds it, once, into ~/.cache/isthmus (XDG_CACHE_HOME).
In the testbed's vm, which has no network, call it after it was called outside:

  testbed/valkey
  ./isthmus testbed -- testbed/valkey with 10.0.0.2 testbed/valkey cli --rdma -h 10.0.0.2 ping
"""


def folder():
    """The folder of the programs, which are built when they are not there."""
    wanted = f"{cache()}/valkey-{VERSION}-{SHA256[:12]}"
    if os.path.isdir(wanted):
        return wanted
    with open(f"{cache()}/valkey.lock", "w", encoding="ascii") as lock:
        fcntl.lockf(lock, fcntl.LOCK_EX)  # two runs at once build it once
        if not os.path.isdir(wanted):
            say(f"building Valkey {VERSION} with RDMA, once")
            with tempfile.TemporaryDirectory(prefix="valkey-part-", dir=cache()) as scratch:
                _build(scratch)
                os.rename(f"{scratch}/made", wanted)
    return wanted


def _build(scratch):
    name = f"valkey_{VERSION}.orig.tar.gz"
    mirror = debian_mirror()
    if not mirror:
        raise Failure("Valkey's source comes from Debian, and apt names no mirror of it here")
    try:
        step("valkey", "/usr/lib/apt/apt-helper", "download-file", f"{mirror.rstrip('/')}/pool/main/v/valkey/{name}",
             f"{scratch}/{name}", f"SHA256:{SHA256}")
    except Failure as failure:
        raise Failure(f"{failure}\nIf sid has another version by now, name that, with its SHA-256, in"
                      " testbed/runner/valkey.py.") from None
    os.makedirs(f"{scratch}/source")
    step("valkey", "tar", "-xzf", name, "-C", "source", "--strip-components=1", cwd=scratch)
    step("valkey", "make", f"-j{os.cpu_count()}", *OPTIONS, cwd=f"{scratch}/source")
    os.makedirs(f"{scratch}/made")
    for program in PROGRAMS:
        step("valkey", "strip", "--strip-debug", "-o", f"made/{program}", f"source/src/{program}", cwd=scratch)


def server(programs, address, port="6379", *options):
    """The command of a server at an address, for RDMA and for TCP."""
    return [f"{programs}/valkey-server", *SERVER, "--bind", address, "--port", port, "--rdma-bind", address,
            "--rdma-port", port, *options]


def beside(command, line):
    """Runs a command while a server runs that this starts and ends; returns the command's status."""
    with subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as running:
        try:
            said = []
            for text in running.stdout:
                said.append(text)
                if "Ready to accept connections rdma" in text:
                    break
            else:
                raise Failure("valkey-server did not start:\n" + "".join(said[-12:]))
            threading.Thread(target=running.stdout.read, daemon=True).start()  # or it would wait for a reader
            return subprocess.run(command, check=False).returncode
        finally:
            running.terminate()


def main(arguments):
    catch_signals()
    try:
        match arguments:
            case []:
                print(folder())
                return 0
            case ["server", address, *rest]:
                command = server(folder(), address, *rest)
            case ["with", address, _, *_]:
                return beside(arguments[2:], server(folder(), address))
            case [("cli" | "benchmark") as program, *rest]:
                command = [f"{folder()}/valkey-{program}", *rest]
            case _:
                sys.exit(USAGE)
    except Failure as failure:
        say(failure)
        return failure.status
    os.execv(command[0], command)
