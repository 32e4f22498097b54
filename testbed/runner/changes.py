# SPDX-License-Identifier: Apache-2.0
"""What has changed since another commit: the tiers that it can affect, and the tests that have gone."""

import fnmatch
import os
import re
import subprocess

from .failure import Failure
from .modules import HOME
from .place import HERE

TEST = re.compile(r"@(?:Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate)\b")
METHOD = re.compile(r"^    (?:[\w<>\[\], .?]+ )?([a-z]\w*)\(", re.MULTILINE)
# A line of a commit's text that says that a test has gone on purpose: its class and method, or a pattern of a shell's.
REMOVES = re.compile(r"(?m)^Removes-test: *(\S+)$")


def git(*arguments):
    run = subprocess.run(("git", "-C", HOME, *arguments), capture_output=True, text=True, errors="replace", check=False,
                         stdin=subprocess.DEVNULL)
    if run.returncode != 0:
        raise Failure(f"git {' '.join(arguments)}: {run.stderr.strip()}")
    return run.stdout


def base_of(named):
    """Returns the commit to compare with: where the change left the one named, which is by default where the main branch of
    the place that this was cloned from is, or the last commit where that is no other."""
    head = git("rev-parse", "HEAD").strip()
    if named is None or not named.strip("0"):  # as GitHub says of a branch that is new
        try:
            named = git("rev-parse", "--verify", "--quiet", "origin/main").strip()
        except Failure:
            named = head
    base = git("merge-base", named, "HEAD").strip()
    if base == head and not git("status", "--porcelain").strip():
        base = git("rev-parse", "HEAD^").strip()  # as in continuous integration, which clones what has landed
    return base


def changed_files(base):
    return sorted({*git("diff", "--name-only", base).splitlines(),
                   *git("ls-files", "--others", "--exclude-standard").splitlines()})


def table():
    """The lines of changes.txt: the beginning of a path, and its tiers."""
    with open(f"{HERE}/changes.txt", encoding="utf-8") as file:
        return [(line.split()[0], line.split()[1:]) for line in file if line.strip() and not line.startswith("#")]


def affected(files):
    """The tiers that changes of these files can affect."""
    tiers = set()
    for path in files:
        for beginning, its in reversed(table()):
            if path.startswith(beginning):
                tiers.update(its)
                break
    return tiers


def methods(text):
    """The names of the test methods in the source of a class."""
    found = set()
    for match in TEST.finditer(text):
        if method := METHOD.search(text, match.end()):
            found.add(method[1])
    return found


def tests_at(files, read):
    """Class.method of each test in the files that are tests' sources."""
    found = set()
    for path in files:
        if re.search(r"/src/test/java/.*\.java$", path):
            name = os.path.basename(path).removesuffix(".java")
            found.update(f"{name}.{method}" for method in methods(read(path)))
    return found


def gone_tests(base):
    """The tests that base has and the checkout has not; of these, those that no commit since says it removes."""
    def read_here(path):
        with open(f"{HOME}/{path}", encoding="utf-8") as file:
            return file.read()

    changed = changed_files(base)
    before = [path for path in git("ls-tree", "-r", "--name-only", base).splitlines() if path in changed]
    after = [path for path in changed if os.path.exists(f"{HOME}/{path}")]
    gone = sorted(tests_at(before, lambda path: git("show", f"{base}:{path}")) - tests_at(after, read_here))
    removed = REMOVES.findall(git("log", "--format=%B", f"{base}..HEAD"))
    return gone, [name for name in gone if not any(fnmatch.fnmatchcase(name, pattern) for pattern in removed)]
