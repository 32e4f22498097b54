# SPDX-License-Identifier: Apache-2.0
"""The kernel to boot, and the initramfs that carries the command into the guest."""

import glob
import gzip
import lzma
import os
import re
import shlex
import shutil
import stat
import struct
import subprocess
import sys

from . import siw
from .failure import Failure
from .place import HERE, architecture, assigned, told

# What the initramfs must load before it can see the host's files. The rest is loaded from there.
BOOT_MODULES = ("virtio_pci", "9pnet_virtio", "9p", "overlay", "virtio_console")

XZ = b"\xfd7zXZ\0"

# Where testbed/devices makes them: link and address, twice.
LINKS = (("veth0", "10.0.0.1"), ("veth1", "10.0.0.2"))

# Their IPv6 addresses, which guest/run gives them: unique local ones (RFC 4193).
IPV6 = ("fd69:7374:686d::1", "fd69:7374:686d::2")

# Passed to the command when set, besides what --env names.
PASSED = re.compile(r"JAVA_HOME|PATH|HOME|LANG|LC_.*|TZ|ISTHMUS_.*|UCX_.*")

# The same where the files are not this machine's: it may have no such folders.
PASSED_TO_OTHERS = re.compile(r"ISTHMUS_.*|UCX_.*")


def newest_kernel(root):
    """Returns the image and the version of the newest kernel that has Soft-RoCE."""
    found = []
    for image in glob.glob(glob.escape(os.path.join(root, "boot/vmlinuz-")) + "*"):
        version = os.path.basename(image).removeprefix("vmlinuz-")
        modules = os.path.join(root, "lib/modules", version)
        if glob.glob(glob.escape(modules) + "/kernel/drivers/infiniband/sw/rxe/rdma_rxe.ko*"):
            numbers = [int(n) for n in re.findall(r"\d+", version)]
            found.append((numbers, image, version))
    if not found:
        package = {"x86_64": "linux-image-amd64", "aarch64": "linux-image-arm64"}.get(
            architecture(root), "linux-image")
        raise Failure(f"no kernel with the rdma_rxe module in {os.path.join(root, 'boot')} and "
                      f"{os.path.join(root, 'lib/modules')}; install Debian's {package}")
    _, image, version = max(found)
    if not os.access(image, os.R_OK):
        raise Failure(f"{image} cannot be read by this user")
    return image, version


def has_softroce_threads(root):
    """Returns whether Soft-RoCE works in threads of the kernel's, as that of Linux 6.12 does, and that of 6.1 does not.

    A program that polls without sleeping then keeps them from the only processor until the clock's next tick, which is
    millions of instructions for a message.
    """
    _, version = newest_kernel(root)
    modules = glob.escape(os.path.join(root, "lib/modules", version))
    (path,) = glob.glob(modules + "/kernel/drivers/infiniband/sw/rxe/rdma_rxe.ko*")
    return b"rxe_wq" in _module(path)


def kernel_image(path, processor):
    """Returns what QEMU is to boot: where it can, the kernel without its wrapping.

    Unpacking an x86 kernel takes the emulated processor 3 s and this one less than 1 s. The offsets
    are those of the kernel's boot protocol (Documentation/arch/x86/boot.rst).
    """
    image = _read(path)
    if processor == "x86_64" and image[0x202:0x206] == b"HdrS":
        start, size = struct.unpack_from("<II", image, 0x248)
        start += ((image[0x1F1] or 4) + 1) * 512
        payload = image[start:start + size]
        if payload.startswith(XZ):
            return lzma.LZMADecompressor().decompress(payload)
    return image


def initramfs(version, more, options):
    """Returns a cpio archive: busybox, boot modules, the guest's scripts, and more files."""
    files = {
        "bin/busybox": (_read(_busybox(options.root)), 0o755),
        "init": (_read(f"{HERE}/guest/init"), 0o755),
        "testbed/run": (_read(f"{HERE}/guest/run"), 0o755),
        "testbed/devices": (_read(f"{HERE}/devices"), 0o755),
        "shares/list": ("\n".join(share_tags(options)).encode(), 0o644),
        **more,
    }
    for number, module in enumerate(_boot_modules(options.root, version)):
        files[f"modules/{number:02}.ko"] = (_module(module), 0o644)
    for tag, directory in share_tags(options).items():
        files[f"shares/{tag}"] = (os.fsencode(directory), 0o644)
    if not options.no_devices:
        files["testbed/ipv6"] = (" ".join((LINKS[0][0], IPV6[0], LINKS[1][0], IPV6[1])).encode(), 0o644)
        files["testbed/ends"] = (" ".join([*ends(options), options.device]).encode(), 0o644)
        if options.device == "siw":
            files["testbed/siw.ko"] = (_module(siw.module(version)), 0o644)
    return _cpio(files)


