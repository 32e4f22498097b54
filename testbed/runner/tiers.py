# SPDX-License-Identifier: Apache-2.0
"""The tests of a finished build, each tier in one JVM or by a program of its own.

They run in three lanes beside each other, as a lane keeps one processor busy at most: two of testbeds, and one for most
tiers that need none. What the first lane prints is seen at once, that of the others at the end.
"""

import argparse
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

from . import guest, suites
from .failure import Failure, Interrupted, catch_signals, ignore_signals, say
from .place import java_home
from .results import Results, stated

TESTBED = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
HOME = os.path.dirname(TESTBED)
MODULES = ("testbed", "bindings/ibverbs", "bindings/ucx", "api", "nio", "spark", "samples", "doctor", "perf")

SOFT_ROCE = ("device", "interop", "ucx-verbs")
GUESTS = (*SOFT_ROCE, "siw", "spark-verbs")
JUNIT = ("unit", "ucx", "ucx-newest")
PROGRAMS = ("testbed", "format", "site", "consumer", "instructions", "netty")  # which count for themselves
ON_HOST = (*JUNIT, "jdk-newest", "spark", *PROGRAMS)
# Each takes about as long as the others. A program such as netty boots a guest of its own, in any lane.
LANES = (("device", "netty"), ("interop", "ucx-verbs", "siw", "spark-verbs"),
         tuple(name for name in ON_HOST if name != "netty"))
# Comparisons measure for minutes, and no JDK changes how: the newest one runs the tests of what is measured.
NOT_OF_COMPARISONS = r"(?!dev\.isthmus\.perf\.(compare|ucx)\.).*"
# What tiers need before they can run: groups of testbed/packages, a build, and devices, of this machine or the testbed's.
NEEDS = ("testbed", "verbs", "tests", "build")
NEED_DEVICES = (*GUESTS, "instructions", "netty", "testbed")
# Those that run alone are programs of their own, in this folder.
ALONE = {"arm64": ("testbed", "arm64", "build"),
         "nio-suites": ("testbed", "verbs", "suites", "devices", "build"),
         "spark-suites": ("testbed", "spark", "build")}
DEBIAN = re.compile("debian[a-z0-9]+")  # and this one makes the system named, and builds there
LONG = 604_800  # seconds for tests that do more than they would
UNATTENDED = 60  # seconds that a process has to end after it was told to

DESCRIPTION = """\
Runs the tests of a finished build: by default every tier that this machine can run, but those only when asked for.

Tiers:
  format        checks the format of the sources and their licence lines; needs a JDK 22 to 26
  unit, ucx     on this machine
  device, interop, ucx-verbs
                in the testbed
  siw           the tests of connections again, over SoftiWARP in the testbed
  netty         Netty's own socket tests over RDMA, in the testbed's vm
  ucx-newest    ucx again, on the newest UCX from PyPI
  spark         Apache Spark with two executors, and PySpark
  consumer      installs a release, and depends on it
  instructions  isthmus perf instructions --check
  site          builds the documentation's website, and fails on a dead link
  testbed       the testbed's own tests
  jdk-newest    when asked for: unit and ucx, without comparisons, on the newest JDK of Debian sid, in a Debian 13 made for
                it, as root
  spark-verbs   when asked for: Apache Spark with two executors over UCX' verbs, in the testbed

Alone, and only when asked for:
  debian13, debiansid  the demo and all tests on that Debian, made from nothing (testbed/debian --help)
  arm64                samples and some classes on emulated 64-bit Arm (testbed/arm64 --help)
  nio-suites           Netty's and the JDK's own socket tests, over RDMA (testbed/nio-suites --help)
  spark-suites         Spark's own shuffle tests, over UCX (testbed/spark-suites --help)
"""


def parser():
    p = argparse.ArgumentParser(prog="./isthmus test", description=DESCRIPTION, allow_abbrev=False,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--exact", action="store_true",
                   help="also fail if a tier's number of tests differs from testbed/tests.txt, or if there is no list of what"
                        " the device refuses: testbed/state writes both from what this prints")
    p.add_argument("--tier", action="append", default=[], type=_tier, metavar="TIER",
                   help="run this tier only; may be repeated")
    p.add_argument("--only", default=".*", metavar="PATTERN",
                   help="run only test classes whose full name matches the regular expression; leaves out tiers without"
                        " such classes unless --tier names them")
    p.add_argument("--with", action="append", default=[], type=_number, metavar="NAME=NUMBER", dest="numbers",
                   help="set how much a test does: it reads the system property isthmus.test.NAME. Each test then has NUMBER"
                        " milliseconds more, unless NAME is bytes. Give --only, too")
    # For the launcher: prints what must be there before the same can run without this, as in NEEDS.
    p.add_argument("--needs", action="store_true", help=argparse.SUPPRESS)
    # For this program alone, which calls itself: in the testbed, and for a lane.
    p.add_argument("--inside", metavar="DIR", help=argparse.SUPPRESS)
    p.add_argument("--beside", metavar="DIR", help=argparse.SUPPRESS)
    return p


