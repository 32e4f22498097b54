# SPDX-License-Identifier: Apache-2.0
"""QEMU's command line."""

import os
import platform
import re
import shlex
import shutil
import subprocess

from . import guest
from .failure import Failure
from .place import architecture

# The guest's ports, in the order guest/run expects: /dev/vport0p1 and so on.
PORTS = ("control", "stdin", "stdout", "stderr")
CONSOLE = "console"

# QEMU 7.2 was the first to emulate AVX; without it nothing here is slower, and less can go wrong.
PROCESSOR = "max,+invtsc,-avx,-avx2,-f16c,-fma"

ARCHITECTURES = {
    # architecture: program, Debian package, machine, processor under software emulation, console
    "x86_64": ("qemu-system-x86_64", "qemu-system-x86", "q35,hpet=off", PROCESSOR, "ttyS0"),
    "aarch64": ("qemu-system-aarch64", "qemu-system-arm", "virt,gic-version=3", "max", "ttyAMA0"),
}

KERNEL_OPTIONS = (
    "quiet loglevel=4 panic=-1 oops=panic nokaslr mitigations=off audit=0 apparmor=0 selinux=0"
    # The time-stamp counter as the clock, read without a system call. QEMU derives it from the host's
    # one counter for all processors, so the kernel need not doubt it.
    " clocksource=tsc tsc=reliable no_timer_check"
    " random.trust_cpu=on rcupdate.rcu_expedited=1 cryptomgr.notests").split()


def accelerator(wanted, processor=platform.machine()):
    """Returns kvm or tcg. A /dev/kvm alone proves nothing: without the processor's own flag the guest
    hangs."""
    with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
        flagged = re.search(r"^flags\s*:.*\b(vmx|svm)\b", file.read(), re.MULTILINE)
    capable = flagged or platform.machine() != "x86_64"
    usable = capable and processor == platform.machine() and os.access("/dev/kvm", os.R_OK | os.W_OK)
    if wanted == "kvm" and not usable:
        raise Failure("KVM is not usable: it takes a /dev/kvm that this user may open, "
                      "vmx or svm in /proc/cpuinfo, and a guest for this machine's processor")
    return "kvm" if wanted != "tcg" and usable else "tcg"


def check(options):
    """Raises when there can be no virtual machine, before anything is done for it."""
    processor = architecture(options.root)
    if processor not in ARCHITECTURES:
        raise Failure(f"no virtual machine for {processor}; "
                      f"there is one for: {', '.join(ARCHITECTURES)}")
    program, package = ARCHITECTURES[processor][:2]
    if shutil.which(program) is None:
        raise Failure(f"no {program}; install Debian's {package}")
    _accelerator(options)


def told(options):
    """Returns environment variables that say what to mind on this machine.

    QEMU before 8.1 (commit deba78709ae8, "accel/tcg: Always lock pages before translation") reads an instruction before
    it watches the page for changes. When one emulated processor changes code that another is just about to run first,
    the other may run the old code for ever. A JVM changes its code all the time, and now and then died of that. It
    does not when all of its threads are on one processor.
    """
    if _threads(options) == "multi" and qemu_version(architecture(options.root)) < (8, 1):
        return {"ISTHMUS_ONE_CPU_JVM": "1"}
    return {}


def qemu_version(processor=platform.machine()):
    """Returns the first two numbers of QEMU's version."""
    run = subprocess.run([ARCHITECTURES[processor][0], "--version"],
                         capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    match = re.search(r"version (\d+)\.(\d+)", run.stdout)
    if run.returncode != 0 or match is None:
        raise Failure(f"QEMU does not say its version: {run.stderr.strip() or run.stdout.strip()}")
    return int(match[1]), int(match[2])


def _accelerator(options):
    return accelerator("tcg" if options.icount else options.accel, architecture(options.root))


def _cpus(options):
    return 1 if options.icount else options.cpus


def _threads(options):
    """Returns whether the emulated processors take turns, or run side by side; None when they are not emulated."""
    if _accelerator(options) != "tcg":
        return None
    return "single" if _cpus(options) == 1 else "multi"


def command(options, kernel, initramfs, descriptors):
    """Returns the command line. descriptors has QEMU's end of each stream's socket, by name."""
    program, _, board, processor, console = ARCHITECTURES[architecture(options.root)]
    icount = ["testbed.icount"] if options.icount else []
    line = [program, "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
            "-machine", board, "-smp", str(_cpus(options)), "-m", options.memory]
    if _accelerator(options) == "kvm":
        line += ["-accel", "kvm", "-cpu", "host"]
    else:
        line += ["-accel", f"tcg,tb-size=512,thread={_threads(options)}", "-cpu", processor]
    if options.icount:
        line += ["-icount", "shift=0,sleep=off"]
    line += ["-kernel", kernel, "-initrd", initramfs,
             "-append", " ".join([f"console={console}", *KERNEL_OPTIONS, *icount, *shlex.split(options.append)])]
    line += _streams(descriptors) + _share("root", options.root, readonly=True)
    for tag, directory in guest.share_tags(options).items():
        line += _share(tag, directory, readonly=False)
    if options.checkout:  # guest/agent mounts them for each command, and a device takes one mount at a time
        line += _share("checkout", options.checkout, readonly=True) + _share("writable", options.checkout, readonly=False)
    return line + shlex.split(options.qemu_opts)


def _streams(descriptors):
    arguments = ["-device", "virtio-serial-pci"]
    for name, descriptor in descriptors.items():
        arguments += ["-chardev", f"socket,id={name},fd={descriptor}"]
    for number, name in enumerate(PORTS, 1):
        arguments += ["-device", f"virtserialport,chardev={name},nr={number},name=testbed.{name}"]
    return arguments + ["-serial", f"chardev:{CONSOLE}"]


def _share(tag, directory, readonly):
    # Ownership is kept as far as QEMU may: only root can set it.
    model = "passthrough" if os.geteuid() == 0 else "none"
    path = directory.replace(",", ",,")
    return ["-fsdev", f"local,id={tag},path={path},security_model={model},multidevs=remap,"
                      f"readonly={'on' if readonly else 'off'}",
            "-device", f"virtio-9p-pci,fsdev={tag},mount_tag={tag}"]
