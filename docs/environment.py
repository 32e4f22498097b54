# SPDX-License-Identifier: Apache-2.0
"""Environments of their own for Python programs: what a list names of PyPI, installed once into the user's cache."""

import hashlib
import os
import subprocess
import sys
import venv


def folder(requirements):
    """Returns the environment for a list, which is named after the list's folder; a changed list gets a new one."""
    with open(requirements, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()[:12]
    name = os.path.basename(os.path.dirname(requirements))
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    made = os.path.join(cache, "isthmus", f"{name}-{digest}")
    if not os.path.exists(f"{made}/complete"):
        print(f"{name}: what {requirements} names is installed, once", file=sys.stderr, flush=True)
        venv.create(made, clear=True, with_pip=True)
        done = subprocess.run(
            [f"{made}/bin/pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "-r", requirements],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            sys.exit(f"{name}: pip cannot install what {requirements} names:\n{done.stdout}")
        with open(f"{made}/complete", "w", encoding="utf-8"):
            pass
    return made


def enter(requirements):
    """Goes on in the environment: starts this program again unless it runs there."""
    made = folder(requirements)
    if sys.prefix != made:
        os.execv(f"{made}/bin/python", [f"{made}/bin/python", *sys.argv])
