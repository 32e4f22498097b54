# SPDX-License-Identifier: Apache-2.0
"""What a device refuses, and what docs/coverage/refused.d says that it refuses."""

import os
import shutil

from .modules import HOME

FOLDER = "docs/coverage/refused.d"


def names(tests):
    """The reason of each refusal by the test's name: without parameters if all of its invocations were refused alike."""
    found = {}
    for method in dict.fromkeys(test.method for test in tests if test.state == "refused"):
        same = [test for test in tests if test.method == method]
        if len({(test.state, test.said) for test in same}) == 1:
            found[method] = same[0].said
        else:
            found.update({test.method + test.parameters: test.said for test in same if test.state == "refused"})
    return found


def differences(tier, device, tests, whole, folder):
    """Compares with the device's list; returns lines that say what differs, and writes the list that would be right.

    whole: all tests of the tier have run, so that what the list says of others is outdated. folder: where to write.
    """
    now = names(tests)
    path = f"{FOLDER}/{tier}-on-{device}.txt"
    known = os.path.exists(f"{HOME}/{path}")
    if device == "no-device" or not (now or known):
        return []
    stated = {}
    if known:
        with open(f"{HOME}/{path}", encoding="utf-8") as file:
            stated = dict(line.rstrip("\n").split(" | ", 1) for line in file)
    ran = {test.method for test in tests}
    relevant = {name: reason for name, reason in stated.items() if whole or name.partition("(")[0] in ran}
    lines = [f"{path}: now refused: {name} | {now[name]}" for name in sorted(now) if relevant.get(name) != now[name]]
    lines += [f"{path}: not refused: {name}" for name in sorted(relevant) if name not in now]
    if lines:
        right = {**{name: stated[name] for name in stated if name not in relevant}, **now}
        os.makedirs(f"{folder}/refused.d", exist_ok=True)
        with open(f"{folder}/refused.d/{os.path.basename(path)}", "w", encoding="utf-8") as file:
            file.writelines(f"{name} | {right[name]}\n" for name in sorted(right))
        lines.append(f"if that is right: cp target/{os.path.relpath(path, 'docs/coverage')} {path}")
    # Nobody has stated what a newer kernel refuses, and who runs the tests there need not mind.
    return lines if known or os.environ.get("CI") else []



def keep(folder):
    """Copies the lists that have been written to where they outlive the run."""
    if os.path.isdir(f"{folder}/refused.d"):
        shutil.copytree(f"{folder}/refused.d", f"{HOME}/target/refused.d", dirs_exist_ok=True)
