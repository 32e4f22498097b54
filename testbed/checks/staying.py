# SPDX-License-Identifier: Apache-2.0
"""The guest that stays."""

import glob
import os
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from .harness import (ALL_BYTES, AWAIT, END_LIMIT, GUEST_LIMIT, HERE, TIED, check, finish, first_line, left_behind, read,
                      run, started)

# In the guest that stays, argument 1 is a folder to keep. Something is left running that holds an output open.
STAYING_TOUR = r"""
cat >"$1/stdin"
pwd >"$1/folder"
ulimit -l >"$1/memlock"
echo "$ISTHMUS_SELFTEST/$SELFTEST_GIVEN/$ISTHMUS_TESTBED/$ISTHMUS_DEVICES/$ISTHMUS_ADDRESSES" >"$1/told"
cat "$0" >forgotten
echo stays >/tmp/selftest-stays
cat "$1/stdin"; cat "$1/stdin" >/dev/stderr
sleep 1000 &
exit 7
"""


class Staying:
    """A checkout with nothing but a testbed, so that the guest that stays is nobody else's."""

    def __init__(self, checkout):
        self.checkout = checkout
        self.kept = f"{checkout}/target/testbed"
        shutil.copytree(HERE, f"{checkout}/testbed", ignore=shutil.ignore_patterns("target", "src", "__pycache__"))

    def start(self, *arguments, prefix=(), **settings):
        environment = dict(os.environ, ISTHMUS_SELFTEST="passed")
        environment.pop("ISTHMUS_TESTBED", None)
        process = subprocess.Popen([*TIED, *prefix, f"{self.checkout}/testbed/testbed", *arguments], env=environment, **{
            "stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "cwd": self.checkout,
            **settings})
        started.append(process)
        return process

    def run(self, *arguments, data=None, prefix=()):
        process = self.start(*arguments, prefix=prefix, stdin=subprocess.DEVNULL if data is None else subprocess.PIPE)
        out, err = finish(process, data)
        return process.returncode, out, err

    def says(self, *command):
        """What a shell's command writes to its standard output there."""
        return self.run("--quiet", "--", "sh", "-c", *command)[1]

    def await_status(self, what):
        """Waits until the status says so; returns the number of the process that keeps the guest, or None."""
        deadline = time.monotonic() + GUEST_LIMIT
        while what not in (said := self.run("status")[2]):
            if time.monotonic() > deadline:
                check(f"status: {what}", False, said)
                break
            time.sleep(0.1)
        pid = re.search(rb"process (\d+)", said)
        return int(pid[1]) if pid else None


def check_stays():
    """The guest that stays: two boots, and one that is broken off."""
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.basename(folder)  # which nobody else's checkout has
        there = Staying(f"{folder}/{name}")
        try:
            check_staying_begins(there, f"{folder}/other")
            check_staying_command(there)
            check_staying_files(there, folder)
            check_staying_signals(there)
            check_staying_streams(there)
            check_staying_turns(there)
            check_staying_damage(there)
            check_staying_ends(there)
        finally:
            there.run("down")
            for path in glob.glob(f"/tmp/isthmus-testbed-{os.geteuid()}/{name}-*"):
                os.unlink(path)  # its lock and log


def check_staying_begins(there, other):
    none = there.run("down"), there.run("status")
    check("down and status without a guest", all(r[0] == 0 and b"no guest is up" in r[2] for r in none), none)
    # Broken off while it boots. What was killed leaves its socket.
    up = there.start("up")
    os.kill(there.await_status(b"boots"), signal.SIGKILL)
    _, err = finish(up)
    check("up says that its keeper was killed", up.returncode == 125 and b"before it was ready" in err, err)
    check("a keeper that was killed takes its guest along", not left_behind(f"path={there.checkout},"))
    check("its socket is nobody's", b"no guest is up" in there.run("status")[2])
    both = [there.start("up", "--idle", "600") for _ in range(2)]
    said = sorted(finish(up)[1].splitlines()[-1] for up in both)
    check("two at once boot one guest", [up.returncode for up in both] == [0, 0] and b"already up" in said[0]
          and b"a guest is up with Soft-RoCE devices rxe0 and rxe1" in said[1], said)
    elsewhere = Staying(other).run("status")
    check("another checkout does not see it", b"no guest is up" in elsewhere[2], elsewhere)
    link = f"{other}-link"
    os.symlink(there.checkout, link)
    same = run(f"{link}/testbed/testbed", "status")
    check("by another name the checkout is the same", b"a guest is up" in same[2], same)


