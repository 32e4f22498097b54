# SPDX-License-Identifier: Apache-2.0
"""The host's files, as the guest that stays sees them."""

import ctypes
import os
import time

HERE = "/run/testbed"
LAYERS = f"{HERE}/layers"
with open(f"{HERE}/checkout", encoding="utf-8", errors="surrogateescape") as file:
    CHECKOUT = file.read()

BUSY = 20  # seconds for the host's files to be given back by the command before

MS_RDONLY, MS_REMOUNT, MS_BIND = 1, 32, 4096
MNT_DETACH = 2
CLONE_NEWNS = 0x20000

libc = ctypes.CDLL(None, use_errno=True)


def call(function, *arguments):
    arguments = [os.fsencode(argument) if isinstance(argument, str) else argument for argument in arguments]
    if getattr(libc, function)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{function}{tuple(arguments)}: {os.strerror(number)}")


def mount_9p(tag, folder, flags, options):
    deadline = time.monotonic() + BUSY
    while True:
        try:
            return call("mount", tag, folder, "9p", ctypes.c_ulong(flags),
                        f"trans=virtio,version=9p2000.L,msize=512000,{options}")
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)  # the kernel has nothing to wait for


def refresh_root():
    """Has the guest ask the host about the files of its root again.

    A remount gives up the names that nobody uses (shrink_dcache_sb), of the overlay first, as they hold those below. What a
    file contains stays cached, unless its time of change, in seconds, or its length is another now: QEMU makes both into
    the file's version. The checkout gets more than that.
    """
    call("mount", None, "/", None, ctypes.c_ulong(MS_REMOUNT), None)
    call("mount", None, f"{HERE}/root", None, ctypes.c_ulong(MS_REMOUNT | MS_RDONLY), None)


def mount_checkout():
    """Mounts the checkout as it is now: what it was is forgotten with the mounts of the command before. What a command writes
    is forgotten, too, but not below target/testbed."""
    call("unshare", CLONE_NEWNS)
    os.makedirs(LAYERS, exist_ok=True)
    call("mount", "layers", LAYERS, "tmpfs", ctypes.c_ulong(0), None)
    for folder in ("lower", "upper", "work", "writable"):
        os.mkdir(f"{LAYERS}/{folder}")
    mount_9p("checkout", f"{LAYERS}/lower", MS_RDONLY, "cache=loose")
    os.makedirs(CHECKOUT, exist_ok=True)  # else it is where the guest has other files than the host
    call("mount", "overlay", CHECKOUT, "overlay", ctypes.c_ulong(0),
         f"lowerdir={LAYERS}/lower,upperdir={LAYERS}/upper,workdir={LAYERS}/work,xino=off")
    mount_9p("writable", f"{LAYERS}/writable", 0, "cache=mmap")
    call("mount", f"{LAYERS}/writable/target/testbed", f"{CHECKOUT}/target/testbed", None, ctypes.c_ulong(MS_BIND), None)
    call("umount2", LAYERS, MNT_DETACH)  # only what is mounted from it can be reached
