# SPDX-License-Identifier: Apache-2.0
"""Packages of PyPI that tiers run on, downloaded once into the user's cache: each is there whole or not at all."""

import fcntl
import hashlib
import os
import subprocess
import sys
import tempfile

LIMIT = 1200  # seconds for the download


def pip(name, *arguments):
    """Runs pip with what is common to all: nothing asked, nothing built, each file by its hash."""
    command = [sys.executable, "-m", "pip", *arguments, "--quiet", "--no-input", "--disable-pip-version-check", "--no-deps",
               "--only-binary=:all:", "--require-hashes"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT, check=False)
    if "No module named pip" in done.stderr:
        sys.exit(f"{name}: this python3 has no pip: apt-get install python3-pip")
    if done.returncode != 0:
        sys.exit(f"{name}: {' '.join(command)}:\n{done.stderr[-2000:]}")


def cached(name, short, wanted, fill, files):
    """The folder of what a requirements file names, which fill(folder) makes, and which then must have these files."""
    cache = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "isthmus")
    os.makedirs(cache, exist_ok=True)
    with open(wanted, "rb") as file:
        folder = f"{cache}/{short}-{hashlib.sha256(file.read()).hexdigest()[:16]}"
    with open(f"{cache}/{short}.lock", "w", encoding="ascii") as lock:
        fcntl.lockf(lock, fcntl.LOCK_EX)  # two runs at once download it once
        if os.path.isdir(folder):
            return folder
        print(f"{name}: downloading what {os.path.basename(wanted)} names, once", file=sys.stderr)
        with tempfile.TemporaryDirectory(dir=cache, prefix=f"{short}-part-") as part:
            fill(f"{part}/{short}")
            for path in files:
                if not os.path.exists(f"{part}/{short}/{path}"):
                    sys.exit(f"{name}: the package has no {path}")
            os.rename(f"{part}/{short}", folder)
    return folder
