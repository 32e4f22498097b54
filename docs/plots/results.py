# SPDX-License-Identifier: Apache-2.0
"""What `isthmus compare` has measured: reads it, and has the medians and the numbers of tables and pictures."""

import collections
import contextlib
import json
import math
import os
import statistics
import sys

NUMBER = (int, float)
FIELDS = {"way": str, "benchmark": str, "bytes": int, "connections": int, "rate": int, "doubtful": bool, "command": str,
          "messagesPerSecond": NUMBER, "bytesPerSecond": NUMBER}
OPTIONAL = {"averageMicros": NUMBER, "p999Micros": NUMBER, "offeredPerSecond": NUMBER, "percentiles": dict,
            "processorMicrosPerMessage": NUMBER, "overheadBytesPerMessage": NUMBER, "route": dict}


def number(value, _=None):
    """Three digits or more; the second argument is for axes."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def size(count, _=None):
    unit = max(0, min(3, (int(count).bit_length() - 1) // 10))
    return f"{count / 1024 ** unit:.4g} {('B', 'KiB', 'MiB', 'GiB')[unit]}"


def group_of(point):
    return " ".join((point["benchmark"], *point.get("route", {}).values()))


def point_of(run):
    return group_of(run), *(run[name] for name in ("way", "bytes", "connections", "rate"))


def read(program, path):
    """The setting of a comparison, its runs in the order of the plan, and a line for each way of which points are missing."""
    try:
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
        lines, points, runs = {**content["lines"], **content.get("options", {})}, content["points"], content["runs"]
        for place, run in enumerate(runs, 1):
            for field, kind in (FIELDS | OPTIONAL).items():
                if (field in FIELDS or field in run) and not isinstance(run.get(field), kind):
                    sys.exit(f"{program}: {path}: run {place} has no {field} that can be drawn")
        if not runs:
            sys.exit(f"{program}: {path} has no runs yet")
        planned = {point_of(point): place for place, point in enumerate(points)}
        runs.sort(key=lambda run: planned.get(point_of(run), len(planned)))
        missing = planned.keys() - {point_of(run) for run in runs}
        counts = collections.Counter(point[1] for point in planned if point in missing)
        return lines, runs, [f"Not measured: {way} at {count} of {len(points)} points" for way, count in counts.items()]
    except OSError as e:
        sys.exit(f"{program}: {e.strerror}: {path}")
    except (AttributeError, KeyError, TypeError, ValueError) as e:
        sys.exit(f"{program}: {path} is not what isthmus compare writes: {e!r}")


def spread(values):
    """The median, and the ends of its bar."""
    values = sorted(values)
    outside = 0  # how many at each end the interval leaves out, and the first that it has
    while 2 * sum(math.comb(len(values), i) for i in range(outside + 1)) <= 0.05 * 2 ** len(values):
        outside += 1
    end = max(0, outside - 1)
    return statistics.median(values), values[end], values[-1 - end]


def where(connections, rate):
    return (f", {connections} connections" if connections > 1 else "") + (f", {rate:,}/s" if rate > 0 else "")


def write(path, content):
    """Replaces a file as a whole, or not at all."""
    part = f"{path}.part"
    try:
        with open(part, "wb") as file:
            file.write(content)
        os.replace(part, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.remove(part)
        raise
