# SPDX-License-Identifier: Apache-2.0
"""The program that runs the tests: tiers, what runs again, what others wrote."""

import contextlib
import io
import os
import re
import shutil
import subprocess
import tempfile
import threading

from runner import changes, suites
from runner.again import Budget
from runner.junit import JUnitTier
from runner.output import FATAL, Output
from runner.results import Results, read_program
from runner.tiers import GUESTS, LANES, LEAST, ON_HOST, needs, show

from .harness import END_LIMIT, HERE, TIED, check, run

def check_tiers():
    for wanted, group in (("device", "siw"), ("jdk-newest", "debian"), ("nio-suites", "suites"), ("debian13", "debian")):
        needed = needs([wanted])
        check(f"the tier {wanted} needs the packages of {group}", group in needed, needed)
    netty = needs(["netty"])
    check("Netty's tests need a build and devices, and nothing of the JDK's tests",
          "build" in netty and "siw" in netty and "suites" not in netty, netty)
    check("a tier without a device needs no guest, and Debian builds for itself",
          "vm" not in needs(["unit"]) and "build" not in needs(["debian13"]), needs(["unit"]))
    for wrong in (["--tier", "none"], ["--tier", "arm64", "--tier", "unit"]):
        refused = run(f"{HERE}/tests", "--needs", *wrong)
        check(f"exit status 2 for {wrong}", refused[0] == 2 and refused[1] == b"" and wrong[1].encode() in refused[2], refused)
    homeless = run("env", "-u", "JAVA_HOME", f"{HERE}/tests", "--tier", "unit")
    check("without a JDK, what to do is said", homeless[0] == 125 and b"./isthmus test finds one" in homeless[2], homeless)
    lanes = [name for lane in LANES for name in lane]
    check("each tier is in one lane", sorted(lanes) == sorted({*GUESTS, *ON_HOST}), lanes)
    check("the table of changes names tiers, and only such", all(tier in LEAST for _, its in changes.table() for tier in its),
          changes.table())
    check("a change of the sockets' code has Netty's tests run, and one of a page the pages",
          {"siw", "netty"} <= changes.affected(["nio/src/main/java/dev/isthmus/nio/Rules.java"])
          and changes.affected(["docs/errors.md"]) == {"unit", "site"}, changes.table())
    source = "class T {\n    @Test\n    void shouldA() {}\n\n    @ParameterizedTest\n    @ValueSource(ints = 1)\n" \
             "    @Tag(\"x\")\n    void shouldB(int b) throws Exception {}\n\n    void helper() {}\n}\n"
    check("test methods are found in a source", changes.methods(source) == {"shouldA", "shouldB"}, changes.methods(source))
    leaving = "sleep 1000 & echo leaving"
    with subprocess.Popen([*TIED, "sh", "-c", leaving], stdout=subprocess.PIPE) as tier:
        output = Output(tier)
        output.show()
    check("a process that a tier has left running is named, and ended",
          output.ended_holders() == ["did not end, and was ended: sleep 1000"], output.left)
    dying = f"""seq 30; echo '# {FATAL}:'; echo '# SIGSEGV'; kill -KILL $$"""
    with tempfile.TemporaryDirectory() as folder, \
            subprocess.Popen([*TIED, "sh", "-c", dying], stdout=subprocess.PIPE) as tier:
        results = Results(folder)
        results.add("site", {**read_program("site", tier), "seconds": 1, "processor": 1})
        told = io.StringIO()
        with contextlib.redirect_stdout(told), contextlib.redirect_stderr(io.StringIO()):
            status = results.summarise(["site"], {})
    check("a tier that has died is failed, and what it did last is repeated", status == 1
          and "site: 0 passed, 1 failed\n" in told.getvalue() and "    12\n" in told.getvalue()
          and "    11\n" not in told.getvalue() and told.getvalue().endswith("    # SIGSEGV\n"), told.getvalue())
    with tempfile.TemporaryDirectory() as folder, open(f"{folder}/output", "wb") as output:
        lane = subprocess.Popen([*TIED, "sh", "-c", "echo ok; exec sleep 1"], stdout=output)
        showing = threading.Thread(target=show, args=(f"{folder}/output", lane), daemon=True)
        showing.start()
        showing.join(END_LIMIT)
        check("a lane is shown until it has ended", not showing.is_alive() and lane.returncode == 0, lane)


