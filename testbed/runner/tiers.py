# SPDX-License-Identifier: Apache-2.0
"""The tests of a finished build: the gate, the whole, or some of their tiers.

They run in three lanes beside each other, as a lane keeps one processor busy at most: two of testbeds, and one for most
tiers that need none. What the first lane prints is seen at once, that of the others at the end.
"""

import argparse
import contextlib
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from . import changes, guest, modules, refused, suites
from .again import Budget
from .failure import Failure, Interrupted, catch_signals, ignore_signals, say
from .junit import JUnitTier
from .place import java_home
from .results import Results, read_program

TESTBED = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
HOME = os.path.dirname(TESTBED)

# How many tests must run at least in each tier, in the gate and in the whole: raised at a release. None: not in the gate.
LEAST = {"format": (1, 1), "unit": (1100, 1110), "ucx": (820, 860), "device": (850, 1000), "interop": (38, 260),
         "siw": (90, 410), "connectx": (None, 370), "connectx-direct": (None, 370), "consumer": (20, 72), "instructions": (51, 74),
         "ucx-verbs": (None, 340), "ucx-newest": (None, 800), "jdk-newest": (None, 1650), "netty": (None, 170),
         "mpi": (None, 60), "spark": (None, 15), "spark-newest": (None, 15), "spark-verbs": (None, 3), "valkey": (None, 13),
         "site": (None, 12), "testbed": (None, 80)}
GATE = [name for name, (least, _) in LEAST.items() if least]
GATE_MODULES = {"siw": ("api",)}  # whose tests the gate has of a tier, where it has not all: connections, not sockets
GATE_ROWS = "mlx5-(direct-)?(poll-1|post-write-64-signaled)|(?!mlx5-).*"  # of instructions: some of a card's
WHOLE = [name for name in LEAST if name not in ("spark-newest", "spark-verbs", "valkey")]

SOFT_ROCE = ("device", "interop", "ucx-verbs")
GUESTS = (*SOFT_ROCE, "siw", "spark-verbs", "valkey")
SIMULATED = ("connectx", "connectx-direct")  # devices that need no guest
JUNIT = ("unit", "ucx", "ucx-newest", "mpi")
PROGRAMS = ("testbed", "format", "site", "consumer", "instructions", "netty", "jdk-newest")  # which count for themselves
ON_HOST = (*JUNIT, *SIMULATED, "spark", "spark-newest", *PROGRAMS)
# Each takes about as long as the others. A program such as netty boots a guest of its own, in any lane.
LANES = (("device", "netty"), ("interop", "ucx-verbs", "siw", "spark-verbs", "valkey"),
         tuple(name for name in ON_HOST if name != "netty"))
# Comparisons measure for minutes, and no JDK changes how: the newest one runs the tests of what is measured.
NOT_OF_COMPARISONS = r"(?!dev\.isthmus\.perf\.(bench\.compare|tools\.ucx)\.).*"
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
OF_THE_GATE = ":gate"  # behind the name of a tier of which only the gate's part is wanted

