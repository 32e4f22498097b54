# SPDX-License-Identifier: Apache-2.0
"""The tests of one tier that JUnit runs: a JVM for each module that has some."""

import collections
import dataclasses
import os
import re

from . import again, refused
from .failure import say
from .modules import HOME, class_path, classes_with
from .output import Output
from .place import java_home

JVM = ("-XX:TieredStopAtLevel=1", "-XX:+ErrorFileToStderr", "--enable-native-access=ALL-UNNAMED",
       "--add-opens=java.base/java.net=ALL-UNNAMED")  # the last for RdmaSockets
# The tag whose tests a tier has, where it has another name.
TAGS = {"ucx-verbs": "ucx", "ucx-newest": "ucx", "siw": "iwarp", "connectx-direct": "connectx", "spark-newest": "spark"}


@dataclasses.dataclass
class Test:
    """What became of a test, by what TestReport.java has written."""

    id: str
    state: str = "running"
    method: str = ""
    parameters: str = ""
    said: str = ""
    module: str = ""
    died: bool = False  # its JVM died
    known: bool = False  # of a fault of UCX's that docs/ucx-faults.md names

    @property
    def name(self):
        return self.method + self.parameters or self.id


def read_report(path):
    """Returns the tests of a report by their identifiers, the device's kind, and whether its last JVM ran to its end."""
    tests, device, complete = {}, "", False
    if not os.path.exists(path):
        return tests, device, False
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            what, *fields = line.rstrip("\n").split("\t")
            if what == "device":
                device, complete = fields[0], False
            elif what == "began":
                tests[fields[0]] = Test(fields[0])
            elif what == "ended" and len(fields) == 5:
                state, identifier, method, parameters, said = fields
                tests[identifier] = Test(identifier, state, method, parameters, said)
            elif what == "complete":
                complete = True
    return tests, device, complete


class JUnitTier:
    """One tier; run() returns its result."""

    def __init__(self, name, runner, jvm_options=(), environment=None):
        self.name = name
        self.runner = runner  # what is wanted, and how to start a process
        self.jvm_options = jvm_options
        self.environment = environment or dict(os.environ)
        self.tests = {}
        self.device = ""
        self.notes = []
        self.broken = False

    def command(self, module, report, *arguments):
        """C1 alone starts tests sooner where instructions are emulated; what they measure is not speed."""
        return [*(("taskset", "-c", "0") if os.environ.get("ISTHMUS_ONE_CPU_JVM") else ()), f"{java_home()}/bin/java", *JVM,
                *self.jvm_options, *(f"-Disthmus.test.{number}" for number in self.runner.numbers),
                f"-Disthmus.home={HOME}", "-cp", class_path(module), "dev.isthmus.testbed.TierRunner", self.name,
                "--report", report, *(("--gate",) if self.runner.gate(self.name) else ()), *arguments]

    def run(self):
        for module, classes in classes_with(TAGS.get(self.name, self.name), self.runner.only).items():
            if module in self.runner.modules(self.name):
                self.run_module(module, classes)
        repeated = self.run_again()
        return self.result(repeated)

    def jvm(self, module, report, *arguments):
        """Runs a JVM; returns its output's end, and its tests with whether they ran to their end."""
        output = Output(self.runner.start_for(self.command(module, report, *arguments), self.environment))
        last = output.show()
        self.notes += output.ended_holders()
        tests, device, complete = read_report(report)
        self.device = device or self.device
        for test in tests.values():
            test.module = module
        return last, tests, complete

    def run_module(self, module, classes):
        """After the death of a JVM another one runs the tests that it has not begun."""
        report = f"{self.runner.folder}/{self.name}-{module.replace('/', '-')}.report"
        chosen = [word for name in classes for word in ("--class", name)]
        arguments = ["--check-tags", *chosen] if self.name == "unit" and self.runner.only == ".*" else chosen
        while True:
            last, tests, complete = self.jvm(module, report, *arguments)
            new = {identifier: test for identifier, test in tests.items() if identifier not in self.tests}
            self.tests.update(new)
            if complete:
                return
            running = [test for test in new.values() if test.state == "running"]
            for test in running:
                test.state, test.died = "failed", True
                test.said = f"its JVM ended: {_why(last)}"
                test.known = again.is_known_fault(last)
                test.method = _method(test.id)
            if not running:  # it died between tests, or before the first
                self.broken = True
                self.notes += [f"the JVM of {module} has not run to its end; what it printed last:", *last]
                return
            print(f"FAILED {running[0].name}: {running[0].said}", flush=True)
            say("another JVM runs the tests that come after it")
            arguments = ["--without", report, *chosen]

    def run_again(self):
        """Runs again what may; returns what the tests that have passed then said first, by name."""
        failed = {test.name: test for test in self.tests.values() if test.state == "failed"
                  and (again.is_emulated() or (test.died and test.known))}

        def once(name):
            test = failed[name]
            report = f"{self.runner.folder}/{self.name}-again.report"
            if os.path.exists(report):
                os.remove(report)
            _, tests, complete = self.jvm(test.module, report, "--test", test.id)
            passed = bool(complete and tests) and all(each.state in ("passed", "refused") for each in tests.values())
            if passed:
                test.state = "again"
            return passed

        return again.run_again({name: test.said for name, test in failed.items()}, self.runner.budget, once)

    def result(self, repeated):
        states = collections.Counter(test.state for test in self.tests.values())
        for test in self.tests.values():
            if test.state in ("failed", "skipped"):
                self.notes.append(f"{test.state.upper()} {test.name}: {test.said}")
        self.notes += [f"again: {name}, which failed first: {said}" for name, said in repeated.items()]
        refusals = refused.names(self.tests.values())
        if refusals:
            print(f"refused by the device: {len(refusals)}")
            for name, reason in sorted(refusals.items()):
                print(f"  {name} | {reason}")
            self.notes.append(f"refused by the device: {len(refusals)}")
        differences = refused.differences(self.name, self.device, self.tests.values(), self.runner.is_whole(self.name),
                                          self.runner.root)
        for line in differences:
            print(line)
        self.notes += differences
        if not self.tests:
            self.notes.append(f"no test has run: is there none of {self.runner.only}?")
        failed = states["failed"] + states["skipped"]
        print(f"{self.name}: {states['passed'] + states['again']} passed, {failed} failed", flush=True)
        return {"closed": bool(self.tests) and not self.broken, "passed": states["passed"], "failed": failed,
                "again": states["again"], "ran": len(self.tests), "notes": self.notes, "good": not (failed or differences)}


def _method(identifier):
    """Class.method() from JUnit's [class:a.b.Class]/[method:method()], and more where there is more."""
    parts = [part.partition(":")[2] for part in re.findall(r"\[([^/]*)\]", identifier)[1:]]
    return ".".join([parts[0].rpartition(".")[2], *parts[1:]])


def _why(last):
    """The line of a dying JVM's output that says most."""
    telling = [line for line in last if again.SOURCE_LINE.search(line) or line.startswith(("#  SIG", "# Problematic"))]
    return (telling or [line for line in last if line.strip()] or ["it printed nothing"])[-1]
