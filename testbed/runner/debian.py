# SPDX-License-Identifier: Apache-2.0
"""A minimal Debian of its own: made by debootstrap in a folder, and entered in namespaces that end with the command.

Mounts and processes belong to the namespaces, so nothing has to be undone: when the first process in there ends, or is
killed, the kernel takes all of it away. The folder stays behind a run that was killed; the next run removes it.
"""

import argparse
import contextlib
import fcntl
import os
import re
import shlex
import shutil
import subprocess
import time

from .failure import Failure, Interrupted, catch_signals, check_interrupted, ignore_signals, say
from .place import HERE

HOME = os.path.dirname(HERE)  # the checkout
RELEASES = {"13": "trixie", "sid": "sid"}  # also in names of tiers: debian13
CLONE = "/root/isthmus"  # in there
EVERYTHING = "./isthmus demo && ./isthmus test"
BASE_DAYS = 7  # after which the cached base system is made anew
NEEDED = {"debootstrap": "debootstrap", "unshare": "util-linux", "chroot": "coreutils", "git": "git", "tar": "tar"}

# What tells apt, Maven, pip and the JVM how to reach their registries: environment, and files. What is not there is left.
PASSED = re.compile(r"(?i)(http|https|ftp|no|all)_proxy|MAVEN_(OPTS|ARGS)|PIP_\w+|SSL_CERT_\w+|TERM|ISTHMUS_\w+")
FILES = ("/etc/resolv.conf", "/etc/hosts", "/etc/pip.conf", "/etc/mavenrc", "~/.mavenrc", "~/.m2/settings.xml",
         "~/.m2/settings-security.xml", "~/.config/pip/pip.conf", "/usr/local/share/ca-certificates")
DPKG_FORCE = "unsafe-io"  # what is gone after a power failure is made again
APT = re.compile(r"Acquire::(https?::|Retries|ForceIPv)")

DESCRIPTION = f"""\
Creates a minimal Debian with debootstrap, puts a fresh clone of this checkout's last commit into it, and runs COMMAND in
the clone, as root: by default {EVERYTHING}, which install what they need.

The system has a folder below ~/.cache/isthmus (XDG_CACHE_HOME), the machine's network, /sys and /dev, and processes,
mounts and shared memory of its own. At the end all of its processes end, and it is removed. The base system, 150 MB, is
kept for {BASE_DAYS} days. Packages come from the mirror that this machine's apt uses, with its proxy, certificates and
settings for Maven and pip. It needs root, and 8 GB.
"""

EPILOG = """\
Exit status: the command's own; 125 if the system could not be created.

Examples:
  testbed/debian                                                     # demo and all tests on Debian 13
  testbed/debian --release sid -- ./isthmus test --tier device       # the newest kernel and rdma-core
  testbed/debian --jdk newest -- ./isthmus test --tier unit --tier ucx
  testbed/debian --keep -- ./isthmus test --tier ucx --only '.*UcpTagTest'   # again and again, each time sooner
"""

# Process 1 of the namespaces, with the system's folder and what to run. Daemons that packages bring do not start.
INIT = r"""
set -e
root=$1; shift
mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
mount --rbind /dev "$root/dev"
mount -t tmpfs -o mode=1777 shm "$root/dev/shm"
set +e
chroot "$root" "$@"
exit $?
"""


def parser():
    p = argparse.ArgumentParser(prog="testbed/debian", usage="testbed/debian [OPTION]... [-- COMMAND [ARGUMENT]...]",
                                description=DESCRIPTION, epilog=EPILOG, allow_abbrev=False,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--release", choices=tuple(RELEASES), default="13", help="default: 13")
    p.add_argument("--jdk", type=_jdk, metavar="N|newest",
                   help="install openjdk-N-jdk-headless of Debian sid first (default: what the launcher installs), and copy"
                        " what Maven has downloaded here")
    p.add_argument("--with", dest="packages", action="append", default=[], metavar="PACKAGE",
                   help="install this package first; may be repeated")
    p.add_argument("--keep", action="store_true",
                   help="keep the system in its folder, and start from the one that was kept there")
    return p


def _jdk(text):
    if not re.fullmatch(r"newest|\d\d", text):
        raise argparse.ArgumentTypeError(f"{text!r} is neither 'newest' nor a version as 27")
    return text


def cache():
    folder = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "isthmus")
    os.makedirs(folder, exist_ok=True)
    return folder


