# SPDX-License-Identifier: Apache-2.0
"""Starts testbeds and other commands for the self tests, and keeps what was checked. Every wait has an end."""

import glob
import os
import select
import shlex
import subprocess
import time

HERE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
TESTBED = f"{HERE}/testbed"
ALL_BYTES = bytes(range(256)) + b"\r\n\n\r"

# Seconds: more than ten times what it takes on a machine that does nothing else.
GUEST_LIMIT = 900  # a guest's whole life; the testbed itself keeps to this one
END_LIMIT = 100  # to end after that, or after a signal

# Nothing in the guest waits for a time, only for events, and for those not for ever.
AWAIT = r"""
seconds() { cut -d. -f1 /proc/uptime; }
await() {
    deadline=$(($(seconds) + 200))
    until "$@"; do
        [ "$(seconds)" -lt $deadline ] || { echo "not within 200 s: $*" >&2; return 1; }
        sleep 0.1
    done
}
pingpong() { # server's device, its address, client's device, GID's index: through the log files server and client
    timeout 300 ibv_rc_pingpong -d "$1" -g "${4:-1}" -n 100 >"$out/server" 2>&1 &
    server=$!
    # Until the server listens.
    await timeout 100 ibv_rc_pingpong -d "$3" -g "${4:-1}" -n 100 "$2" >"$out/client" 2>&1 || kill $server
    wait $server
}
"""

results = []


def check(name, good, detail=""):
    results.append(bool(good))
    print(f"ok      {name}" if good else f"FAILED  {name}: {detail}", flush=True)


def read(*path):
    try:
        with open(os.path.join(*path), "rb") as file:
            return file.read()
    except OSError as error:
        return str(error).encode()


# So that what we start ends with us, also when we are killed: a guest would stay for minutes.
TIED = ("setpriv", "--pdeathsig", "TERM")
started = []


def start(*arguments, prefix=(), **settings):
    """Starts the testbed in a guest. The mark in QEMU's name finds its processes again."""
    mark = f"selftest-{os.getpid()}-{len(results)}-{time.monotonic_ns()}"
    environment = dict(os.environ, ISTHMUS_SELFTEST="passed", ISTHMUS_DEVICES="none", TESTBED=TESTBED,
                       SELFTEST_NAMED="named", SELFTEST_OTHER="other")
    process = subprocess.Popen(
        [*TIED, *prefix, TESTBED, "--where", "vm", "--timeout", str(GUEST_LIMIT), "--env", "TESTBED",
         "--env", "SELFTEST_NAMED", "--env", "SELFTEST_GIVEN=given", "--qemu-opts", f"-name {mark}", *arguments], env=environment,
        **{"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **settings})
    process.mark = mark
    started.append(process)
    return process


def finish(process, data=None, seconds=GUEST_LIMIT + END_LIMIT):
    """Waits for the end of what was started, and returns what it has written to both streams."""
    try:
        return process.communicate(data, seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        check("a run ends in time", False, f"after {seconds} s it had to be killed: {shlex.join(process.args)}")
        return process.communicate(timeout=END_LIMIT)


def first_line(process):
    """Returns the first line that it writes to its standard output, or as much as is there in time."""
    line = b""
    deadline = time.monotonic() + GUEST_LIMIT + END_LIMIT
    while not line.endswith(b"\n") and select.select([process.stdout], [], [], max(0, deadline - time.monotonic()))[0]:
        data = os.read(process.stdout.fileno(), 1)
        if not data:
            break
        line += data
    return line


def run(*arguments):
    """Runs a command, and returns its exit status and what it has written to both streams."""
    process = subprocess.Popen([*TIED, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    started.append(process)
    out, err = finish(process)
    return process.returncode, out, err


def end_all():
    """Ends what is left, in order: a testbed that is asked to takes its guest with it."""
    for process in started:
        process.terminate()  # unless it has ended
    for process in started:
        process.wait(END_LIMIT)


def running_with(mark):
    """Tells whether a QEMU with this mark is alive."""
    lines = [read(path) for path in glob.glob("/proc/[0-9]*/cmdline")]
    return any(mark.encode() in line and b"qemu-system" in line for line in lines)


def left_behind(mark):
    """Tells whether the guest is still alive after its time to die in: to give back its memory takes a while."""
    deadline = time.monotonic() + END_LIMIT
    while running_with(mark):
        if time.monotonic() > deadline:
            return True
        time.sleep(0.1)
    return False
