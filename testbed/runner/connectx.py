# SPDX-License-Identifier: Apache-2.0
"""A simulated ConnectX for a command: the library that answers for the kernel and the card, and the folder that stands for
/sys, where libibverbs finds the devices. Any user can have it, on this machine, without a kernel module.
"""

import fcntl
import hashlib
import os
import subprocess
import tempfile

from .failure import Failure, say
from .local import run_command
from .place import HERE, told

SOURCES = f"{HERE}/connectx"
HEADERS = ("infiniband/mlx5dv.h", "infiniband/verbs.h", "rdma/ib_user_verbs.h", "rdma/mlx5-abi.h")
COMPILE = ("cc", "-std=gnu11", "-D_GNU_SOURCE", "-O2", "-g", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared",
           "-fvisibility=hidden", "-pthread")
GID_TABLE = 8  # connectx.h
DEVICES = ("mlx5_0", "mlx5_1")
# Of the documentation, RFC 5737: no network has them, as there is none between these devices.
ADDRESSES = ("192.0.2.1", "192.0.2.2")


def run_on_connectx(arguments, options, announce):
    preloaded = library()
    with tempfile.TemporaryDirectory(prefix="isthmus-connectx-") as sysfs:
        for number, name in enumerate(DEVICES):
            _describe(sysfs, number, name)
        announce("on a simulated ConnectX, which is no card")
        also = os.environ.get("LD_PRELOAD")
        environment = {**told("connectx", DEVICES), "SYSFS_PATH": sysfs,
                       "LD_PRELOAD": f"{preloaded}:{also}" if also else preloaded}
        return run_command(arguments, options, environment)


def library():
    """Returns the file of the library: that of the cache unless its sources or the system's headers have changed."""
    sources = sorted(os.path.join(SOURCES, name) for name in os.listdir(SOURCES) if name.endswith((".c", ".h")))
    cache = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "isthmus")
    os.makedirs(cache, exist_ok=True)
    wanted = f"{cache}/connectx-{_digest(sources)}.so"
    with open(f"{cache}/connectx.lock", "w", encoding="ascii") as lock:
        fcntl.lockf(lock, fcntl.LOCK_EX)  # two runs at once build it once
        if not os.path.exists(wanted):
            say("building the simulated ConnectX, once")
            _compile([source for source in sources if source.endswith(".c")], wanted)
    return wanted


def _digest(sources):
    digest = hashlib.sha256(" ".join(COMPILE).encode())
    for path in (*sources, *(f"/usr/include/{header}" for header in HEADERS)):
        try:
            with open(path, "rb") as file:
                digest.update(file.read())
        except FileNotFoundError:
            raise Failure(f"no {path}; install the group connectx of testbed/packages") from None
    return digest.hexdigest()[:16]


def _compile(sources, wanted):
    part = f"{wanted}.part"
    try:
        run = subprocess.run([*COMPILE, "-o", part, *sources], capture_output=True, text=True, errors="replace",
                             check=False, stdin=subprocess.DEVNULL)
    except FileNotFoundError:
        raise Failure(f"no {COMPILE[0]}; install the group connectx of testbed/packages") from None
    if run.returncode != 0:
        raise Failure(f"the simulated ConnectX does not compile:\n{run.stderr}")
    os.rename(part, wanted)


def _describe(sysfs, number, name):
    """Writes what the kernel has in /sys of a device, as far as libibverbs and libmlx5 read it."""
    mac = f"0200:00ff:fe00:{number + 1:04x}"
    mapped = "{:02x}{:02x}:{:02x}{:02x}".format(*map(int, ADDRESSES[number].split(".")))
    port = f"class/infiniband/{name}/ports/1"
    node = f"class/infiniband_verbs/uverbs{number}"
    # vendor Mellanox, device ConnectX-5: what libmlx5 looks for
    modalias = "pci:v000015B3d00001017sv000015B3sd00000020bc02sc00i00"
    files = {
        "class/infiniband_verbs/abi_version": "6",  # IB_USER_VERBS_ABI_VERSION
        f"{node}/ibdev": name,
        f"{node}/abi_version": "1",  # MLX5_IB_UVERBS_ABI_VERSION
        f"{node}/dev": f"231:{192 + number}",
        f"{node}/device/modalias": modalias,
        f"class/infiniband/{name}/device/modalias": modalias,
        f"class/infiniband/{name}/node_type": "1: CA",
        f"class/infiniband/{name}/node_guid": mac,
        f"class/infiniband/{name}/fw_ver": "16.35.1000",
        f"{port}/state": "4: ACTIVE",
        f"{port}/link_layer": "Ethernet",
        f"{port}/pkeys/0": "0xffff",
        f"{port}/gids/0": f"fe80:0000:0000:0000:{mac}",
        f"{port}/gids/1": f"0000:0000:0000:0000:0000:ffff:{mapped}",
        # No ndevs: there is no network interface.
        **{f"{port}/gids/{index}": "0000:0000:0000:0000:0000:0000:0000:0000" for index in range(2, GID_TABLE)},
        **{f"{port}/gid_attrs/types/{index}": "RoCE v2" for index in range(GID_TABLE)},
    }
    for path, content in files.items():
        os.makedirs(os.path.dirname(f"{sysfs}/{path}"), exist_ok=True)
        with open(f"{sysfs}/{path}", "w", encoding="ascii") as file:
            file.write(f"{content}\n")