class ShellRunner:
    """Stands for the tests' program: a shell is the JVM, and each test fails until it has run as often as is stated."""

    only, numbers = ".*", []

    def __init__(self, folder, fails):
        self.folder = self.root = folder
        self.fails = fails  # by the test's name, how often
        self.budget = Budget(folder)
        self.ran = []

    def gate(self, _tier):
        return False

    is_whole = gate

    def start_for(self, command, environment):
        report = command[command.index("--report") + 1]
        wanted = [command[command.index("--test") + 1]] if "--test" in command else [
            f"[engine:junit-jupiter]/[class:a.{name}Test]/[method:should()]" for name in self.fails]
        script = "echo 'device\tno-device' >>\"$0\""
        for test in wanted:
            name = re.search(r"a\.(\w+)Test", test)[1]
            self.ran.append(name)
            state = "failed" if self.ran.count(name) <= self.fails[name] else "passed"
            script += f"; printf 'began\\t%s\\n' '{test}' >>\"$0\""
            if name == "Dying" and state == "failed":
                return subprocess.Popen([*TIED, "sh", "-c", f"{script}; echo 'tcp_ep.c:939 assertion'; kill -KILL $$", report],
                                        stdout=subprocess.PIPE, env=environment)
            script += f"; printf 'ended\\t{state}\\t%s\\t{name}Test.should\\t\\t{name} said\\n' '{test}' >>\"$0\""
        return subprocess.Popen([*TIED, "sh", "-c", f"{script}; echo complete >>\"$0\"", report], stdout=subprocess.PIPE,
                                env=environment)


def perform_tier(place, fails):
    """Runs a tier of one module in a shell; returns its result, what ran, and what was printed."""
    told = io.TextIOWrapper(io.BytesIO())
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(told):
        runner = ShellRunner(folder, fails)
        before = os.environ.get("ISTHMUS_TESTBED")
        os.environ["ISTHMUS_TESTBED"] = place
        os.environ.setdefault("JAVA_HOME", "/none")  # it is not run
        try:
            tier = JUnitTier("ucx", runner)
            tier.run_module("testbed", [])
            result = tier.result(tier.run_again())
        finally:
            os.environ.pop("ISTHMUS_TESTBED")
            if before is not None:
                os.environ["ISTHMUS_TESTBED"] = before
    return result, runner.ran, result["notes"]


def check_again():
    result, ran, notes = perform_tier("vm", {"Good": 0, "Once": 1, "Twice": 2, "Always": 9})
    check("in a guest a test that has failed runs again, at most twice",
          ran == ["Good", "Once", "Twice", "Always", "Once", "Twice", "Twice", "Always", "Always"], ran)
    check("it is counted apart, and one that fails each time fails the run", (result["passed"], result["again"],
          result["failed"], result["good"]) == (1, 2, 1, False), result)
    check("no first failure is lost", "again: OnceTest.should, which failed first: Once said" in notes
          and "FAILED AlwaysTest.should: Always said" in notes, notes)
    result, ran, notes = perform_tier("vm", {f"T{number}": 1 for number in range(6)})
    check("a sixth test does not run again", (result["again"], result["failed"], len(ran)) == (5, 1, 11), (result, ran))
    result, ran, notes = perform_tier("", {"Once": 1})
    check("elsewhere no test runs again", (result["again"], result["failed"], ran) == (0, 1, ["Once"]), (result, ran))
    result, ran, notes = perform_tier("", {"Dying": 1})
    check("but one during which UCX ended the JVM by a known fault", (result["again"], result["failed"]) == (1, 0)
          and any("tcp_ep.c:939" in note for note in notes), (result, ran))


