# SPDX-License-Identifier: Apache-2.0
"""The testbed's options, and the choice of where to run."""

import argparse
import os
import re
import stat

from . import local
from .failure import Failure, Interrupted, Unavailable, catch_signals, open_standard_streams, say


def _run_in_vm(*arguments):
    from . import vm  # the other places start sooner without it
    return vm.run(*arguments)


def _run_in_guest_that_stays(command, options, announce):
    from . import stay
    return stay.run(command, options, parser().get_default, announce)


def _run_on_connectx(*arguments):
    from . import connectx
    return connectx.run_on_connectx(*arguments)


# In the order in which they are tried.
PLACES = {"hardware": local.run_on_hardware, "host": local.run_on_host, "vm": _run_in_vm}

DESCRIPTION = """\
Runs COMMAND where it finds real RDMA devices, and exits with its exit status.

Places, in the order in which they are tried:
  hardware  the RDMA devices of this machine whose port is active
  host      Soft-RoCE (rdma_rxe) on this machine: two devices isthmus0 and isthmus1 (or the next free names)
            on the two ends of a veth pair, removed afterwards; needs root and the kernel module
  vm        Debian's kernel in QEMU, on the files of this machine, or of another (--root): devices rxe0
            (10.0.0.1) and rxe1 (10.0.0.2) on the two ends of a veth pair, GID index 1; with --device siw
            the SoftiWARP devices siw0 and siw1

With --device connectx, and only then, the devices are not real: mlx5_0 and mlx5_1 are a simulated ConnectX on this machine,
which needs neither root nor a kernel module. The libraries are the system's own, libmlx5 among them. They have RC, UC and UD
queue pairs on Ethernet ports; there is no rdma_cm. docs/connectx.md says what else is simulated, and what is not.

testbed up boots a vm that stays: until testbed down, or an hour without a command, commands of this checkout run in it
instead, which saves them the boot. testbed up --help tells more.
"""

EPILOG = """\
The environment of the command has ISTHMUS_TESTBED (hardware, host, vm or connectx), ISTHMUS_DEVICES (the names of the devices,
separated by spaces), ISTHMUS_ADDRESSES (their IPv4 addresses if the testbed made them, else empty) and
ISTHMUS_ADDRESSES_IPV6 (their IPv6 addresses in the vm, else empty).
Where ISTHMUS_ONE_CPU_JVM is set, a JVM should run under taskset -c 0: README.md says why.
What it leaves running ends with it, except on hardware or host with a terminal as standard input.

In the vm the command runs as root, in the same folder, and sees this machine's files copy-on-write; nothing
that it writes is kept, except below the folders of --rw. Of the environment it gets PATH, HOME, JAVA_HOME,
LANG, LC_*, TZ, ISTHMUS_*, UCX_* and what --env names; with --root it gets only the last three. Standard input
is passed on if it is a file or a pipe.

Exit status: the command's own (128 + N if signal N ended it); 124 if its time ran out; 125 if the testbed
itself failed; 126 or 127 if the command could not be run; 2 for wrong options.

Examples:
  testbed -- ibv_devinfo
  testbed --rw target --timeout 120 -- java -jar target/tests.jar
  testbed --icount -- ./one-instruction-is-one-nanosecond
  testbed --root /srv/debian-arm64 --rw "$PWD" -- uname -m
"""


def parser():
    p = argparse.ArgumentParser(prog="testbed",
                                usage="testbed [OPTION]... -- COMMAND [ARGUMENT]...\n       testbed up | down | status",
                                description=DESCRIPTION, epilog=EPILOG, allow_abbrev=False,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--where", choices=("auto", *PLACES), default="auto",
                   help="where to run (default: auto, the first that is possible)")
    p.add_argument("--device", choices=("rxe", "siw", "connectx"),
                   help="Soft-RoCE; or SoftiWARP, in the vm only and built on first use; or a simulated ConnectX, here only"
                        " (default: rxe, or what the guest that stays has)")
    p.add_argument("--own-guest", action="store_true", help="do not use the guest that stays")
    p.add_argument("--timeout", type=_seconds, default=600, metavar="SECONDS",
                   help="end the command after this time (default: 600)")
    p.add_argument("--memlock", type=_memlock, metavar="unlimited|KIB",
                   help="limit of locked memory (default: unchanged; 8 MiB in the vm)")
    p.add_argument("--env", action="append", default=[], metavar="NAME[=VALUE]",
                   help="set an environment variable, or pass it into the vm, too; may be repeated")
    p.add_argument("--quiet", action="store_true", help="do not say where the command runs")
    vm_options = p.add_argument_group("for the vm")
    vm_options.add_argument("--rw", action="append", default=[], type=_folder, metavar="DIR",
                            help="let the command write to this folder of the host; may be repeated")
    vm_options.add_argument("--root", default="/", type=_root, metavar="DIR",
                            help="boot the kernel and files of this root folder, for any processor that QEMU emulates;"
                                 " the current folder is there only by --rw (default: this machine's)")
    vm_options.add_argument("--cpus", type=_positive, default=2, metavar="N", help="default: 2")
    vm_options.add_argument("--memory", default="4G", help="QEMU's -m (default: 4G)")
    vm_options.add_argument("--accel", choices=("auto", "kvm", "tcg"), default="auto",
                            help="KVM, or software emulation (default: auto, KVM where it works)")
    vm_options.add_argument("--icount", action="store_true",
                            help="a clock that advances a nanosecond per instruction; one processor")
    vm_options.add_argument("--console", action="store_true",
                            help="show the guest's kernel messages on standard error")
    vm_options.add_argument("--append", default="", metavar="OPTIONS", help="more kernel options")
    vm_options.add_argument("--qemu-opts", default="", metavar="OPTIONS", help="more options for QEMU")
    # For the testbed's own test: a guest in which to try the host's way.
    vm_options.add_argument("--no-devices", action="store_true", help=argparse.SUPPRESS)
    p.set_defaults(checkout=None, stdin=False)  # no options: they are set where they are known
    return p