def check_staying_command(there):
    with open(f"{there.checkout}/tour", "w", encoding="utf-8") as file:
        file.write(STAYING_TOUR)
    began = time.monotonic()
    status, out, err = there.run("--memlock", "4096", "--env", "SELFTEST_GIVEN=given", "--rw", there.kept, "--",
                                 "sh", "tour", there.kept, data=ALL_BYTES)
    place, _, rest = err.partition(b"\n")
    check("the guest that stays: exit status 7", status == 7, f"{status} {err[-2000:]!r}")
    check("what is left running is not waited for", time.monotonic() - began < 500)
    check("the guest that stays: stdout, and stderr after one line", out == rest == ALL_BYTES
          and b"in the guest that stays with Soft-RoCE" in place, f"{out} {err}")
    for name, expected in (("stdin", ALL_BYTES), ("folder", f"{there.checkout}\n".encode()), ("memlock", b"4096\n"),
                           ("told", b"passed/given/vm/rxe0 rxe1/10.0.0.1 10.0.0.2\n")):
        check(f"the guest that stays: {name}", read(there.kept, name) == expected, read(there.kept, name))
    check("the rest of the checkout is not written", not os.path.exists(f"{there.checkout}/forgotten"))
    after = there.says("ls forgotten; cat /tmp/selftest-stays; cat /proc/[0-9]*/comm | grep sleep; exit 0")
    check("after a command its processes and files are gone, but for those elsewhere", after == b"stays\n", after)
    for command, expected in (("/no/such/program", 127), ("/tmp", 126)):
        refused = there.run("--", command)
        check(f"the guest that stays: exit status {expected}", refused[0] == expected, refused)
    check("the guest that stays: exit status of a signal", there.run("--", "sh", "-c", "kill -9 $$")[0] == 137)
    timeout = there.run("--timeout", "1", "--", "sleep", "1000")
    check("the guest that stays: timeout", timeout[0] == 124 and b"timed out after 1 s" in timeout[2], timeout)
    programs = f"{there.checkout}/programs"  # without QEMU
    os.mkdir(programs)
    os.symlink(sys.executable, f"{programs}/python3")
    for option, why in (("--own-guest", b""), ("--memory=3G", b" (--memory takes a guest of its own)"),
                        ("--device=siw", b" (the guest that stays has rxe devices)"),
                        ("--rw=testbed", b" (--rw outside of target/testbed takes a guest of its own)")):
        own = there.run(option, "--where", "vm", "--", "true", prefix=("env", f"PATH={programs}"))
        check(f"{option} takes a guest of its own", own[0] == 125 and b"no qemu-system" in own[2]
              and own[2].startswith(b"testbed: in QEMU") and own[2].splitlines()[0].endswith(why), own)