def _tier(name):
    if name not in (*GUESTS, *ON_HOST, *ALONE) and not DEBIAN.fullmatch(name):
        raise argparse.ArgumentTypeError(f"there is no tier '{name}': --help lists them")
    return name


def _number(text):
    if not re.fullmatch("[a-z]+=[0-9]+", text):
        raise argparse.ArgumentTypeError(f"takes NAME=NUMBER, not '{text}'")
    return text


def has_devices():
    """Whether this machine has an RDMA device with an active port."""
    return subprocess.run("grep -qs ACTIVE /sys/class/infiniband/*/ports/*/state", shell=True, check=False).returncode == 0


def has_softroce():
    """Whether Soft-RoCE can be had on this machine itself."""
    return bool(shutil.which("modinfo")) and subprocess.run(
        ("modinfo", "rdma_rxe"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0


def alone(tiers):
    """The tier among these that runs alone, if any does."""
    return next((name for name in tiers if name in ALONE or DEBIAN.fullmatch(name)), None)


def needs(tiers):
    """What these need before they can run; without any, those that run by default."""
    name = alone(tiers)
    if name:
        words = ALONE.get(name, ("testbed", "debian"))
    else:
        words = (*NEEDS, *(("debian",) if "jdk-newest" in tiers else ()),
                 *(("siw", "devices") if not tiers or any(tier in NEED_DEVICES for tier in tiers) else ()))
    return ["vm" if word == "devices" else word for word in words if word != "devices" or not has_devices()]


def run_alone(name):
    command = [name] if name in ALONE else ["debian", "--release", name.removeprefix("debian")]
    os.execv(f"{TESTBED}/{command[0]}", command)


def default_tiers(has_pattern):
    tiers = ["unit", "ucx", "ucx-newest", *SOFT_ROCE]
    if has_devices():
        note("the tiers siw and netty are left out: they need the testbed's vm, and this machine has RDMA devices")
    else:
        tiers += ["siw"] if has_pattern else ["siw", "netty"]
    if not has_pattern:
        tiers += ["spark", "site", "consumer", "testbed"]
        if counts_instructions():
            tiers.append("instructions")
        else:
            note("the instructions tier is left out: Soft-RoCE of this machine's kernel works in a thread of its own, for"
                 " which a poller on one processor waits; that of Linux 6.1 does not")
    if not os.environ.get("ISTHMUS_FORMAT_JDK"):
        note("the format tier is left out: the formatter needs a JDK 22 to 26, and there is none")
    elif not has_pattern:
        tiers.insert(0, "format")
    return tiers


def counts_instructions():
    try:
        return not guest.has_softroce_threads("/")
    except Exception:  # without such a kernel the tier says what is missing
        return True


def note(message):
    print(f"tests: {message}", file=sys.stderr, flush=True)


class Tests:
    """One run of this program: what is wanted of it, its folder for results, and what it has started."""

    def __init__(self, options, work):
        self.options = options
        self.work = work
        self.results = Results(work)
        self.groups = []  # processes with all that they have started
        self.attends = not (options.inside or options.beside)  # else who called ends all of this, as one process group

    def start(self, command, **how):
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=self.attends, **how)
        self.groups.append(process)
        return process

    def end(self):
        """Ends what was started and still runs."""
        if not self.attends:
            return
        for sent in (signal.SIGTERM, signal.SIGKILL):
            for process in self.groups:
                if process.poll() is None:
                    # The process, too: it becomes a group a moment after it has started.
                    for kill in (os.kill, os.killpg):
                        try:
                            kill(process.pid, sent)
                        except ProcessLookupError:
                            pass  # it has ended, or is no group yet
            for process in self.groups:
                try:
                    process.wait(UNATTENDED)
                except subprocess.TimeoutExpired:
                    note(f"process {process.pid} does not end")

    def junit(self, tier, *jvm_options):
        """The command that runs a tier in a JVM. C1 alone starts tests sooner where instructions are emulated; what they
        measure is not speed."""
        return [*(("taskset", "-c", "0") if os.environ.get("ISTHMUS_ONE_CPU_JVM") else ()), f"{java_home()}/bin/java",
                "-XX:TieredStopAtLevel=1", "-XX:+ErrorFileToStderr", "--enable-native-access=ALL-UNNAMED", *jvm_options,
                *(f"-Disthmus.test.{number}" for number in self.options.numbers), f"-Disthmus.home={HOME}",
                "-cp", class_path(), "dev.isthmus.testbed.TierRunner", tier,
                *(("--exact",) if self.options.exact else ()), self.options.only]

    def tier(self, name):
        """Runs one tier here."""
        print(f"\n{name} tests", flush=True)
        environment = dict(os.environ)
        try:
            command = self.command(name, environment)
        except subprocess.CalledProcessError as e:
            print(f"{' '.join(e.cmd)}: exit status {e.returncode}", flush=True)
            self.results.broken(name)
            return
        process = self.start(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        result = self.results.read(name, process)
        try:
            status = process.wait(UNATTENDED)
            result["ended"] = status == 0
            if not result["closed"]:
                result["notes"].insert(0, f"exit status {status}")
        except subprocess.TimeoutExpired:  # not even after SIGKILL: a driver holds it
            note(f"process {process.pid} of the tier {name} does not end")
        if name in PROGRAMS and result["passed"] != stated(name):
            print(f"testbed/tests.txt: {name} {name}={result['passed']}, not {stated(name)}", flush=True)
            result["ended"] = result["ended"] and not self.options.exact
        self.results.add(result)

    def command(self, name, environment):
        """The command of a tier; its environment is completed."""
        if name in ("testbed", "format", "consumer"):
            return [f"{TESTBED}/{ {'testbed': 'selftest', 'format': 'formatcheck', 'consumer': 'consumertest'}[name]}"]
        if name == "site":
            return [f"{HOME}/docs/site/build", "--check"]
        if name == "instructions":  # a busy machine takes longer
            return [f"{java_home()}/bin/java", "--enable-native-access=ALL-UNNAMED", f"-Disthmus.home={HOME}", "-cp",
                    class_path(), "dev.isthmus.perf.Main", "perf", "instructions", "--check", "--timeout", "3600"]
        if name == "netty":
            return [f"{TESTBED}/nio-suites", "--suite", "netty", "--suite", "netty-beside-tcp"]
        if name == "jdk-newest":  # in a system of its own: a JDK of sid needs a newer C library than Debian 12 has
            return [f"{TESTBED}/debian", "--jdk", "newest", "--", "./isthmus", "test", "--tier", "unit", "--tier", "ucx",
                    "--only", NOT_OF_COMPARISONS]
        if name == "unit":  # a locale with digits of its own: what a program reads again must not depend on the user's
            return self.junit(name, "-Duser.language=ar", "-Duser.country=SA", "-Duser.extensions=u-nu-arab")
        if name == "spark":
            pyspark, environment_of_it = printed_by("pyspark").split(" ")
            return self.junit(name, f"-Disthmus.spark.jars={printed_by('spark-jars')}", f"-Disthmus.pyspark={pyspark}",
                              f"-Disthmus.pyspark.venv={environment_of_it}")
        if name == "spark-verbs":  # a JVM of Spark's starts for a minute where processors are emulated, and there are six
            environment.update(ucx_over_verbs())
            return self.junit(name, f"-Disthmus.spark.jars={printed_by('spark-jars')}", "-Disthmus.test.seconds=1500")
        if name == "ucx-newest":  # for this tier alone: other tests' peers in C are made for the system's UCX
            environment["LD_LIBRARY_PATH"] = printed_by("ucx-newest")
        if name == "ucx-verbs":
            environment.update(ucx_over_verbs())
        return self.junit(name)

    def in_testbed(self, device, tiers):
        """Tiers that need the same devices share one run of the testbed, which may mean one boot."""
        process = self.start([f"{TESTBED}/testbed", "--device", device, "--timeout",
                              str(LONG if self.options.numbers else 5400), "--rw", self.work, "--",
                              f"{TESTBED}/tests", "--inside", self.work, *self.arguments(tiers)])
        status = process.wait()
        if status:
            note(f"the testbed ended with exit status {status}")

    def arguments(self, tiers):
        return ["--only", self.options.only, *(("--exact",) if self.options.exact else ()),
                *(word for number in self.options.numbers for word in ("--with", number)),
                *(word for tier in tiers for word in ("--tier", tier))]

    def run(self, tiers):
        """All of these tiers, one after another."""
        if self.options.inside:
            for name in tiers:
                self.tier(name)
            return
        if "spark-verbs" in tiers:
            printed_by("spark-jars")  # downloads them, as the guest has no network
        for device, its in (("rxe", SOFT_ROCE), ("siw", ("siw",)), ("rxe", ("spark-verbs",))):
            wanted = [name for name in its if name in tiers]
            if wanted:
                self.in_testbed(device, wanted)
        for name in ON_HOST:
            if name in tiers:
                self.tier(name)

    def start_lane(self, tiers):
        folder = f"{self.work}/lane-{tiers[0]}"
        note(f"beside the others, with their output at the end: {' '.join(tiers)}")
        os.mkdir(folder)
        with open(f"{folder}/output", "wb") as output:
            return folder, self.start([f"{TESTBED}/tests", "--beside", folder, *self.arguments(tiers)], stdout=output,
                                      stderr=subprocess.STDOUT)

    def run_in_lanes(self, tiers):
        """Returns the results of all tiers."""
        lanes = LANES
        if has_devices() or has_softroce():  # two runs on the devices of this machine would be in each other's way
            lanes = (GUESTS, ON_HOST)
        if "netty" in tiers:  # before there are lanes: Maven's local repository is not made for two that download at once
            try:
                suites.fetch_netty()
            except Failure as failure:  # the tier tries again, and tells
                note(failure)
        wanted = [lane for lane in ([name for name in lane if name in tiers] for lane in lanes) if lane]
        others = [self.start_lane(lane) for lane in wanted[1:]]
        self.run(wanted[0])
        results = self.results
        for folder, process in others:
            show(folder, process)  # it has told of each tier
            results.take(folder)
        return results


def show(folder, process):
    """Passes on what a lane prints, until it has ended."""
    with open(f"{folder}/output", "rb") as output:
        while True:
            ended = process.poll() is not None
            if data := output.read():
                sys.stdout.buffer.write(data)
                sys.stdout.buffer.flush()
            elif ended:
                return
            else:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(1)


def class_path():
    parts = [f"{HOME}/{module}/target/{classes}" for module in MODULES for classes in ("test-classes", "classes")]
    for module in ("perf", "api"):
        with open(f"{HOME}/{module}/target/test.classpath", encoding="utf-8") as file:
            parts.append(file.read().strip())
    return ":".join(parts)


def printed_by(script):
    return subprocess.run([f"{TESTBED}/{script}"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                          check=True).stdout.strip()


def ucx_over_verbs():
    """What UCX needs to use the first device; rc_verbs alone has no auxiliary transport."""
    devices = os.environ["ISTHMUS_DEVICES"].split()
    environment = {"ISTHMUS_UCX_TLS": "rc_verbs,ud_verbs,self", "UCX_NET_DEVICES": f"{devices[0]}:1"}
    if os.environ["ISTHMUS_TESTBED"] != "hardware":  # Soft-RoCE
        environment.update({
            "UCX_IB_GID_INDEX": "1", "UCX_UD_VERBS_ETH_DGID_CHECK": "n",
            # rdma_rxe of Linux 6.12, unlike that of 6.1, reports when a queue pair has had the last request of its shared
            # receive queue. An assertion of UCX ends the process when that comes twice (openucx/ucx issue 10432).
            "UCX_IB_ASYNC_EVENTS": "n",
            # A dead peer is given up after seconds: 7 retries, the default, have no end on Soft-RoCE.
            "UCX_RC_VERBS_RETRY_COUNT": "3", "UCX_UD_TIMEOUT": "10s", "UCX_KEEPALIVE_INTERVAL": "2s"})
    return environment


def main(arguments):
    p = parser()
    options = p.parse_args(arguments)
    tiers = list(dict.fromkeys(options.tier))
    name = alone(tiers)
    if name and (len(tiers) > 1 or options.only != ".*" or options.numbers or options.exact):
        p.error(f"the tier {name} goes alone, with no other option")
    if options.needs:
        print(*needs(tiers))
        return 0
    try:
        java_home()
    except Failure as failure:
        say(failure)
        return failure.status
    if name:
        run_alone(name)
    tiers = tiers or default_tiers(options.only != ".*")
    catch_signals()
    with tempfile.TemporaryDirectory(prefix="isthmus-tests-") as scratch:
        tests = Tests(options, options.inside or options.beside or scratch)
        try:
            if options.inside or options.beside:
                tests.run(tiers)
                return 0
            results = tests.run_in_lanes(tiers)
        except Interrupted as e:
            return e.status
        finally:
            ignore_signals()
            tests.end()
        return results.summarise(tiers)
