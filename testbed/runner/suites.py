# SPDX-License-Identifier: Apache-2.0
"""Netty's own socket tests, and those of the JDK for its channels, its sockets of java.net and TLS, run over RDMA.

Netty's tests are a jar from Maven Central; the JDK's come with Debian's source package, and are kept in the cache.
suites/expected.txt says what each suite must yield.
"""

import argparse
import contextlib
import glob
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading

from .again import Budget, run_again
from .debian import cache, debian_mirror
from .failure import Failure, Interrupted, catch_signals, say
from .place import HERE, java_home

HOME = os.path.dirname(HERE)  # the checkout
FOLDER = f"{HERE}/suites"
WORK = f"{HOME}/target/nio-suites"  # logs stay there
TIMEOUT = 4 * 3600  # all suites, emulated
SILENCE = 1800  # seconds for one test; most take less than one
REASON = 20  # lines that are shown of why a test has not passed
JDK = "25"  # whose tests are taken
JDK_SOURCE = "25.0.4+7"
JDK_SHA256 = "9deeff6ea42325d38391e5293f1ddce11a451ac383f9dd3bb197616541e9a960"

NATIVE_ACCESS = "--enable-native-access=ALL-UNNAMED"
PROVIDERS = ("-Djava.nio.channels.spi.SelectorProvider=dev.isthmus.nio.RdmaSelectorProvider",
             "-Djava.nio.channels.spi.AsynchronousChannelProvider=dev.isthmus.nio.RdmaAsynchronousChannelProvider",
             "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED", NATIVE_ACCESS)
# Sockets of java.net are TCP, so a server is reached by both, and a client goes by TCP.
BESIDE_TCP = ("-Disthmus.nio.bind=* * tcp", "-Disthmus.nio.connect=")
JAVA_NET = "SocketShutdownOutputBy(Peer|Self)Test"
LEFT_OUT = "left out: "  # so does the reason of a test begin that is not run
ABSENT = "198.51.100.254"
PERMUTATION = f"{FOLDER}/target/netty"  # compiled from suites/netty
NETTY_MODULE = ("-Dio.netty.leakDetection.level=paranoid", "-Dio.netty.leakDetection.targetRecords=8")
NETTY_PACKAGE = "io.netty.testsuite.transport.socket"

# What a suite says of a test: its name, and whether it has passed.
NETTY_LINE = re.compile(r"JUnit Jupiter > (?P<name>.*) :: (?:(?P<passed>SUCCESSFUL)|FAILED|ABORTED|SKIPPED)$")
JTREG_LINE = re.compile(r"(?:(?P<passed>Passed)|TEST): (?P<name>javax?/\S+)$")  # "TEST" begins the account of one that has not


def classes(*more):
    folders = [f"{HOME}/{module}/target/classes" for module in (*more, "nio", "api", "bindings/ibverbs")]
    if not all(os.path.isdir(folder) for folder in folders):
        raise Failure("the checkout is not built: run ./isthmus build")
    return ":".join(folders)


def netty_jars():
    with open(f"{FOLDER}/target/suites.classpath", encoding="utf-8") as file:
        return file.read().strip()


def netty(names, *options, module=False):
    """Returns how Netty's tests are run whose classes have such names: by the provider, or with the channels of module netty,
    whose SocketTestPermutation is found before Netty's."""
    def command(flags, _scratch, only=None):
        jars = netty_jars()
        tests = re.search(r"[^:]*/netty-testsuite-[^:/]*\.jar", jars)[0]
        own = f"{PERMUTATION}:{classes('netty')}" if module and flags else classes()
        # Their own limits are for processors that are not emulated.
        return [f"{java_home()}/bin/java", "-XX:TieredStopAtLevel=1",
                *([NATIVE_ACCESS] if module and flags else flags), *(options if flags else ()),
                "-cp", f"{own}:{jars}", "org.junit.platform.console.ConsoleLauncher", "execute",
                "--disable-banner", "--disable-ansi-colors", "--details=testfeed", f"--scan-classpath={tests}",
                f"--include-classname={NETTY_PACKAGE}\\.{only or names}",
                "--config=junit.jupiter.execution.timeout.mode=disabled"]
    return command, NETTY_LINE


