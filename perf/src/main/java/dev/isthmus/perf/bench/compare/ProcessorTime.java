// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import java.util.HashMap;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * The processor time of a message, at both ends together. JVMs report what they spent while they measured. Programs in
 * C are new for each run, and what they spent includes their start. So a short run of the same point comes first, and
 * what it spent on its few messages is subtracted.
 */
final class ProcessorTime {

    private static final double MICROS = 1e3;

    private final Map<Point, Measured> starts = new HashMap<>();

    /** Notes a run of programs that are new for each run; the first one of a point is the short one. */
    void learn(Point point, Measured measured) {
        starts.putIfAbsent(point, measured);
    }

    /** Microseconds; empty if the number of messages is unknown, or too small to tell. */
    OptionalDouble perMessage(Point point, Measured measured) {
        Measured start = starts.get(point);
        boolean known = measured.messages() > 0;
        double nanos = measured.spent().processorNanos()
                - (start == null ? 0 : start.spent().processorNanos());
        double messages = measured.counted() - (start == null ? 0 : start.counted());
        return known && nanos > 0 && messages > 0
                ? OptionalDouble.of(nanos / MICROS / messages)
                : OptionalDouble.empty();
    }
}
