"""The command on this machine: on its own RDMA device, or on Soft-RoCE made for the command."""

import glob
import os
import re
import resource
import signal
import subprocess
import time

from .failure import TIMED_OUT, Failure, ignore_signals
from .guest import HERE

# Networks for benchmarks (RFC 2544): no real one uses them.
NETWORK = "198.18.{}"
PAIRS = 32

CAP_NET_ADMIN = 12
CAP_SYS_MODULE = 16


def has_hardware():
    """Tells whether there is an RDMA device with an active port that programs can open."""
    def read(path):
        with open(path, encoding="ascii") as file:
            return file.read()
    opens = any(os.access(path, os.R_OK | os.W_OK) for path in glob.glob("/dev/infiniband/uverbs*"))
    return opens and any(
        "ACTIVE" in read(port) for port in glob.glob("/sys/class/infiniband/*/ports/*/state"))


def run_on_hardware(arguments, options):
    if not has_hardware():
        raise Failure("no RDMA device with an active port on this machine")
    _limit_memory(options)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores it, the command must not
    try:
        os.execvp(arguments[0], arguments)
    except OSError as error:
        raise _not_run(arguments, error) from None


def can_make_devices():
    """Tells whether this process may make links and load Soft-RoCE into the running kernel."""
    with open("/proc/self/status", encoding="ascii") as file:
        rights = int(re.search(r"^CapEff:\s*(\w+)", file.read(), re.MULTILINE)[1], 16)
    if not all(rights >> right & 1 for right in (CAP_NET_ADMIN, CAP_SYS_MODULE)):
        return False  # root in a container, as a rule
    return subprocess.run(["modprobe", "--dry-run", "--quiet", "rdma_rxe"], check=False).returncode == 0


class Devices:
    """Two Soft-RoCE devices on a veth pair. Use it in a with statement."""

    def __init__(self):
        self.modules = _modules()
        taken = subprocess.run(["ip", "-4", "route", "show", "table", "all"],
                               capture_output=True, text=True, check=False).stdout
        for n in range(PAIRS):
            names = f"isthmus{2 * n}", f"isthmus{2 * n + 1}"
            network = NETWORK.format(n)
            if not any(os.path.exists(f"/sys/class/net/{name}") for name in names) \
                    and f"{network}." not in taken:
                break
        else:
            raise Failure("all names and networks for the testbed's devices are in use")
        self.ends = [names[0], f"{network}.1", names[0], names[1], f"{network}.2", names[1]]

    def __enter__(self):
        try:
            made = subprocess.run([f"{HERE}/devices", "up", *self.ends], check=False,
                                  stdin=subprocess.DEVNULL, stdout=2, start_new_session=True)
            if made.returncode != 0:
                raise Failure("could not make Soft-RoCE devices on this machine")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        ignore_signals()
        subprocess.run([f"{HERE}/devices", "down", *self.ends], check=False, stdout=2,
                       start_new_session=True)
        _unload(_modules() - self.modules)


def run_on_host(arguments, options):
    if not can_make_devices():
        raise Failure("Soft-RoCE needs root, and the rdma_rxe module for the running kernel")
    with Devices():
        return _run(arguments, options)


def _run(arguments, options):
    _limit_memory(options)
    # A group of its own, so that all it started ends with it; but a terminal talks to one group only.
    group = None if os.isatty(0) else 0
    try:
        child = subprocess.Popen(arguments, process_group=group)
    except OSError as error:
        raise _not_run(arguments, error) from None
    try:
        status = child.wait(options.timeout)
        return status if status >= 0 else 128 - status
    except subprocess.TimeoutExpired:
        raise Failure(f"timed out after {options.timeout:g} s", TIMED_OUT) from None
    finally:
        _end(child, os.kill if group is None else os.killpg)


def _end(child, kill):
    """Ends what is left of the command: politely, then for good."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            kill(child.pid, number)
        except ProcessLookupError:
            return
        deadline = time.monotonic() + 2
        while child.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)


def _limit_memory(options):
    if options.memlock:
        limit = resource.RLIM_INFINITY if options.memlock == "unlimited" else int(options.memlock) * 1024
        try:
            resource.setrlimit(resource.RLIMIT_MEMLOCK, (limit, limit))
        except (OSError, ValueError):
            raise Failure(f"this user may not set --memlock to {options.memlock}") from None


def _not_run(arguments, error):
    status = 127 if isinstance(error, FileNotFoundError) else 126
    return Failure(f"{arguments[0]}: {error.strerror}", status)


def _modules():
    with open("/proc/modules", encoding="ascii") as file:
        return {line.split()[0] for line in file}


def _unload(modules):
    """Unloads modules, users before what they use: another round as long as one of them went."""
    while modules:
        for module in modules:
            subprocess.run(["rmmod", module], check=False, stderr=subprocess.DEVNULL)
        left = modules & _modules()
        if left == modules:
            return
        modules = left
