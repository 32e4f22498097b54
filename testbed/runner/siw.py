# SPDX-License-Identifier: Apache-2.0
"""The SoftiWARP module, which no Debian kernel has: built from Debian's own source of the very kernel to boot.

The packages are downloaded and unpacked in a temporary folder, not installed, so any user can do it, and the versions
are those of the kernel even where newer ones are out. What stays is the module, in the user's cache.
"""

import contextlib
import fcntl
import glob
import os
import re
import subprocess
import tempfile

from .builds import step
from .failure import Failure, say

FOLDER = "drivers/infiniband/sw/siw"


def module(version):
    """Returns the file of the module for a kernel: its own, or else one that is built when it is not in the cache."""
    own = glob.glob(f"/lib/modules/{version}/kernel/{FOLDER}/siw.ko*")
    if own:
        return own[0]
    package = _package_version(version)
    cache = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "isthmus")
    os.makedirs(cache, exist_ok=True)
    wanted = f"{cache}/siw-{version}-{package}.ko"
    with open(f"{cache}/siw.lock", "w", encoding="ascii") as lock:
        fcntl.lockf(lock, fcntl.LOCK_EX)  # two runs at once build it once
        if not os.path.exists(wanted):
            say(f"building the siw module for {version}, once")
            with tempfile.TemporaryDirectory(prefix="isthmus-siw-") as scratch:
                built = _build(scratch, version, package)
                part = f"{wanted}.{os.getpid()}"
                try:
                    step("siw", "objcopy", "--strip-debug", built, part)
                    os.rename(part, wanted)
                finally:
                    with contextlib.suppress(FileNotFoundError):
                        os.unlink(part)
    return wanted


def _package_version(version):
    run = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", f"linux-image-{version}"],
                         capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    if run.returncode != 0:
        raise Failure(f"the kernel {version} is of no Debian package, so there is no source to build siw from")
    return run.stdout.strip()


def _build(scratch, version, package):
    """Returns the file that was built."""
    headers = f"linux-headers-{version}"
    _update_lists(f"{headers}={package}")
    needed = re.search(r"^Depends: (.*)$", step("siw", "apt-cache", "show", f"{headers}={package}"), re.MULTILINE)[1]
    # The common headers and kbuild; not the compiler, which testbed/packages has. They want common headers of their own
    # version, and a kbuild that is at least as new: Debian has the newest only, and that days before its kernel.
    more = re.findall(r"(linux-(?:headers|kbuild)-[^ ,]+)(?: \(= ([^)]+)\))?", needed)
    source = "linux-source-" + re.match(r"\d+\.\d+", version)[0]
    wanted = [(headers, package), *more, (source, package)]
    step("siw", "apt-get", "-q", "download", *(f"{name}={its}" if its else name for name, its in wanted), cwd=scratch)
    for name, _ in wanted[:-1]:
        step("siw", "dpkg-deb", "-x", _deb(scratch, name), scratch)
    _unpack_driver(scratch, source)
    # Its path in the package is the one where it would be installed.
    makefile = f"{scratch}/usr/src/{headers}/Makefile"
    with open(makefile, encoding="utf-8") as file:
        text = file.read()
    with open(makefile, "w", encoding="utf-8") as file:
        file.write(re.sub(r"(?m)^include /usr/src/", f"include {scratch}/usr/src/", text))
    step("siw", "make", "-C", os.path.dirname(makefile), f"M={scratch}/{source}/{FOLDER}", "CONFIG_RDMA_SIW=m",
         "CONFIG_DEBUG_INFO_BTF_MODULES=", "modules")  # type information takes pahole, and nobody asks for it
    return f"{scratch}/{source}/{FOLDER}/siw.ko"


def _update_lists(package):
    """Has apt know a package: the lists of a fresh machine are empty, and only root can fill them."""
    known = subprocess.run(["apt-cache", "show", package], capture_output=True, check=False, stdin=subprocess.DEVNULL)
    if known.returncode != 0 or not known.stdout:
        step("siw", "apt-get", "-q", "update")


def _unpack_driver(scratch, source):
    """Unpacks one folder from a tar in a tar, of a gigabyte otherwise."""
    script = (f'set -o pipefail; dpkg-deb --fsys-tarfile "$1" | tar -x --to-stdout ./usr/src/{source}.tar.xz |'
              f' tar -xJ -C "$2" {source}/{FOLDER}')
    step("siw", "bash", "-c", script, "bash", _deb(scratch, source), scratch)


def _deb(scratch, name):
    found = [file for file in os.listdir(scratch) if file.startswith(f"{name}_") and file.endswith(".deb")]
    if not found:
        raise Failure(f"apt-get has not downloaded {name}")
    return os.path.join(scratch, found[0])
