# SPDX-License-Identifier: Apache-2.0
"""The command on this machine: on its own RDMA devices, or on Soft-RoCE made for the command."""

import ctypes
import glob
import os
import re
import resource
import signal
import subprocess

from .failure import TIMED_OUT, Failure, Unavailable, check_interrupted
from .place import assigned, told
from .softroce import Devices

PR_SET_PDEATHSIG = 1


def active_devices():
    """Returns the names of the RDMA devices with an active port that programs can open."""
    found = []
    for node in sorted(glob.glob("/sys/class/infiniband_verbs/uverbs*")):
        name = _read(f"{node}/ibdev").strip()
        states = [_read(path) for path in glob.glob(f"/sys/class/infiniband/{name}/ports/*/state")]
        if os.access(f"/dev/infiniband/{os.path.basename(node)}", os.R_OK | os.W_OK) \
                and any("ACTIVE" in state for state in states):
            found.append(name)
    return found


def _read(path):
    try:
        with open(path, encoding="ascii") as file:
            return file.read()
    except OSError:  # the device has just gone
        return ""


def hardware():
    """Returns what a command on this machine's devices is told."""
    active = active_devices()
    ours = os.environ.get("ISTHMUS_DEVICES", "").split()
    if "ISTHMUS_TESTBED" in os.environ and ours and set(ours) <= set(active):
        return {}  # inside another testbed: all that it has told holds
    # Another run's devices vanish when that run ends.
    own = [name for name in active if not re.fullmatch(r"isthmus\d+", name)]
    if not own:
        raise Unavailable("no RDMA device with an active port")
    return told("hardware", own)


def run_on_hardware(arguments, options, announce):
    environment = hardware()
    announce("on this machine's RDMA device")
    return run_command(arguments, options, environment)


def run_on_host(arguments, options, announce):
    with Devices() as devices:
        announce("on Soft-RoCE devices made on this machine")
        return run_command(arguments, options, told("host", devices.names, devices.addresses))


def run_command(arguments, options, environment):
    _limit_memory(options)
    # A group of its own, so that all it started ends with it; but a terminal talks to one group only.
    grouped = not os.isatty(0)
    libc = ctypes.CDLL(None)

    def prepare():
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # when we are killed without a chance to end it
        if grouped:
            os.setpgid(0, 0)

    try:
        child = subprocess.Popen(arguments, env={**os.environ, **assigned(options), **environment},
                                 preexec_fn=prepare)
    except OSError as error:
        status = 127 if isinstance(error, FileNotFoundError) else 126
        raise Failure(f"{arguments[0]}: {error.strerror}", status) from None
    try:
        check_interrupted()  # what has come before there was a child
        status = child.wait(options.timeout)
        return status if status >= 0 else 128 - status
    except subprocess.TimeoutExpired:
        raise Failure(f"timed out after {options.timeout:g} s", TIMED_OUT) from None
    finally:
        _end(child, grouped)


def _end(child, grouped):
    """Ends what is left of the command: politely, then for good."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            if grouped:
                os.killpg(child.pid, number)
            else:
                child.send_signal(number)
            child.wait(2)
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            pass


def _limit_memory(options):
    if options.memlock:
        limit = resource.RLIM_INFINITY if options.memlock == "unlimited" else int(options.memlock) * 1024
        try:
            resource.setrlimit(resource.RLIMIT_MEMLOCK, (limit, limit))
        except (OSError, ValueError):
            raise Failure(f"this user may not set --memlock to {options.memlock}") from None