DESCRIPTION = """\
Runs the tests of a finished build: without options the gate, which judges a change in some twenty minutes.

Tiers of the gate, each without its extended tests:
  format        checks the format of the sources and their licence lines; needs a JDK 22 to 26
  unit, ucx     on this machine
  device        in the testbed
  interop       in the testbed: isthmus perf and perftest's programs with each other
  siw           the tests of connections again, over SoftiWARP in the testbed
  consumer      installs the library, and depends on it
  instructions  isthmus perf instructions --check
The whole (--all) has the extended tests, too, and these:
  connectx      some tests of device again, on a simulated ConnectX of this machine
  connectx-direct  connectx again, with queue pairs that Java itself drives
  ucx-verbs     ucx again, over verbs in the testbed
  ucx-newest    ucx again, on the newest UCX from PyPI
  jdk-newest    unit and ucx, without comparisons, on the newest JDK of Debian sid, in a Debian 13 made for it, as root
  mpi           MPI on the standard's ABI, by mpiexec of PyPI's MPICH
  netty         Netty's own socket tests over RDMA, in the testbed's vm
  spark         Apache Spark with two executors, and PySpark
  site          draws small results by isthmus plot; builds the documentation's website, and fails on a dead link
  testbed       the testbed's own tests
Only when named:
  spark-newest  spark again, on the newest Spark from PyPI
  spark-verbs   Apache Spark with two executors over UCX' verbs, in the testbed
  valkey        clients of Valkey over RDMA, against valkey-server, which is built once; in the testbed
Alone, and only when named:
  debian13, debiansid  the demo and all tests on that Debian, made from nothing (testbed/debian --help)
  arm64                samples and some classes on emulated 64-bit Arm (testbed/arm64 --help)
  nio-suites           Netty's and the JDK's own socket tests, over RDMA (testbed/nio-suites --help)
  spark-suites         Spark's own shuffle tests, over UCX (testbed/spark-suites --help)

The gate and the whole also print the tests that the base has and the checkout has not, and fail unless a commit since
then has a line "Removes-test: Class.method" for each.
"""

EPILOG = """\
Examples:
  ./isthmus test                                     the gate
  ./isthmus test --changed                           and the tiers that the change can affect
  ./isthmus test --only '.*GidTest'                  a class, in seconds
  ./isthmus test --tier siw --only '.*ConnectTest'   over SoftiWARP
"""


