# SPDX-License-Identifier: Apache-2.0
"""The library on 64-bit Arm, on a machine of any processor: Debian's arm64 kernel, JDK and RDMA libraries in QEMU.

The root folder is created once, from Debian's packages, and kept in the cache. Nothing in it runs on this machine: the
packages are only unpacked, which is enough for what the guest runs.
"""

import argparse
import os
import re
import shutil
import subprocess

from . import modules
from .debian import cache, debian_mirror
from .failure import BROKEN, Failure, say
from .place import HERE

HOME = os.path.dirname(HERE)  # the checkout
MODULES = ("bindings/ibverbs", "bindings/ucx", "bindings/mpi", "mpi", "api", "nio", "samples", "doctor", "perf")
SUITE = "trixie"  # Debian 13, the first with a JDK that is new enough
JAVA = "/usr/lib/jvm/java-25-openjdk-arm64/bin/java"
TIMEOUT = 6 * 3600  # all classes of all tiers, emulated

# The RDMA libraries come with the tools. With the cross compiler the tests check the layouts of both processors.
PACKAGES = ("?essential", "openjdk-25-jdk-headless", "linux-image-arm64", "busybox-static", "kmod", "iproute2", "udev",
            "procps", "rdma-core", "ibverbs-providers", "ibverbs-utils", "rdmacm-utils", "perftest", "ucx-utils",
            "gcc", "libc6-dev", "libibverbs-dev", "librdmacm-dev", "libucx-dev",
            "gcc-x86-64-linux-gnu", "libc6-dev-amd64-cross", "linux-libc-dev-amd64-cross")

# Without --only: the layouts of every struct by the processor's own compiler, the two programs that a newcomer starts
# with, and every class that has to do with what differs between processors.
CHOSEN = {
    "unit": r".*\.(VerbsAbiTest|UcpAbiTest|ConstantsTest|NativeLibraryTest|LifetimeTest)",
    "ucx": r".*\.(UcpTagTest|UcpStreamTest|UcpActiveMessageTest|UcpRemoteMemoryTest|UcpRemoteAtomicsTest)",
    "device": r".*\.(QueuePairTest|SendBatchTest|AtomicTest|CompletionChannelTest|ConnectionTest)",
}

# In the guest. A JVM keeps to one processor where the testbed says so.
GUEST = r"""
java=$1 home=$2 class_path=$3 samples=$4
shift 4
export JAVA_HOME=${java%/bin/java} PATH=${java%/java}:$PATH
run() {
    ${ISTHMUS_ONE_CPU_JVM:+taskset -c 0} "$java" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Disthmus.home="$home" \
        --enable-native-access=ALL-UNNAMED -cp "$@"
}
uname -srm
"$java" -version 2>&1
for sample in HelloVerbs HelloUcx; do
    echo "$sample:"
    run "$samples" "dev.isthmus.samples.$sample" && passed=$((${passed:-0} + 1))
done
echo "samples: ${passed:-0} passed, $((2 - ${passed:-0})) failed"
while [ $# -gt 0 ]; do
    printf '\n%s tests on arm64\n' "$1"
    run "$class_path" dev.isthmus.testbed.TierRunner "$1" "$2" || failed=yes
    shift 2
done
[ "${passed:-0}" = 2 ] && [ -z "${failed:-}" ]
"""


def root(again):
    """Returns the root folder of a Debian for arm64, which is made when it is not in the cache."""
    folder = os.path.join(cache(), f"arm64-{SUITE}")
    if again:
        shutil.rmtree(folder, ignore_errors=True)
    if os.path.isdir(folder):
        return folder
    if os.geteuid() != 0:
        raise Failure("only root can unpack a Debian: the files in it belong to root")
    if shutil.which("mmdebstrap") is None:
        raise Failure("no mmdebstrap; install Debian's mmdebstrap and qemu-system-arm")
    part = f"{folder}.part"
    shutil.rmtree(part, ignore_errors=True)
    say(f"unpacking Debian's {SUITE} for arm64 into {folder}, once: some 300 MB of packages, 1.2 GB of files")
    mirror = debian_mirror()
    try:
        subprocess.run(["mmdebstrap", "--quiet", "--variant=extract", "--arch=arm64", "--mode=root",
                        *[f"--include={package}" for package in PACKAGES], SUITE, part, *([mirror] if mirror else [])],
                       check=True, stdin=subprocess.DEVNULL)
        complete(part)
        os.rename(part, folder)
    except subprocess.CalledProcessError as error:
        raise Failure(f"mmdebstrap failed with exit status {error.returncode}") from None
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return folder


def complete(folder):
    """Does what the packages' own scripts would do, as far as the guest needs it."""
    for name in ("passwd", "group"):
        shutil.copy(f"{folder}/usr/share/base-passwd/{name}.master", f"{folder}/etc/{name}")
    os.symlink("gcc", f"{folder}/usr/bin/cc")
    for version in os.listdir(f"{folder}/lib/modules"):
        subprocess.run(["depmod", "-b", folder, version], check=True, stdin=subprocess.DEVNULL)


def test_class_path():
    """All tests share one JVM: one starts slowly there."""
    paths = [path for module in MODULES for path in modules.class_path(module).split(":")]
    return ":".join(dict.fromkeys(paths))


def main(arguments):
    parser = argparse.ArgumentParser(prog="testbed/arm64", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="PATTERN", default=".*",
                        help="run all test classes whose names match, instead of the default choice")
    parser.add_argument("--again", action="store_true", help="create the root folder again")
    options = parser.parse_args(arguments)
    tiers = CHOSEN if options.only == ".*" else dict.fromkeys(CHOSEN, options.only)
    paths = test_class_path()
    # The jars of Maven's local repository are in folders of this machine, which the guest sees by --rw only.
    shared = {HOME} | {re.sub(r"/repository/.*", "/repository", jar) for jar in paths.split(":") if "/repository/" in jar}
    try:
        folder = root(options.again)
    except Failure as failure:
        say(failure)
        return BROKEN
    return os.execv(f"{HERE}/testbed", [
        "testbed", "--root", folder, "--timeout", str(TIMEOUT), *[word for path in sorted(shared) for word in ("--rw", path)],
        "--", "sh", "-c", GUEST, "sh", JAVA, HOME, paths, modules.class_path("samples"),
        *[word for tier in tiers.items() for word in tier]])


