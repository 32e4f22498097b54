# SPDX-License-Identifier: Apache-2.0
"""The simulated ConnectX: what a caller sees, C's own programs on it, and what is left afterwards."""

import glob
import os
import signal
import subprocess
import tempfile

from .harness import TESTBED, check

LIMIT = 120  # seconds; a ping-pong of two processes that poll takes two on a quiet machine
PLACE = (TESTBED, "--quiet", "--device", "connectx", "--timeout", str(LIMIT), "--")

# A server and its client, in two processes; the exit status is that of the worse.
PINGPONG = r"""
"$@" -d mlx5_0 -p 18915 -n 100 >server 2>&1 & server=$!
until grep -qi ':49E3 .* 0A ' /proc/net/tcp /proc/net/tcp6; do kill -0 $server || exit 1; done
"$@" -d mlx5_1 -p 18915 -n 100 localhost || { cat server; exit 1; }
wait $server
"""


def _places():
    return set(glob.glob(f"{tempfile.gettempdir()}/isthmus-connectx-*"))


def _run(*command):
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run([*PLACE, *command], cwd=folder, capture_output=True, text=True, check=False, timeout=LIMIT + 30,
                              stdin=subprocess.DEVNULL)


def check_connectx():
    before = _places()
    told = _run("sh", "-c", 'echo "$ISTHMUS_TESTBED/$ISTHMUS_DEVICES/$ISTHMUS_ADDRESSES"; exit 7')
    check("the simulated ConnectX is told of", told.stdout == "connectx/mlx5_0 mlx5_1/\n" and told.returncode == 7,
          told.stdout + told.stderr)
    found = _run("ibv_devinfo")
    check("ibv_devinfo finds two devices by libmlx5", found.stdout.count("hca_id:") == 2 and found.returncode == 0,
          found.stdout + found.stderr)
    # pyverbs' tests of mlx5, and perftest's default of inline data, go by it: the vendor's OUI, not that of PCI.
    check("their vendor is that of a ConnectX", found.stdout.count("0x02c9\n") == 2, found.stdout)
    for program in ("ibv_rc_pingpong -g 1", "ibv_uc_pingpong -g 1", "ibv_ud_pingpong -g 1", "ibv_srq_pingpong -g 1",
                    "ib_send_lat -e -x 1",  # which reads completions that an event does not stand for
                    "ib_write_lat -x 1", "ib_read_lat -x 1", "ib_atomic_lat -x 1"):
        run = _run("sh", "-c", PINGPONG, "pingpong", *program.split(" "))
        check(f"{program} runs between two processes on the simulated ConnectX", run.returncode == 0,
              run.stdout + run.stderr)
    nested = _run(TESTBED, "--", "sh", "-c", 'echo "$ISTHMUS_TESTBED"')
    check("a testbed within the simulated ConnectX changes nothing", nested.stdout == "connectx\n",
          nested.stdout + nested.stderr)
    _check_interrupt()
    check("the simulated ConnectX leaves nothing behind", _places() <= before, _places() - before)


def _check_interrupt():
    with subprocess.Popen([*PLACE, "sh", "-c", "echo started; exec sleep 600"], stdout=subprocess.PIPE,
                          stdin=subprocess.DEVNULL, text=True) as process:
        process.stdout.readline()
        os.kill(process.pid, signal.SIGINT)
        check("Ctrl-C ends a command on the simulated ConnectX", process.wait(LIMIT) == 130, process.returncode)