def jtreg(*folders, java_net=False):
    """Returns how the JDK's tests in folders of java/nio/channels are run: those with sockets of java.net, or the others."""
    def command(flags, scratch):
        # The JDK asks a provider's class of the loader that has the test's program, unless it is the boot loader's.
        options = [f"-Xbootclasspath/a:{classes()}", *flags, *(BESIDE_TCP if java_net else ())] if flags else []
        return _jtreg(scratch, "-agentvm", options, [path for folder in folders for path in tests_in(f"java/nio/channels/{folder}")
                                                     if uses_java_net(path) == java_net])
    return command, JTREG_LINE


def jtreg_by_agent(*folders, of=r"\b(Server)?Socket\b", most=None):
    """Returns how the JDK's tests in folders are run with isthmus-agent, those whose text has such words: each in a JVM of
    its own, as the one that jtreg keeps speaks to it by a socket of java.net. Of those that run a program again and again with
    other arguments, each time in another JVM, only those with few runs at most. They run on this machine first, over TCP."""
    def command(flags, scratch):
        # Most of them last a second on a processor that is not emulated, so C2 would cost more than it saves.
        options = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", f"-javaagent:{agent()}"] if flags else []
        return _jtreg(scratch, "-othervm", options, [path for folder in folders for path in tests_in(folder)
                                                     if re.search(of, _text(path))
                                                     and (most is None or _text(path).count("@run main") <= most)])
    return command, JTREG_LINE


def _jtreg(scratch, mode, options, tests):
    return ["jtreg", f"-jdk:{java_home()}", mode, "-timeoutFactor:20", "-verbose:summary,fail,error", f"-w:{scratch}/work",
            f"-r:{scratch}/report", *[f"-javaoption:{option}" for option in options], *[path for path in tests if not is_left_out(path)]]


def agent():
    jars = [path for path in glob.glob(f"{HOME}/agent/target/isthmus-agent-*.jar") if "-sources" not in path]
    if not jars:
        raise Failure("the agent's jar is not built: run ./isthmus build")
    return jars[0]


def is_left_out(path):
    name = path.partition("/test/jdk/")[2]
    return any(exceptions.get(name, "").startswith(LEFT_OUT) for _, exceptions in expected().values())


def tests_in(folder):
    return sorted(path for path in glob.glob(f"{jdk_tests()}/test/jdk/{folder}/*.java")
                  if re.search(r"(?m)^( \*|/\*+) *@test\b", _text(path)))


def uses_java_net(path):
    return re.search(r"\bnew (Server)?Socket\(|\b(TestServers|ByteServer)\b", _text(path)) is not None


FOLDERS = ("SocketChannel", "ServerSocketChannel", "Selector", "SelectionKey")
SUITES = {
    "netty": netty(rf"(?!Datagram|TrafficShaping|{JAVA_NET}$)\w*Test"),
    "netty-beside-tcp": netty(JAVA_NET, *BESIDE_TCP),
    "netty-module": netty(rf"(?!Datagram|TrafficShaping|{JAVA_NET}$)\w*Test", *NETTY_MODULE, module=True),
    "jdk-channels": jtreg(*FOLDERS),
    "jdk-beside-tcp": jtreg(*FOLDERS, java_net=True),
    "jdk-asynchronous": jtreg("AsynchronousSocketChannel", "AsynchronousServerSocketChannel", "AsynchronousChannelGroup"),
    "jdk-java-net": jtreg_by_agent("java/net/Socket", "java/net/ServerSocket", "java/net/SocketInputStream"),
    "jdk-tls": jtreg_by_agent(*(f"javax/net/ssl/{folder}" for folder in ("SSLSocket", "ALPN", "ServerName", "SSLSession",
                                                                         "TLS", "TLSv12")), of=r"SSL(Server)?Socket\b", most=2),
}
BY_AGENT = ("jdk-java-net", "jdk-tls")


# --- what others wrote

def jdk_tests():
    return f"{cache()}/openjdk-{JDK_SOURCE}-socket-tests"


