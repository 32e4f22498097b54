# SPDX-License-Identifier: Apache-2.0
"""Spark's own test suites, from Maven Central: each with Spark's shuffle manager, and over UCX by shared memory and by TCP.

sparksuites/expected.txt says what each must yield: what passes with Spark's manager passes over UCX.
"""

import argparse
import glob
import os
import re
import shutil
import subprocess
import tempfile

from .failure import Failure
from .place import HERE, java_home
from .suites import HOME, expected, judge, main_of, perform

FOLDER = f"{HERE}/sparksuites"
WORK = f"{HOME}/target/spark-suites"  # logs stay there

# A suite as Spark has it, and what runs it over UCX.
SUITES = {
    "distributed": ("org.apache.spark.DistributedSuite", "org.apache.spark.DistributedSuite"),
    "shuffle": ("org.apache.spark.SortShuffleSuite", "dev.isthmus.spark.suites.ShuffleSuiteOverUcx"),
}
UCX = {
    "spark.shuffle.manager": "dev.isthmus.spark.UcxShuffleManager",
    "spark.plugins": "dev.isthmus.spark.UcxShufflePlugin",
    "spark.shuffle.readHostLocalDisk": "false",  # or on one host nothing would cross the network
}
WAYS = {
    "spark": {},
    "shm": {**UCX, "spark.isthmus.ucx.TLS": "posix,self"},
    "tcp": {**UCX, "spark.isthmus.ucx.TLS": "tcp,self"},
}

# What the runner says of a test: "- name", with more behind it if it has not passed.
LINE = re.compile(r"(?=- )(?P<passed>- (?!.* (?:\*\*\* FAILED|!!! )))?(?:- )?(?P<name>.+?)(?: \*\*\* FAILED \*\*\*.*| !!! \w+ !!!.*)?$")


def isthmus_jar():
    jars = [jar for jar in glob.glob(f"{HOME}/spark/target/isthmus-spark-*.jar")
            if re.fullmatch(r"isthmus-spark-[0-9.]+(-SNAPSHOT)?\.jar", os.path.basename(jar))]
    if not jars:
        raise Failure("no isthmus-spark jar in spark/target: ./isthmus build makes it")
    return jars[0]


def class_path():
    """The jar is a copy, which a build meanwhile does not change."""
    with open(f"{FOLDER}/target/suites.classpath", encoding="utf-8") as file:
        return ":".join([f"{FOLDER}/target/classes", f"{WORK}/isthmus-spark.jar", file.read().strip()])


def add_opens():
    """What Spark's launcher gives a JVM, in Spark's own words."""
    done = subprocess.run([f"{java_home()}/bin/java", "-cp", class_path(), "dev.isthmus.spark.suites.Options"],
                          capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise Failure(f"Spark's options of JVMs: {done.stderr}")
    return done.stdout.split()


def command(suite, settings, home, scratch, only):
    """Returns how a suite is run."""
    properties = {**settings, "spark.metrics.conf.*.sink.csv.class": "org.apache.spark.metrics.sink.CsvSink",
                  "spark.metrics.conf.*.sink.csv.directory": f"{scratch}/metrics", "spark.test.home": home, "spark.testing": "true", "spark.ui.enabled": "false",
                  "spark.local.dir": scratch, "java.io.tmpdir": scratch}
    return [f"{java_home()}/bin/java", "-Xmx2g", "-Xss4m", *add_opens(),
            *[f"-D{name}={value}" for name, value in properties.items()],
            "-cp", class_path(), "org.scalatest.tools.Runner", "-R", class_path().split(":", 1)[0], "-oWF", "-s", suite,
            *(("-z", only) if only else ())]


def make_home(folder):
    """As little of a Spark as its executors ask for."""
    jars = subprocess.run([f"{HERE}/spark-jars"], stdout=subprocess.PIPE, text=True, check=False)
    if jars.returncode != 0:
        raise Failure("testbed/spark-jars has failed")
    os.mkdir(folder)
    os.symlink(jars.stdout.strip(), f"{folder}/jars")
    with open(f"{folder}/RELEASE", "w", encoding="ascii"):
        pass
    return folder


def run(options):
    done = subprocess.run(["mvn", "-B", "-ntp", "-q", "compile"], cwd=FOLDER, capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise Failure(f"{FOLDER}: mvn compile:\n{(done.stdout + done.stderr)[-2000:]}")
    os.makedirs(WORK, exist_ok=True)
    shutil.copyfile(isthmus_jar(), f"{WORK}/isthmus-spark.jar")
    good = True
    stated = expected(f"{FOLDER}/expected.txt")
    for suite in options.suite or list(SUITES):
        for way in options.way or list(WAYS):
            name = f"{suite}-{way}"
            print(f"\n{name}", flush=True)
            with tempfile.TemporaryDirectory(prefix="isthmus-spark-suites-") as scratch:
                home = make_home(f"{scratch}/home")
                os.mkdir(f"{scratch}/metrics")
                os.environ.update(SPARK_HOME=home, SPARK_SCALA_VERSION="2.13", SPARK_LOCAL_IP="127.0.0.1",
                                  SPARK_TESTING="1")
                performed = perform(command(SUITES[suite][way != "spark"], WAYS[way], home, scratch, options.only),
                                    LINE, f"{WORK}/{name}.log")
                good &= went_as_told(name, way, f"{scratch}/metrics")
            as_expected, numbers = judge(name, performed, *((0, {}) if options.only else stated.get(name, (0, {}))))
            print(numbers, flush=True)
            good &= as_expected
    return 0 if good else 1


def went_as_told(name, way, folder):
    """Whether executors have fetched by UCX where they were to: a suite that has fallen back proves nothing."""
    total = 0
    for figure in ("bytesInline", "bytesByGet"):
        for path in glob.glob(f"{folder}/*.UcxShufflePlugin.{figure}.csv"):
            with open(path, encoding="ascii") as file:  # some suites kill executors, also while they write this
                values = re.findall(r"^\d+,(\d+)\n", file.read(), re.MULTILINE)
            total += int(values[-1]) if values else 0
    print(f"{name}: executors fetched {total} bytes by UCX")
    good = (total > 0) == (way != "spark")
    if not good:
        print(f"WRONG {name}: that should be {'none' if way == 'spark' else 'some'}")
    return good


def parser():
    p = argparse.ArgumentParser(prog="testbed/spark-suites", description=__doc__, allow_abbrev=False,
                                formatter_class=argparse.RawDescriptionHelpFormatter,
                                epilog=f"Logs are in {os.path.relpath(WORK, HOME)}.")
    p.add_argument("--suite", action="append", choices=tuple(SUITES), help="this one only; may be repeated")
    p.add_argument("--way", action="append", choices=tuple(WAYS), help="this one only; may be repeated")
    p.add_argument("--only", metavar="TEXT", help="only tests with this in their names; expected.txt is ignored")
    return p


main = main_of(parser, run)