def command_files(arguments, options, more):
    """Returns the files by which the guest knows its one command, with more environment."""
    files = {"testbed/command": (command_script(arguments, options, more), 0o644)}
    if options.stdin:
        files["testbed/stdin"] = (b"", 0o644)
    return files


def agent_files(checkout):
    """Returns the files by which the guest runs one command after the other, on a checkout that it looks at afresh."""
    return {**{f"testbed/{name}": (_read(f"{HERE}/guest/{name}"), 0o755)
               for name in ("agent", "mounts.py", "netstate.py", "ports.py")},
            "testbed/python": (os.fsencode(sys.executable), 0o644),
            "testbed/checkout": (os.fsencode(checkout), 0o644)}


def devices_named(options):
    """Returns what to say of the devices."""
    kind = {"rxe": "Soft-RoCE", "siw": "SoftiWARP"}[options.device]
    names = ends(options)[2::3]
    return "" if options.no_devices else f" with {kind} devices {names[0]} and {names[1]}"


def ends(options):
    """Returns what testbed/devices makes: link, address and device, twice; rxe0 and rxe1, or siw0 and siw1."""
    return [word for n, link in enumerate(LINKS) for word in (*link, f"{options.device}{n}")]


def share_tags(options):
    """Numbers the folders of --rw: the name of the 9p share, and the folder."""
    return {f"share{n}": directory for n, directory in enumerate(options.rw)}


def command_script(arguments, options, more):
    """Returns the shell script that runs the command as it would run here."""
    lines = [f"cd {shlex.quote(os.getcwd())} || exit 125"]
    for name, value in sorted({**environment(options), **more}.items()):
        lines.append(f"export {name}={shlex.quote(value)}")
    if options.memlock:
        lines.append(f"ulimit -l {options.memlock} || exit 125")
    lines.append("exec " + shlex.join(arguments))
    return os.fsencode("\n".join(lines) + "\n")


def environment(options):
    """Returns what the command gets of the environment."""
    passed = PASSED if options.root == "/" else PASSED_TO_OTHERS
    chosen = {name: value for name, value in os.environ.items()
              if passed.fullmatch(name) or name in options.env}
    chosen.update(assigned(options))
    chosen.update(told("vm") if options.no_devices else told("vm", ends(options)[2::3], ends(options)[1::3], IPV6))
    # A shell can export no other name.
    return {name: value for name, value in chosen.items()
            if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name)}


def _busybox(root):
    path = shutil.which("busybox", path=f"{os.path.join(root, 'bin')}:{os.path.join(root, 'usr/bin')}")
    # A dynamic one names its loader, which the initramfs does not have.
    if path is None or b"/ld-linux" in _read(path):
        raise Failure("no static busybox; install Debian's busybox-static")
    return path


def _boot_modules(root, version):
    """Returns the files of the boot modules and what they depend on, in the order to load them."""
    run = subprocess.run(["modprobe", "--dirname", root, "--set-version", version, "--ignore-install", "--show-depends",
                          "--all", *BOOT_MODULES],
                         capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
                         env={"PATH": "/usr/sbin:/sbin:/usr/bin:/bin"})
    if run.returncode != 0:
        raise Failure(f"modprobe cannot find the guest's modules: {run.stderr.strip()}")
    paths = [line.split()[1] for line in run.stdout.splitlines() if line.startswith("insmod ")]
    return list(dict.fromkeys(paths))


def _module(path):
    data = _read(path)
    if path.endswith(".xz"):
        return lzma.decompress(data)
    if path.endswith(".gz"):
        return gzip.decompress(data)
    if path.endswith(".zst"):
        return subprocess.run(["zstd", "-dcq", path], stdout=subprocess.PIPE, check=True).stdout
    return data


def _read(path):
    with open(path, "rb") as file:
        return file.read()


def _cpio(files):
    """Returns an archive in cpio's "newc" form, the kernel's own (buffer-format.rst in its documentation)."""
    folders = {"bin", "lower", "upper", "root", "modules", "shares", "testbed"}
    entries = [(name, stat.S_IFDIR | 0o755, b"") for name in sorted(folders)]
    entries += [(name, stat.S_IFREG | mode, data) for name, (data, mode) in files.items()]
    entries.append(("TRAILER!!!", 0, b""))
    archive = bytearray()
    for number, (name, mode, data) in enumerate(entries, 1):
        # inode, mode, uid, gid, links, mtime, size, device and special device, name size, checksum
        fields = (number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0)
        archive += b"070701" + b"".join(b"%08X" % field for field in fields) + name.encode() + b"\0"
        archive += bytes(-len(archive) % 4) + data
        archive += bytes(-len(archive) % 4)
    return bytes(archive)