def fetch_jdk_tests(again):
    """Unpacks the JDK's tests of channels, sockets and TLS into the cache, when they are not there."""
    folder = jdk_tests()
    if again:
        shutil.rmtree(folder, ignore_errors=True)
    if os.path.isdir(folder):
        return
    name = f"openjdk-{JDK}_{JDK_SOURCE}.orig.tar.xz"
    say(f"fetching the JDK's tests from Debian's {name}, once: 74 MB")
    mirror = debian_mirror()
    if not mirror:
        raise Failure("the JDK's tests come from Debian, and apt names no mirror of it here")
    with tempfile.TemporaryDirectory(prefix="isthmus-suites-", dir=cache()) as scratch:
        try:
            _run("/usr/lib/apt/apt-helper", "download-file", f"{mirror.rstrip('/')}/pool/main/o/openjdk-{JDK}/{name}", f"{scratch}/{name}",
                 f"SHA256:{JDK_SHA256}")
        except Failure as failure:
            raise Failure(f"{failure}\nIf the mirror has another version by now, name that, with its SHA-256, in"
                          " testbed/runner/suites.py.") from None
        os.makedirs(f"{scratch}/made/test")
        wanted = ("lib", "jdk/TEST.ROOT", "jdk/lib", "jdk/java/nio/channels", "jdk/java/net", "jdk/javax/net/ssl")
        _run("tar", "-xJf", f"{scratch}/{name}", "-C", f"{scratch}/made/test", "--strip-components=2", "--wildcards",
             *[f"*/test/{each}" for each in wanted])
        _adapt(f"{scratch}/made/test/jdk")
        os.rename(f"{scratch}/made", folder)


def _adapt(tests):
    """Has Debian's jtreg take them, which is a little older, without asking a JVM of each of its properties first."""
    _edit(f"{tests}/TEST.ROOT", (r"(?m)^requiredVersion=.*", "requiredVersion=7.5+1"),
          (r"(?m)^(groups|requires\.[\w.]+) *=(.*\\\n)*.*\n", ""))
    for path in glob.glob(f"{tests}/java/n*/**/*.java", recursive=True):
        _edit(path, (r"(?m)^ \* @requires !?vm\..*\n", ""))  # such as Graal, which is no more


def _text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def _edit(path, *changes):
    text = _text(path)
    for what, by in changes:
        text = re.sub(what, by, text)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def missing(program):
    return Failure(f"no {program} here; ./isthmus test --tier nio-suites installs it")


def _run(*command, cwd=None):
    try:
        run = subprocess.run(command, cwd=cwd, capture_output=True, text=True, errors="replace", check=False,
                             stdin=subprocess.DEVNULL)
    except FileNotFoundError:
        raise missing(command[0]) from None
    if run.returncode != 0:
        raise Failure(f"{' '.join(command)}:\n" + "\n".join((run.stdout + run.stderr).splitlines()[-12:]))


def fetch_netty():
    """Has Maven fetch what suites/pom.xml names, unless it is there, and write the class path; compiles what is ours."""
    _run("mvn", "-B", "-ntp", "-q", "process-resources", cwd=FOLDER)
    _run(f"{java_home()}/bin/javac", "-proc:none", "--release", "22", "-d", PERMUTATION, "-cp", f"{classes('netty')}:{netty_jars()}",
         f"{FOLDER}/netty/SocketTestPermutation.java")


def check_jdk():
    with open(f"{java_home()}/release", encoding="utf-8") as file:
        version = re.search(r'^JAVA_VERSION="(\d+)', file.read(), re.MULTILINE)[1]
    if version != JDK:
        raise Failure(f"the JDK's tests are those of JDK {JDK}, and JAVA_HOME names a JDK {version}")
    if not shutil.which("jtreg"):
        raise missing("jtreg")


# --- a run

