# SPDX-License-Identifier: Apache-2.0
"""The steps of what is built from Debian's source, in a temporary folder."""

import os
import subprocess

from .failure import Failure

SECONDS = 1500  # of a step; the longest takes two or three minutes, or downloads 150 MB


def step(what, *command, cwd=None):
    """Runs a step of the build of something, which is also a group of testbed/packages; returns what it has printed."""
    try:
        run = subprocess.run(command, cwd=cwd, capture_output=True, text=True, errors="replace", check=False,
                             stdin=subprocess.DEVNULL, timeout=SECONDS, env={**os.environ, "LC_ALL": "C"})
    except FileNotFoundError:
        raise Failure(f"no {command[0]} to build {what} with; install the group {what} of testbed/packages") from None
    except subprocess.TimeoutExpired:
        raise Failure(f"{' '.join(command)} took longer than {SECONDS} s") from None
    if run.returncode != 0:
        end = "\n".join(f"  | {line}" for line in (run.stdout + run.stderr).splitlines()[-12:])
        raise Failure(f"{what} cannot be built: {' '.join(command)}:\n{end}")
    return run.stdout
