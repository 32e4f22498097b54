# SPDX-License-Identifier: Apache-2.0
"""Compiles the sources that were edited since the last build, in seconds, where Maven compiles whole modules in minutes.

usage: testbed/quickbuild [--record STAMP [BEGAN]]

It exits with 2 when they do not compile, and with 1 when Maven has to do it: nothing was built yet; a POM, a resource, a
binding or a benchmark has changed; a source has gone; or the edited classes no longer offer what others were compiled with.
What it compiles is checked by javac alone; Maven, and so the gate, compiles the same again with all checks.

--record writes the list of the sources into the file STAMP, as of the time of the file BEGAN.
"""

import glob
import os
import re
import subprocess
import sys
import tempfile
import time

from .modules import HOME, class_path, modules

BUILT, QUICK = f"{HOME}/target/built", f"{HOME}/target/quick"  # by Maven, and since then by this
SOURCE = re.compile(r"(?P<module>.*)/src/(?P<kind>main|test)/java/(?P<path>.*)\.java")
FOLDER = {"main": "classes", "test": "test-classes"}
LONG_AGO = (1, 1)  # so that Maven takes a class for older than its source


class MavenHasTo(Exception):
    """Only Maven can build this."""


def files():
    """What is built from: paths below the checkout."""
    found = ["pom.xml", *glob.glob(".mvn/*", root_dir=HOME)]
    for module in modules():
        found.append(f"{module}/pom.xml")
        found += [f"{module}/src/{path}" for path in glob.glob("**", root_dir=f"{HOME}/{module}/src", recursive=True)
                  if os.path.isfile(f"{HOME}/{module}/src/{path}")]
    return found


def record(stamp, began=None):
    os.makedirs(os.path.dirname(stamp), exist_ok=True)
    with open(stamp, "w", encoding="utf-8") as file:
        file.writelines(f"{path}\n" for path in sorted(files()))
    if began:
        os.utime(stamp, ns=(began, began))


def edited():
    """Returns the sources to compile by module and kind."""
    try:
        stamp = max((path for path in (BUILT, QUICK) if os.path.exists(path)), key=os.path.getmtime)
    except ValueError:
        raise MavenHasTo("nothing is built yet") from None
    since = os.stat(stamp).st_mtime_ns
    with open(stamp, encoding="utf-8") as file:
        before = set(file.read().splitlines())
    now = set(files())
    if gone := before - now:
        raise MavenHasTo(f"{gone.pop()} has gone")
    found = {}
    for path in now:
        if path in before and os.stat(f"{HOME}/{path}").st_mtime_ns <= since:
            continue
        source = SOURCE.fullmatch(path)
        # Bindings are large, programs have class paths of their own, and Spark takes jars.
        if not source or source["path"] == "module-info" or f"{source['module']}/{source['kind']}".startswith(
                ("bindings", "programs", "spark/main", "spark/trial")):
            raise MavenHasTo(f"{path} has changed")
        with open(f"{HOME}/{path}", encoding="utf-8") as file:
            if source["module"] == "perf" and "org.openjdk.jmh" in file.read():
                raise MavenHasTo(f"{path} is a benchmark, and has changed")
        found.setdefault((source["module"], source["kind"]), []).append(path)
    return found


def java(tool, *arguments):
    run = subprocess.run((f"{os.environ['JAVA_HOME']}/bin/{tool}", "-J-XX:TieredStopAtLevel=1", *arguments), cwd=HOME,
                         capture_output=True, text=True, errors="replace", check=False, stdin=subprocess.DEVNULL)
    return run.returncode, run.stdout + run.stderr


def classes_of(folder, sources):
    """The class files of the sources, but those of anonymous and local classes, which nobody else can name."""
    found = []
    for source in sources:
        stem = f"{folder}/{SOURCE.fullmatch(source)['path']}"
        found += [path for path in glob.glob(f"{glob.escape(f'{HOME}/{stem}')}*.class")
                  if re.fullmatch(r"(\$[A-Za-z_]\w*)*\.class", path.removeprefix(f"{HOME}/{stem}"))]
    return found


def offered(classes):
    """What the classes offer to others, a line for each member, with the values of constants."""
    if not classes:
        return {}
    _, text = java("javap", "-package", "-constants", *classes)
    found, name = {}, ""
    for line in text.splitlines():
        if not line.startswith(" "):
            name = line
        found[f"{name} {line.strip()}"] = "abstract" in line or " interface " in f" {name}"
    return found


def compile_sources(module, kind, sources):
    folder = f"{module}/target/{FOLDER[kind]}"
    before = offered(classes_of(folder, sources))
    with tempfile.TemporaryDirectory(dir=f"{HOME}/target") as scratch:
        status, said = java("javac", "-proc:none", "-implicit:none", "-parameters", "-nowarn", "-g", "--release", "22",
                            "-cp", class_path(module), "-d", scratch, *sources)
        if status:
            print(said, file=sys.stderr)
            sys.exit(2)
        made = [os.path.relpath(path, scratch) for path in glob.glob(f"{scratch}/**/*.class", recursive=True)]
        # A class of another file may be older than a class that it was compiled with: then Maven looks at all.
        after = offered(classes_of(os.path.relpath(scratch, HOME), sources))
        if kind == "main" and (before.keys() - after.keys() or any(after[line] for line in after.keys() - before.keys())):
            raise MavenHasTo(f"what {', '.join(sources)} offers has changed")
        for source in sources:
            stem = SOURCE.fullmatch(source)["path"]
            for path in glob.glob(f"{glob.escape(f'{HOME}/{folder}/{stem}')}*.class"):
                if re.match(r"(\$.*)?\.class$", path.removeprefix(f"{HOME}/{folder}/{stem}")):
                    os.remove(path)
        for path in made:
            os.makedirs(os.path.dirname(f"{HOME}/{folder}/{path}"), exist_ok=True)
            os.replace(f"{scratch}/{path}", f"{HOME}/{folder}/{path}")
            os.utime(f"{HOME}/{folder}/{path}", LONG_AGO)


def main(arguments):
    if arguments[:1] == ["--record"]:
        record(arguments[1], os.stat(arguments[2]).st_mtime_ns if len(arguments) > 2 else None)
        return 0
    began = time.time_ns() - 20_000_000  # the clock of files advances in steps of some milliseconds
    try:
        sources = edited()
        for module in modules():
            for kind in ("main", "test"):
                if (module, kind) in sources:
                    print(f"isthmus: compiling {' '.join(os.path.basename(path) for path in sources[module, kind])}",
                          file=sys.stderr)
                    compile_sources(module, kind, sources[module, kind])
    except MavenHasTo as reason:
        print(f"isthmus: {reason}", file=sys.stderr)
        return 1
    record(QUICK, began)
    return 0