def expected(stated=f"{FOLDER}/expected.txt"):
    """Returns of each suite how many tests pass at least, and which do not, with the reasons."""
    suites = {}
    with open(stated, encoding="utf-8") as file:
        for line in file:
            if found := re.match(r"([\w-]+): (\d+) passed$", line):
                exceptions = {}
                suites[found[1]] = (int(found[2]), exceptions)
            elif found := re.match(r" {4}(\S.*)$", line):
                name = found[1]
                exceptions[name] = ""
            elif found := re.match(r" {8}(\S.*)$", line):
                exceptions[name] = f"{exceptions[name]} {found[1]}".strip()
            elif line.strip() and not line.startswith("#"):
                raise Failure(f"{stated}: what is this: {line.rstrip()}")
    return suites


def perform(command, line, log):
    """Runs a command, and prints what it says of each test: of one that has not passed why, of one that hangs the stacks.

    Returns that, whether it has passed by its name, and how the command has ended: its exit status, None if it was killed.
    """
    results, reason = {}, 0
    pinned = ["taskset", "-c", "0"] if os.environ.get("ISTHMUS_ONE_CPU_JVM") else []
    with open(log, "w", encoding="utf-8", buffering=1) as file, \
            subprocess.Popen(pinned + command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             text=True, errors="replace", start_new_session=True) as child:
        watch = _Watch(child)
        try:
            for said in child.stdout:
                file.write(said)
                if found := line.match(said.rstrip()):
                    watch.restart()
                    name = re.sub(r"@[0-9a-f]+", "", found["name"])  # another in each run
                    results[name] = bool(found["passed"])
                    reason = 0 if results[name] else REASON
                    print(f"{'passed' if results[name] else 'not passed'}: {name}", flush=True)
                elif watch.killed or (reason and said[:1].isspace()):
                    reason -= 1
                    print(said.rstrip(), flush=True)
                else:
                    reason = 0
            with contextlib.suppress(ChildProcessError):  # the watch has waited for it
                os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # keeps its number until its group is ended
        finally:
            watch.stop()
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)  # and what it has left running
    return results, None if watch.killed else child.returncode


def class_of(test):
    return test.partition(" > ")[0]


def perform_suite(suite, flags, work, exceptions, budget):
    """Performs a suite, and returns what perform does. Classes of Netty's with tests that have failed are run again, and what
    they say is taken once all their tests have passed."""
    command, line = SUITES[suite]
    scratch = f"{work}/{suite}"
    os.makedirs(scratch, exist_ok=True)
    results, status = perform(command(flags, scratch), line, f"{scratch}.log")
    failed = {class_of(name): f"{name.partition(' > ')[2]} has failed" for name, good in results.items()
              if not good and name not in exceptions}
    if status != 1 or line is not NETTY_LINE:  # any other status is no test's: a JVM that died, or was killed
        return results, status

    def once(name):
        again, ended = perform(command(flags, scratch, name), line, f"{scratch}-{name}.log")
        if ended == 0:
            results.update(again)
        return ended == 0

    passed = run_again(failed, budget, once)
    return results, status if failed.keys() - passed.keys() else 0


class _Watch:
    """Ends a command that has said nothing of a test for long. A JVM writes its threads' stacks first."""

    def __init__(self, child):
        self.child = child
        self.killed = False
        self.restart()

    def restart(self):
        self.stop()
        self.timer = threading.Timer(SILENCE, self._end)
        self.timer.daemon = True
        self.timer.start()

    def stop(self):
        if hasattr(self, "timer"):
            self.timer.cancel()

    def _end(self):
        self.killed = True
        say(f"no test has ended for {SILENCE} s; the log has the stacks")
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.child.pid, signal.SIGQUIT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.child.wait(10)
            os.killpg(self.child.pid, signal.SIGKILL)


def judge(suite, performed, least, exceptions):
    """Prints what became of a suite; returns whether it is as expected, and the line that says the numbers."""
    results, status = performed
    passed = [name for name, good in results.items() if good]
    wrong = [] if results else ["no test was run"]
    if status is None:
        wrong.append("it was killed")
    elif status and len(passed) == len(results):
        wrong.append(f"it ended with {status}, though no test has failed")
    wrong += [f"not passed: {name}" for name, good in results.items() if not good and name not in exceptions]
    wrong += [f"passed, though it is an exception: {name}" for name in passed if name in exceptions]
    wrong += [f"an exception that was not run: {name}" for name, why in exceptions.items()
              if name not in results and not why.startswith(LEFT_OUT)]
    if len(passed) < least:
        wrong.append(f"{len(passed)} passed, where expected.txt states {least}")
    excepted = [name for name, good in results.items() if not good and name in exceptions]
    failed = len(results) - len(passed) - len(excepted)
    for name, why in exceptions.items():
        if name in excepted or why.startswith(LEFT_OUT):
            print(f"excepted: {name}: {why}")
    for what in wrong:
        print(f"WRONG {suite}: {what}")
    return not wrong, f"{suite}: {len(passed)} passed, {failed} failed, {len(excepted)} excepted"