def _seconds(text):
    value = float(text)
    if not 0 < value < float("inf"):
        raise ValueError
    return value


def _positive(text):
    value = int(text)
    if value < 1:
        raise ValueError
    return value


def _memlock(text):
    if text != "unlimited" and not re.fullmatch(r"\d+", text):
        raise argparse.ArgumentTypeError(f"{text!r} is neither 'unlimited' nor a number of KiB")
    return text


def _folder(text):
    if not os.path.isdir(text):
        raise argparse.ArgumentTypeError(f"no such folder: {text}")
    if os.path.realpath(text) == "/":
        raise argparse.ArgumentTypeError("the whole file system cannot be given")
    return os.path.realpath(text)


def _root(text):
    if text != "/" and not os.path.isdir(f"{text}/lib/modules"):  # a container has none, and need not boot one
        raise argparse.ArgumentTypeError(f"{text} is no root folder of a system with a kernel: it has no lib/modules")
    return os.path.realpath(text)


def parse(arguments):
    """Returns the options and the command, which is all that follows the first "--"."""
    p = parser()
    at = arguments.index("--") if "--" in arguments else len(arguments)
    command = arguments[at + 1:]
    options, unknown = p.parse_known_args(arguments[:at])
    if unknown and unknown[0].startswith("-"):
        known = re.findall(r"--[a-z-]+", p.format_help().partition("options:")[2].partition(EPILOG)[0])
        p.error(f"unknown option {unknown[0]}; there are: {', '.join(dict.fromkeys(known))}")
    if unknown or not command:
        p.error("write -- before the command, as in: testbed -- ibv_devinfo")
    return options, command


def run(arguments):
    options, command = parse(arguments)
    # A terminal stays with us: line editing through the guest's pipes would not work.
    kind = os.fstat(0).st_mode
    options.stdin = stat.S_ISREG(kind) or stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind)
    refusals = []

    def announce(place):
        if not options.quiet:
            say(place + (f" ({'; '.join(refusals)})" if refusals else ""))

    if os.environ.get("ISTHMUS_TESTBED") == "connectx" and options.device in (None, "connectx"):  # which we are in already
        return local.run_command(command, options, {})
    if options.device == "connectx":
        if options.where != "auto":
            raise Failure(f"a ConnectX is simulated on this machine, not with --where {options.where}")
        if options.root != "/":
            raise Failure("a ConnectX is simulated on this machine, not on the files of --root")
        return _run_on_connectx(command, options, announce)
    # Nobody boots a guest that stays but to use it. A testbed inside a testbed changes nothing.
    if options.where in ("auto", "vm") and not options.own_guest and "ISTHMUS_TESTBED" not in os.environ:
        try:
            return _run_in_guest_that_stays(command, options, announce)
        except Unavailable as refusal:
            refusals += filter(None, [str(refusal)])
    options.device = options.device or "rxe"
    places = list(PLACES) if options.where == "auto" else [options.where]
    for asked, what in ((options.device == "siw", "SoftiWARP devices are made"),
                        (options.root != "/", "the files of --root are used")):
        if asked:
            if options.where not in ("auto", "vm"):
                raise Failure(f"{what} in the vm, not with --where {options.where}")
            places = ["vm"]
    for name in places:
        try:
            return PLACES[name](command, options, announce)
        except Unavailable as refusal:
            if options.where != "auto":
                raise
            refusals.append(str(refusal))
    raise Failure("; ".join(refusals))


def main(arguments):
    open_standard_streams()
    catch_signals()
    try:
        if arguments[:1] in (["up"], ["down"], ["status"]):
            from . import stay
            return stay.main(arguments, parser().parse_args([]))
        return run(arguments)
    except Failure as failure:
        say(failure)
        return failure.status
    except Interrupted as interrupted:
        return interrupted.status