class System:
    """A Debian in a folder. Use it in a with statement: leaving it removes the folder, but for --keep."""

    def __init__(self, options):
        self.name = f"debian-{options.release}"
        self.suite = RELEASES[options.release]
        self.root = f"{cache()}/{self.name}"
        self.base = f"{cache()}/{self.name}.tar"
        self.keep = options.keep
        # By the file system, not by what runs: a run that was killed leaves no lock.
        self.lock = open(f"{cache()}/{self.name}.lock", "w", encoding="ascii")

    def __enter__(self):
        try:
            fcntl.lockf(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Failure(f"another run uses {self.root}; wait for its end") from None
        try:
            if not self.keep or not os.path.exists(f"{self.root}/etc/debian_version"):
                self._unpack()
            self._configure()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        ignore_signals()
        if not self.keep:
            _remove(self.root)
        self.lock.close()

    def _unpack(self):
        _remove(self.root)
        if not os.path.exists(self.base) or time.time() - os.path.getmtime(self.base) > BASE_DAYS * 86400:
            say(f"making the base system of Debian {self.suite}, kept for {BASE_DAYS} days")
            part = f"{self.base}.part"
            mirror = debian_mirror()
            _quietly("env", f"DPKG_FORCE={DPKG_FORCE}",
                     "debootstrap", "--variant=minbase", self.suite, self.root, *([mirror] if mirror else []))
            _quietly("tar", "-C", self.root, "--one-file-system", "-cf", part, ".")
            os.rename(part, self.base)
        else:
            os.makedirs(self.root)
            _quietly("tar", "-C", self.root, "-xpf", self.base)

    def _configure(self):
        """Has the system reach its registries as this machine does."""
        for path in FILES:
            source = os.path.realpath(os.path.expanduser(path))
            target = f"{self.root}{path.replace('~', '/root')}"
            os.makedirs(os.path.dirname(target), exist_ok=True)
            if os.path.isdir(source):
                shutil.copytree(source, target, dirs_exist_ok=True)
            elif os.path.exists(source):
                shutil.copyfile(source, target)
        settings = subprocess.run(["apt-config", "dump"], capture_output=True, text=True, check=False).stdout
        lines = [line for line in settings.splitlines() if APT.match(line)]
        # A mirror that lags behind is good enough to test with.
        lines += ['Acquire::Check-Valid-Until "false";']
        _write(f"{self.root}/etc/apt/apt.conf.d/90machine", "\n".join(lines) + "\n")
        _write(f"{self.root}/etc/dpkg/dpkg.cfg.d/machine", f"force-{DPKG_FORCE}\n")
        _write(f"{self.root}/usr/sbin/policy-rc.d", "#!/bin/sh\nexit 101\n", 0o755)
        with open(f"{self.root}/etc/apt/sources.list", encoding="utf-8") as file:
            mirror = file.read().split()[1]
        # Only what is asked for comes from there.
        _write(f"{self.root}/etc/apt/sources.list.d/sid.list", f"deb {mirror} sid main\n")
        _write(f"{self.root}/etc/apt/preferences.d/sid", "Package: *\nPin: release n=sid\nPin-Priority: 1\n"
               if self.suite != "sid" else "")

    def share_maven(self):
        """Gives it what this machine's Maven has downloaded, but for this project's own."""
        source, target = os.path.expanduser("~/.m2/repository"), f"{self.root}/root/.m2/repository"
        if os.path.isdir(source) and not os.path.exists(target):
            shutil.copytree(source, target, ignore=lambda folder, _: ["isthmus"] if folder == f"{source}/dev" else [])

    def clone(self):
        """Puts the last commit there, as a clone that knows no other place."""
        target = f"{self.root}{CLONE}"
        if subprocess.run(["git", "-C", HOME, "status", "--porcelain"], capture_output=True, check=False).stdout:
            say("what is not committed here is not in the clone")
        commit = _quietly("git", "-C", HOME, "rev-parse", "HEAD").strip()
        if os.path.isdir(f"{target}/.git"):  # kept: what is built stays
            _quietly("git", "-C", target, "fetch", "-q", HOME, commit)
            _quietly("git", "-C", target, "checkout", "-q", "--force", commit)
            _quietly("git", "-C", target, "clean", "-q", "-d", "--force")
        else:
            _quietly("git", "clone", "-q", "--no-hardlinks", HOME, target)
            _quietly("git", "-C", target, "checkout", "-q", "--detach", commit)

    def run(self, script, *arguments):
        """Runs a shell script in there; returns its exit status. What it has started ends with it."""
        passed = [f"{name}={value}" for name, value in os.environ.items() if PASSED.fullmatch(name)]
        line = ["setpriv", "--pdeathsig", "KILL", "unshare", "--mount", "--pid", "--ipc", "--fork", "--kill-child",
                "--", "sh", "-c", INIT, "sh", self.root, "/usr/bin/env", "-i", "HOME=/root", "DEBIAN_FRONTEND=noninteractive",
                "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", *passed,
                "sh", "-c", script, "sh", *arguments]
        # Its own session keeps the terminal's Ctrl-C from it: it is ended as a whole.
        with subprocess.Popen(line, stdin=subprocess.DEVNULL, start_new_session=True) as inside:
            try:
                check_interrupted()  # what has come before there was a child
                status = inside.wait()
            finally:
                inside.kill()
        return status if status >= 0 else 128 - status


def debian_mirror():
    """Returns where this machine's apt gets Debian from; nothing where it says none, and debootstrap knows one."""
    with contextlib.suppress(FileNotFoundError):
        run = subprocess.run(["apt-get", "indextargets", "--format", "$(ORIGIN)|$(LABEL)|$(REPO_URI)", "Identifier: Packages"],
                             capture_output=True, text=True, check=False)
        for line in run.stdout.splitlines():
            if line.startswith("Debian|Debian|"):
                return line.split("|")[2]
    return None


# The JDK's own packages are taken from sid; what they depend on, from the release where it is new enough.
INSTALL_JDK = r"""
set -e
apt-get -q update
wanted=$1
if [ "$wanted" = newest ]; then # of those released: an early one has "ea" in its version
    for number in $(apt-cache pkgnames openjdk- | sed -n 's/^openjdk-\([0-9]*\)-jdk-headless$/\1/p' | sort -n); do
        version=$(apt-cache show "openjdk-$number-jdk-headless" | sed -n 's/^Version: //p' | tail -n 1)
        case $version in *ea*) ;; *) wanted=$number ;; esac
    done
fi
apt-get -qy install --no-install-recommends "openjdk-$wanted-jdk-headless/sid" "openjdk-$wanted-jre-headless/sid"
"""

INSTALL = "apt-get -q update && apt-get -qy install --no-install-recommends \"$@\""


def prepare(system, options):
    """Installs what the options ask for, apart from what the launcher installs by itself."""
    log = f"{system.root}/root/prepare.log"
    for script, arguments in ((INSTALL_JDK, [options.jdk] if options.jdk else []), (INSTALL, options.packages)):
        if not arguments:
            continue
        say(f"installing {'JDK ' if script is INSTALL_JDK else ''}{' '.join(arguments)}")
        if system.run(f"exec >/root/prepare.log 2>&1\n{script}", *arguments) != 0:
            with open(log, encoding="utf-8", errors="replace") as file:
                raise Failure("apt-get failed there:\n" + "".join(file.readlines()[-15:]))


def _quietly(*command):
    """Returns what a command prints; raises with the end of it when it fails. It ends when we do."""
    with subprocess.Popen(["setpriv", "--pdeathsig", "KILL", *command], stdin=subprocess.DEVNULL, text=True, errors="replace",
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True) as child:
        try:
            check_interrupted()
            said = child.communicate()[0]
        except BaseException:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, 9)
            raise
    if child.returncode != 0:
        raise Failure(f"{shlex.join(command)}:\n" + "\n".join(said.splitlines()[-12:]))
    return said