def lose_a_host():
    """Makes a way to the host that Netty's tests believe to be absent, over a device: no way would be another failure."""
    with open("/run/testbed/ends", encoding="ascii") as file:
        _run("ip", "route", "replace", ABSENT, "dev", file.read().split()[0])


def run_here(names, stock, work):
    """Runs suites in the vm of the testbed."""
    socket.sethostname("localhost")  # or it has no address, where a name service cannot be asked
    lose_a_host()
    good, numbers = True, []
    stated = expected()
    budget = Budget(os.environ.get("ISTHMUS_TESTS") or tempfile.mkdtemp())  # of all tiers, or of this guest
    for name in names:
        print(f"\n{name}", flush=True)
        least, exceptions = (0, {}) if stock else stated.get(name, (0, {}))
        performed = perform_suite(name, () if stock else PROVIDERS, work, exceptions, budget)
        as_expected, said = judge(name, performed, least, exceptions)
        good &= as_expected or stock
        numbers.append(said)
    print("", *numbers, sep="\n", flush=True)  # at the end: a tier that has told them is given little time to end
    return 0 if good else 1


def run_over_tcp(name):
    """Runs a suite on this machine with the JDK's own sockets; returns whether all have passed. What is compiled by that is
    not compiled again in the vm, where it takes a minute a test."""
    print(f"\n{name}, over TCP on this machine", flush=True)
    performed = perform_suite(name, (), WORK, {}, Budget(WORK, 0))
    good, said = judge(f"{name} over TCP", performed, 1, {})
    print(said, flush=True)
    return good


def parser():
    p = argparse.ArgumentParser(prog="testbed/nio-suites", description=__doc__, allow_abbrev=False,
                                formatter_class=argparse.RawDescriptionHelpFormatter,
                                epilog=f"Logs are in {os.path.relpath(WORK, HOME)}.")
    p.add_argument("--suite", action="append", choices=tuple(SUITES), help="this one only; may be repeated")
    p.add_argument("--stock", action="store_true", help="over TCP with the JDK's own channels, to compare; no result is an error")
    p.add_argument("--again", action="store_true", help="fetch the JDK's tests again")
    p.add_argument("--here", action="store_true", help="used inside the testbed's vm")
    return p


def run(options):
    names = options.suite or list(SUITES)
    if options.here:
        return run_here(names, options.stock, WORK)
    if any(name.startswith("jdk") for name in names):
        check_jdk()
        fetch_jdk_tests(options.again)
    if any(name.startswith("netty") for name in names):
        fetch_netty()
    shutil.rmtree(WORK, ignore_errors=True)
    os.makedirs(WORK)
    for name in names:
        if name in BY_AGENT and not run_over_tcp(name):
            return 1
    return os.execv(f"{HERE}/testbed", [
        "testbed", "--where", "vm", "--timeout", str(TIMEOUT), "--memlock", "unlimited", "--rw", WORK,
        *(("--rw", os.environ["ISTHMUS_TESTS"]) if "ISTHMUS_TESTS" in os.environ else ()), "--", f"{HERE}/nio-suites", "--here",
        *(["--stock"] if options.stock else []), *[word for name in names for word in ("--suite", name)]])


def main_of(takes, does):
    """Returns the main function of a program, which takes options and does something with them."""
    def main_function(arguments):
        catch_signals()
        try:
            return does(takes().parse_args(arguments))
        except Failure as failure:
            say(failure)
            return failure.status
        except Interrupted as interrupted:
            return interrupted.status
    return main_function


main = main_of(parser, run)