def check_staying_files(there, folder):
    """What changes on the host between two commands. The first has looked at all of it."""
    places = (there.checkout, folder)
    def write(name, text):
        for place in places:
            with open(f"{place}/{name}", "w", encoding="utf-8") as file:
                file.write(text)

    for name in ("edited", "replaced", "removed"):
        write(name, "old")
    look = f"cd {shlex.quote(folder)}; for f in edited replaced removed added; do cat {os.path.basename(there.checkout)}/$f $f; done 2>/dev/null; exit 0"
    check("files as they are", there.says(look) == b"old" * 6, there.says(look))
    write("edited", "new, and longer")
    write("added", "added")
    write("moved", "moved here")
    for place in places:
        os.rename(f"{place}/moved", f"{place}/replaced")
        os.unlink(f"{place}/removed")
    seen = there.says(look)
    check("files that have changed, in the checkout and elsewhere",
          seen == b"new, and longer" * 2 + b"moved here" * 2 + b"added" * 2, seen)
    with open(f"{there.checkout}/edited", "r+", encoding="utf-8") as file:
        file.write("NEW")
    found = os.stat(f"{there.checkout}/edited")
    os.utime(f"{there.checkout}/edited", ns=(found.st_atime_ns, found.st_mtime_ns // 10**9 * 10**9))
    seen = there.says("cat edited")
    check("a file of the same length, in the same second", seen == b"NEW, and longer", seen)
    os.rename(f"{there.checkout}/target", f"{there.checkout}/cleaned")
    there.says("echo again >target/testbed/again")
    check("target may be removed meanwhile", read(there.kept, "again") == b"again\n", read(there.kept, "again"))


def check_staying_signals(there):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
        command = there.start("--quiet", "--", "sh", "-c", "echo up; sleep 1000 & exec sleep 1000", prefix=(
            "env", "--default-signal=HUP"))
        up = first_line(command)
        command.send_signal(number)
        _, err = finish(command, seconds=END_LIMIT)
        expected = -9 if number == signal.SIGKILL else 128 + number
        check(f"the guest that stays: {number.name}", up == b"up\n" and command.returncode == expected, f"{up} {err}")
        left = there.says("cat /proc/[0-9]*/comm | grep sleep; echo next")
        check(f"{number.name} ends all processes, and not the guest", left == b"next\n", left)


def check_staying_streams(there):
    size = 20_000_000
    some = there.says(f"head -c {size} /dev/zero")
    check("the guest that stays: much output", len(some) == size and not any(some), len(some))
    counted = there.run("--", "wc", "-c", data=bytes(size))
    check("the guest that stays: much input", counted[1] == f"{size}\n".encode(), counted)
    unread = there.run("--", "sh", "-c", "exit 3", data=bytes(size))
    check("the guest that stays: input that the command does not read", unread[0] == 3, unread)
    head = there.start("--quiet", "--", "yes")
    first = first_line(head)
    head.stdout.close()
    check("the guest that stays: nobody reads any more", first == b"y\n" and head.wait(END_LIMIT) == 141, head.returncode)
    still = there.start("--quiet", "--", "yes")  # with a reader who stands still
    first = first_line(still)
    still.terminate()
    check("the guest that stays: SIGTERM while a reader stands still", still.wait(END_LIMIT) == 143, still.returncode)
    still.stdout.close()
    check("the next command gets its own input and output", there.run("--quiet", "--", "cat", data=b"own")[1] == b"own")


def check_staying_turns(there):
    first = there.start("--quiet", "--", "sh", "-c", AWAIT + "echo up; await [ -e target/testbed/go ]; echo first")
    up = first_line(first)
    second = there.start("--", "echo", "second")
    waits = second.stderr.readline()
    gone = there.start("--quiet", "--", "touch", "target/testbed/gone")
    there.await_status(b"runs a command")
    gone.kill()
    gone.wait(END_LIMIT)
    with open(f"{there.kept}/go", "wb"):
        pass
    out = [finish(process)[0] for process in (first, second)]
    check("a second command waits for its turn, and says so", up == b"up\n" and b"waits for its turn" in waits
          and out == [b"first\n", b"second\n"], f"{waits} {out}")
    there.says("true")
    check("one that has not waited is not run", not os.path.exists(f"{there.kept}/gone"))


def check_staying_damage(there):
    whole = "cat /sys/class/infiniband/rxe[01]/ports/1/state; tc qdisc show dev veth0; ls /tmp/selftest-stays"
    before = there.says(whole)
    repaired = there.run("--", "sh", "-c", "tc qdisc add dev veth0 root netem loss 1%; tc qdisc del dev veth0 root")
    check("what a command has made good keeps the guest", repaired[0] == 0 and b"boots again" not in repaired[2]
          and there.says(whole) == before and before.endswith(b"/tmp/selftest-stays\n"), f"{before} {repaired}")
    damaged = there.run("--", "sh", "-c", "rdma link delete rxe1; tc qdisc add dev veth0 root netem loss 1%; exit 5")
    check("a command that has removed a device", damaged[0] == 5 and b"boots again" in damaged[2], damaged)
    after = there.says(whole)
    check("the next one has it again, in a guest that has booted", before == after + b"/tmp/selftest-stays\n",
          f"{before} {after}")


def check_staying_ends(there):
    keeper = os.pidfd_open(there.await_status(b"a guest is up"))
    last = there.start("--", "sh", "-c", AWAIT + "echo up; await [ -e target/testbed/last ]")
    first_line(last)
    idle = there.run("up", "--idle", "1")
    check("up changes the limit of a guest that is up", idle[0] == 0 and b"1 s without" in idle[2], idle)
    time.sleep(2)  # the limit is not one for a command
    with open(f"{there.kept}/last", "wb"):
        pass
    _, err = finish(last)
    check("a command that lasts longer than the limit", last.returncode == 0, err)
    there.await_status(b"no guest is up")
    check("without a command, the guest ends by itself", select.select([keeper], [], [], END_LIMIT)[0]
          and not left_behind(f"path={there.checkout},"))
    os.close(keeper)
    up = there.start("up")
    there.await_status(b"boots")
    waiting = there.start("--where", "vm", "--accel", "kvm", "--", "true")
    down = there.run("down")
    _, err = finish(up)
    finish(waiting)
    check("down ends a guest that boots, too", down[0] == 0 and b"the guest is down" in down[2] and up.returncode == 125
          and not left_behind(f"path={there.checkout},"), f"{down} {err}")