def check_suites():
    """A shell tells what became of Netty's tests. One fails until its class has run so often."""
    def tour(passes, status=1):
        said = f"""echo >>"$0"; echo 'JUnit Jupiter > OneTest > a() :: SUCCESSFUL'
            [ $(wc -l <"$0") -ge {passes} ] || {{ echo 'JUnit Jupiter > OneTest > b() :: FAILED'; exit {status}; }}
            echo 'JUnit Jupiter > OneTest > b() :: SUCCESSFUL'"""
        ran, told = [], io.StringIO()

        def command(_flags, scratch, only="all"):
            ran.append(only)
            others = "echo 'JUnit Jupiter > OtherTest > c() :: SUCCESSFUL'\n"
            return ["sh", "-c", (others if only == "all" else "") + said, f"{scratch}/runs"]

        suites.SUITES["shell"] = (command, suites.NETTY_LINE)
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(told):
            with open(f"{folder}/expected", "w", encoding="utf-8") as file:
                file.write("shell: 3 passed\n")
            expected = suites.expected(f"{folder}/expected")["shell"]
            performed = suites.perform_suite("shell", (), folder, expected[1], Budget(folder))
            good, numbers = suites.judge("shell", performed, *expected)
        return good, numbers, ran, told.getvalue().count("again: OneTest, which failed first: b() has failed\n")

    for passes, outcome in ((2, "3 passed, 0 failed"), (3, "3 passed, 0 failed"), (4, "2 passed, 1 failed")):
        came = tour(passes)
        check(f"a class of Netty's that would pass in run {passes}: {outcome}",
              came == (passes < 4, f"shell: {outcome}, 0 excepted", ["all", *["OneTest"] * min(passes - 1, 2)], passes < 4), came)
    came = tour(2, 134)
    check("what ends with another exit status is not run again",
          came == (False, "shell: 2 passed, 1 failed, 0 excepted", ["all"], 0), came)


def check_changed_modules():
    """A copy of the launcher, and a shell in place of Maven that fails: whoever changes a module gets no older one."""
    with open(f"{os.path.dirname(HERE)}/pom.xml", encoding="utf-8") as file:
        modules = re.findall("<module>(.*)</module>", file.read())

    def builds(changed):
        with tempfile.TemporaryDirectory() as home:
            for folder in ("bin", "target", "api/src", *([f"{changed}/src"] if changed else [])):
                os.makedirs(f"{home}/{folder}", exist_ok=True)
                os.utime(f"{home}/{folder}", (1, 1))
            shutil.copy(f"{os.path.dirname(HERE)}/isthmus", home)
            for name, time in (("pom.xml", 1), ("target/built", 2), *([(f"{changed}/src/Changed.java", 3)] if changed else [])):
                with open(f"{home}/{name}", "w", encoding="utf-8"):
                    os.utime(f"{home}/{name}", (time, time))
            with open(f"{home}/bin/mvn", "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\nexit 1\n")
            os.chmod(f"{home}/bin/mvn", 0o755)
            run = subprocess.run((f"{home}/isthmus", "build"), env={**os.environ, "PATH": f"{home}/bin:{os.environ['PATH']}"},
                                 capture_output=True, text=True, check=False, timeout=60)
            return "the build failed" in run.stderr

    missed = [module for module in modules if module != "bom" and not builds(module)]
    check("what was changed in any module is built anew", len(modules) > 10 and not missed and not builds(None), missed)


def check_interrupted_build():
    """A copy of the launcher, and a shell in place of Maven that ends both as Ctrl-C does."""
    with tempfile.TemporaryDirectory() as home:
        os.makedirs(f"{home}/bin")
        os.makedirs(f"{home}/target")
        shutil.copy(f"{os.path.dirname(HERE)}/isthmus", home)
        for name, text in (("target/built", ""), ("target/quick", ""), ("pom.xml", "changed since"),
                           ("bin/mvn", "#!/bin/sh\nkill -INT 0\n")):
            with open(f"{home}/{name}", "w", encoding="utf-8") as file:
                file.write(text)
        os.chmod(f"{home}/bin/mvn", 0o755)
        os.utime(f"{home}/target/built", (1, 1))
        os.utime(f"{home}/target/quick", (1, 1))
        build = subprocess.run((f"{home}/isthmus", "build"), env={**os.environ, "PATH": f"{home}/bin:{os.environ['PATH']}"},
                               capture_output=True, text=True, check=False, start_new_session=True, timeout=60)
        left = os.listdir(f"{home}/target")
        check("what an interrupted build leaves does not count as built", build.returncode and not left, (build, left))