def parser():
    p = argparse.ArgumentParser(prog="./isthmus test", description=DESCRIPTION, epilog=EPILOG, allow_abbrev=False,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--all", action="store_true", help="run the whole")
    p.add_argument("--changed", nargs="?", const="", metavar="BASE",
                   help="run the gate, and all of each tier that the changes since BASE can affect by testbed/changes.txt"
                        " (default: origin/main)")
    p.add_argument("--tier", action="append", default=[], type=_tier, metavar="TIER",
                   help="run all of this tier only; may be repeated")
    p.add_argument("--only", default=".*", metavar="PATTERN",
                   help="run only test classes whose full name matches the regular expression, each in the tier that its tag"
                        " names, or in those of --tier")
    p.add_argument("--with", action="append", default=[], type=_number, metavar="NAME=NUMBER", dest="numbers",
                   help="set how much a test does: it reads the system property isthmus.test.NAME. Each test then has NUMBER"
                        " milliseconds more, unless NAME is bytes. Give --only, too")
    # For the launcher: prints what must be there before the same can run without this, as in NEEDS.
    p.add_argument("--needs", action="store_true", help=argparse.SUPPRESS)
    # For this program alone, which calls itself: in the testbed, and for a lane; with the folder of the run.
    p.add_argument("--inside", metavar="DIR", help=argparse.SUPPRESS)
    p.add_argument("--beside", metavar="DIR", help=argparse.SUPPRESS)
    return p


def _tier(name):
    if name.removesuffix(OF_THE_GATE) not in (*GUESTS, *ON_HOST, *ALONE) and not DEBIAN.fullmatch(name):
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
    """What these need before they can run."""
    name = alone(tiers)
    if name:
        words = ALONE.get(name, ("testbed", "debian"))
    else:
        words = (*NEEDS, *(("debian",) if "jdk-newest" in tiers else ()),
                 *(("connectx",) if any(tier in SIMULATED for tier in tiers) else ()),
                 *(("valkey",) if "valkey" in tiers else ()),
                 *(("siw", "devices") if any(tier in NEED_DEVICES for tier in tiers) else ()))
    return ["vm" if word == "devices" else word for word in words if word != "devices" or not has_devices()]


def run_alone(name):
    command = [name] if name in ALONE else ["debian", "--release", name.removeprefix("debian")]
    os.execv(f"{TESTBED}/{command[0]}", command)


def wanted_tiers(options):
    """Returns the tiers to run, those of which only the gate's part is to run, and what to say of that."""
    if options.tier:
        gate = {name.removesuffix(OF_THE_GATE) for name in options.tier if name.endswith(OF_THE_GATE)}
        return list(dict.fromkeys(name.removesuffix(OF_THE_GATE) for name in options.tier)), gate, []
    if options.only != ".*":
        tags = modules.tags_of(options.only)
        return [name for name in (*JUNIT, *GUESTS, "spark") if name in tags], set(), []
    more, notes = set(WHOLE if options.all else ()), []
    if options.changed is not None:
        base = changes.base_of(options.changed or None)
        more = changes.affected(changes.changed_files(base))
        notes.append(f"the changes since {base[:12]} can affect: {' '.join(sorted(more)) or 'nothing'}")
    tiers, left_out = possible([name for name in WHOLE if name in (*GATE, *more)])
    notes += [f"the tier {name} is left out: {why}" for name, why in left_out.items()]
    return tiers, {name for name in tiers if name not in more}, notes


def possible(tiers):
    """Those of the tiers that this machine can run, and why it cannot run the others."""
    left_out = {}
    if has_devices():
        left_out.update(dict.fromkeys(("siw", "netty"), "it needs the testbed's vm, and this machine has RDMA devices"))
    if not counts_instructions():
        left_out["instructions"] = ("Soft-RoCE of this machine's kernel works in a thread of its own, for which a poller on"
                                    " one processor waits; that of Linux 6.1 does not")
    if not os.environ.get("ISTHMUS_FORMAT_JDK"):
        left_out["format"] = "the formatter needs a JDK 22 to 26, and there is none"
    if os.geteuid() != 0:
        left_out["jdk-newest"] = "only root can make a Debian"
    return [name for name in tiers if name not in left_out], {name: left_out[name] for name in tiers if name in left_out}


def counts_instructions():
    try:
        return not guest.has_softroce_threads("/")
    except Exception:  # without such a kernel the tier says what is missing
        return True


def note(message):
    print(f"tests: {message}", file=sys.stderr, flush=True)


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Tests:
    """One run of this program: what is wanted of it, its folder for results, and what it has started."""

    def __init__(self, options, root, gate_only):
        self.options = options
        self.only = options.only
        self.numbers = options.numbers
        self.root = root  # which all lanes and guests share
        self.folder = root
        self.gate_only = gate_only  # tiers of which only the gate's part is wanted
        self.results = Results(root)
        self.budget = Budget(root)
        self.groups = []  # processes with all that they have started
        self.attends = not (options.inside or options.beside)  # else who called ends all of this, as one process group

    def gate(self, tier):
        """Whether the extended tests of a tier are left out."""
        return tier in self.gate_only

    def modules(self, tier):
        """The modules whose tests run."""
        return GATE_MODULES.get(tier, modules.modules()) if self.gate(tier) else modules.modules()

    def is_whole(self, tier):
        """Whether each test of a tier runs."""
        return self.only == ".*" and not self.gate(tier)

    def start(self, command, **how):
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=self.attends, **how)
        self.groups.append(process)
        return process

    def start_for(self, command, environment):
        """Starts a process whose output is read."""
        return self.start(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

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

    def tier(self, name):
        """Runs one tier here."""
        print(f"\n{name} tests", flush=True)
        began, processor = time.monotonic(), processor_seconds()
        try:
            if name in PROGRAMS:
                result = read_program(name, self.start_for(self.program(name), dict(os.environ, ISTHMUS_TESTS=self.root)))
            else:
                result = self.junit(name).run()
        except subprocess.CalledProcessError as e:
            result = {"closed": False, "notes": [f"{' '.join(e.cmd)}: exit status {e.returncode}"]}
        except Failure as failure:
            result = {"closed": False, "notes": [str(failure)]}
        self.results.add(name, {**result, "seconds": time.monotonic() - began,
                                "processor": processor_seconds() - processor})

    def program(self, name):
        """The command of a tier that is a program of its own."""
        if name in ("testbed", "format", "consumer"):
            program = {"testbed": "selftest", "format": "formatcheck", "consumer": "consumertest"}[name]
            return [f"{TESTBED}/{program}", *(("--gate",) if self.gate(name) and name == "consumer" else ())]
        if name == "site":
            return ["sh", "-c", '"$0/plots/drawtest" && exec "$0/site/build" --check', f"{HOME}/docs"]
        if name == "instructions":  # a busy machine takes longer
            return [f"{java_home()}/bin/java", "--enable-native-access=ALL-UNNAMED", f"-Disthmus.home={HOME}", "-cp",
                    modules.class_path("perf"), "dev.isthmus.perf.cli.Main", "perf", "instructions", "--check", "--timeout", "3600",
                    *(("--rows", GATE_ROWS) if self.gate(name) else ())]
        if name == "netty":
            return [f"{TESTBED}/nio-suites", "--suite", "netty", "--suite", "netty-beside-tcp",
                    "--suite", "netty-module"]
        # In a system of its own: a JDK of sid needs a newer C library than Debian 12 has.
        return [f"{TESTBED}/debian", "--jdk", "newest", "--", "./isthmus", "test", "--tier", "unit", "--tier", "ucx",
                "--only", NOT_OF_COMPARISONS]

    def junit(self, name):
        """A tier that JUnit runs."""
        environment = dict(os.environ)
        options = []
        if name == "unit":  # a locale with digits of its own: what a program reads again must not depend on the user's
            options = ["-Duser.language=ar", "-Duser.country=SA", "-Duser.extensions=u-nu-arab"]
        elif name in ("spark", "spark-newest"):
            newest = name == "spark-newest"  # whose jars Maven Central need not have
            pyspark, environment_of_it = printed_by("pyspark", *(("--newest",) if newest else ())).split(" ")
            options = [f"-Disthmus.spark.jars={f'{pyspark}/jars' if newest else printed_by('spark-jars')}",
                       f"-Disthmus.pyspark={pyspark}", f"-Disthmus.pyspark.venv={environment_of_it}"]
        elif name == "spark-verbs":  # a JVM of Spark's starts for a minute where processors are emulated, and there are six
            environment.update(ucx_over_verbs())
            options = [f"-Disthmus.spark.jars={printed_by('spark-jars')}", "-Disthmus.test.seconds=1500"]
        elif name == "valkey":  # was built before the guest booted, which has no network
            options = [f"-Disthmus.valkey={printed_by('valkey')}"]
        elif name == "connectx-direct":
            options = ["-Disthmus.mlx5.direct=true"]
        elif name == "ucx-newest":  # for this tier alone: other tests' peers in C are made for the system's UCX
            environment["LD_LIBRARY_PATH"] = printed_by("ucx-newest")
        elif name == "mpi":
            environment.update(mpich())
        elif name == "ucx-verbs":
            environment.update(ucx_over_verbs())
        return JUnitTier(name, self, options, environment)

    def in_testbed(self, device, tiers):
        """Tiers that need the same devices share one run of the testbed, which may mean one boot."""
        process = self.start([f"{TESTBED}/testbed", "--device", device, "--timeout",
                              str(LONG if self.numbers else 5400), "--rw", self.root, "--",
                              f"{TESTBED}/tests", "--inside", self.root, *self.arguments(tiers)])
        status = process.wait()
        if status:
            note(f"the testbed ended with exit status {status}")

    def arguments(self, tiers):
        return ["--only", self.only, *(word for number in self.numbers for word in ("--with", number)),
                *(word for tier in tiers for word in ("--tier", tier + OF_THE_GATE * self.gate(tier)))]

    def run(self, tiers):
        """All of these tiers, one after another."""
        if self.options.inside:
            for name in tiers:
                self.tier(name)
            return
        if "spark-verbs" in tiers:
            printed_by("spark-jars")  # downloads them, as the guest has no network
        if "valkey" in tiers:
            printed_by("valkey")
        for device, its in (("rxe", SOFT_ROCE), ("siw", ("siw",)), ("rxe", ("spark-verbs",)), ("rxe", ("valkey",))):
            wanted = [name for name in its if name in tiers]
            if wanted:
                self.in_testbed(device, wanted)
        for name in ON_HOST:
            if name in SIMULATED and name in tiers:
                self.in_testbed("connectx", [name])
            elif name in tiers:
                self.tier(name)

    def start_lane(self, tiers):
        output = f"{self.root}/{tiers[0]}.output"
        note(f"beside the others, with their output at the end: {' '.join(tiers)}")
        with open(output, "wb") as file:
            return output, self.start([f"{TESTBED}/tests", "--beside", self.root, *self.arguments(tiers)], stdout=file,
                                      stderr=subprocess.STDOUT)

    def run_in_lanes(self, tiers):
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
        for output, process in others:
            show(output, process)  # it has told of each tier


def show(path, process):
    """Passes on what a lane prints, until it has ended."""
    with open(path, "rb") as output:
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


def printed_by(script, *arguments):
    return subprocess.run([f"{TESTBED}/{script}", *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                          check=True).stdout.strip()


def mpich():
    """What programs need to start, compile against and load the MPI of testbed/mpich."""
    folder = printed_by("mpich")
    return {"LD_LIBRARY_PATH": f"{folder}/lib", "LIBRARY_PATH": f"{folder}/lib", "CPATH": f"{folder}/include",
            "PATH": f"{folder}/bin:{os.environ['PATH']}", "UCX_ERROR_SIGNALS": ""}


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


def least_tests(options, tiers, gate_only):
    """How many tests each tier must have run, unless only some are wanted."""
    if options.only != ".*":
        return {}
    return {tier: (LEAST[tier][0] if tier in gate_only else LEAST[tier][1]) for tier in tiers}


def check_gone_tests(options):
    """Prints the tests that have gone since the base; returns the exit status."""
    if options.tier or options.only != ".*":
        return 0
    try:
        base = changes.base_of(options.changed or os.environ.get("ISTHMUS_BASE") or None)
        gone, unsaid = changes.gone_tests(base)
    except Failure as failure:
        note(f"not compared with a base: {failure}")
        return 1 if os.environ.get("CI") else 0
    for name in gone:
        print(f"gone since {base[:12]}: {name}")
    for name in unsaid:
        print(f"no commit says that it removes this test, by a line in its text: Removes-test: {name}", file=sys.stderr)
    return 1 if unsaid else 0


def main(arguments):
    p = parser()
    options = p.parse_args(arguments)
    name = alone(options.tier)
    if name and (len(options.tier) > 1 or options.only != ".*" or options.numbers):
        p.error(f"the tier {name} goes alone, with no other option")
    if sum((options.all, options.changed is not None, bool(options.tier or options.only != ".*"))) > 1:
        p.error("--all, --changed, and --tier or --only exclude one another")
    try:
        tiers, gate_only, notes = ([name], set(), []) if name else wanted_tiers(options)
        if options.needs:
            print(*needs(tiers))
            return 0
        for text in notes:
            note(text)
        if not tiers:
            p.error(f"there is no test class {options.only}")
        java_home()
    except Failure as failure:
        say(failure)
        return failure.status
    if name:
        run_alone(name)
    catch_signals()
    # The guest that stays takes one command at a time, so it is for a class or two: it shares this folder.
    shared = f"{HOME}/target/testbed"
    folder = shared if options.only != ".*" and os.path.isdir(shared) else None
    with tempfile.TemporaryDirectory(prefix="isthmus-tests-", dir=folder) as scratch:
        tests = Tests(options, options.inside or options.beside or scratch, gate_only)
        try:
            if options.inside or options.beside:
                tests.run(tiers)
                return 0
            tests.run_in_lanes(tiers)
        except Interrupted as e:
            return e.status
        finally:
            ignore_signals()
            tests.end()
        refused.keep(scratch)
        return tests.results.summarise(tiers, least_tests(options, tiers, gate_only)) | check_gone_tests(options)
