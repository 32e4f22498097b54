# SPDX-License-Identifier: Apache-2.0
"""The modules of the build: what each depends on, its class path, and its tests."""

import functools
import glob
import os
import re

from .failure import Failure
from .place import HERE

HOME = os.path.dirname(HERE)  # the checkout
TAG = re.compile(r'(?m)^(?: {4})?@Tag\("([\w-]+)"\)')  # of a class, or of a method
PACKAGE = re.compile(r"(?m)^package ([\w.]+);")


def _read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


@functools.cache
def modules():
    """The modules with classes, by their folders, each after those that it depends on."""
    return [name for name in re.findall("<module>(.*)</module>", _read(f"{HOME}/pom.xml")) if name != "bom"]


@functools.cache
def _by_artifact():
    return {_artifact(name): name for name in modules()}


def _artifact(module):
    text = _read(f"{HOME}/{module}/pom.xml")
    return re.search("<artifactId>(.*)</artifactId>", text.partition("</parent>")[2])[1]


@functools.cache
def dependencies(module):
    """The modules that a module's tests need, itself among them, in the order of the build."""
    needed = {module}
    text = _read(f"{HOME}/{module}/pom.xml").partition("<dependencies>")[2]
    for artifact in re.findall(r"<groupId>dev\.isthmus</groupId>\s*<artifactId>(.*)</artifactId>", text):
        needed.update(dependencies(_by_artifact()[artifact]))
    return [name for name in modules() if name in needed]


def class_path(module):
    """What a module's tests run on: its classes, those of the modules that it needs, and the jars of others."""
    folders = [f"{HOME}/{module}/target/test-classes"]
    folders += [f"{HOME}/{name}/target/classes" for name in reversed(dependencies(module))]
    try:
        jars = _read(f"{HOME}/{module}/target/test.classpath").strip()
    except FileNotFoundError:
        raise Failure(f"{module} is not built: run ./isthmus build") from None
    return ":".join([*folders, *([jars] if jars else [])])


@functools.cache
def tests():
    """The tags of each test class by its module and name, as its source has them."""
    found = {}
    for module in modules():
        for path in glob.glob(f"{HOME}/{module}/src/test/java/**/*.java", recursive=True):
            text = _read(path)
            if tags := set(TAG.findall(text)):
                package = PACKAGE.search(text)
                name = os.path.basename(path).removesuffix(".java")
                found[module, f"{package[1]}.{name}" if package else name] = tags
    return found


def tags_of(pattern):
    """The tags of the classes whose names match."""
    return set().union(*(tags for (_, name), tags in tests().items() if re.fullmatch(pattern, name)))


def classes_with(tag, pattern):
    """The classes with this tag, and names that match, by their modules."""
    found = {}
    for module, name in sorted(key for key, tags in tests().items() if tag in tags and re.fullmatch(pattern, key[1])):
        found.setdefault(module, []).append(name)
    return {module: found[module] for module in modules() if module in found}