def _write(path, text, mode=0o644):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)


def _remove(folder):
    """Removes a system's folder: never across a mount, as one that debootstrap was killed in may have left."""
    if os.path.isdir(folder):
        with open("/proc/self/mountinfo", encoding="utf-8", errors="replace") as file:
            mounts = [line.split()[4] for line in file]
        for mount in sorted((m for m in mounts if m.startswith(folder + "/")), reverse=True):
            subprocess.run(["umount", "--lazy", mount], check=True)
        shutil.rmtree(folder)


def run(arguments):
    at = arguments.index("--") if "--" in arguments else len(arguments)
    options = parser().parse_args(arguments[:at])
    script = shlex.join(arguments[at + 1:]) or EVERYTHING
    if os.geteuid() != 0:
        raise Failure("only root may make a system of its own: use sudo")
    missing = [package for program, package in NEEDED.items() if shutil.which(program) is None]
    if missing:
        raise Failure("missing here: apt-get install " + " ".join(missing))
    with System(options) as system:
        if options.jdk:
            system.share_maven()
        prepare(system, options)
        system.clone()
        say(f"Debian {system.suite} in {system.root}: {script}")
        began = time.monotonic()
        status = system.run(f"cd {CLONE} && {script}")
        say(f"Debian {system.suite}: exit status {status} after {time.monotonic() - began:.0f} s")
        return status


def main(arguments):
    catch_signals()
    try:
        return run(arguments)
    except Failure as failure:
        say(failure)
        return failure.status
    except Interrupted as interrupted:
        return interrupted.status
