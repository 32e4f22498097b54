# SPDX-License-Identifier: Apache-2.0
"""What a command is told about the place where it runs."""

import os
import platform
import struct

from .failure import Failure

HERE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))  # testbed/

ELF_MACHINES = {62: "x86_64", 183: "aarch64"}  # EM_X86_64 and EM_AARCH64 of elf.h


def told(place, devices=(), addresses=(), ipv6=()):
    """Returns environment variables: the place, its RDMA devices, and their addresses if we made them."""
    return {"ISTHMUS_TESTBED": place,
            "ISTHMUS_DEVICES": " ".join(devices),
            "ISTHMUS_ADDRESSES": " ".join(addresses),
            "ISTHMUS_ADDRESSES_IPV6": " ".join(ipv6)}


def java_home():
    """Returns the JDK that runs what is tested."""
    try:
        return os.environ["JAVA_HOME"]
    except KeyError:
        raise Failure("JAVA_HOME is not set: it names the JDK that runs the tests; ./isthmus test finds one") from None


def architecture(root):
    """Returns the processor that the programs below a root folder are for, as `uname -m` calls it."""
    if root == "/":
        return platform.machine()
    with open(os.path.join(root, "bin/busybox"), "rb") as file:  # which must be there in any case
        header = file.read(20)
    return ELF_MACHINES.get(struct.unpack_from("<H", header, 18)[0] if header[:4] == b"\x7fELF" else None, "unknown")


def assigned(options):
    """Returns the environment variables that --env gives a value."""
    return dict(item.split("=", 1) for item in options.env if "=" in item)
