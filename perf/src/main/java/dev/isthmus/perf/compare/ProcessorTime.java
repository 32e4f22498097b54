// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.compare;

import java.util.HashMap;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * What a message costs the processors, at both ends together. JVMs tell what they spent while they measured. Programs in C
 * are new for each run, and what they spent includes their start: a short run of the same point comes first, and what it
 * spent on its few messages is taken from the rest.
 */
final class ProcessorTime {

    private static final double MICROS = 1e3;

    private final Map<Point, Measured> starts = new HashMap<>();

    /** A run of programs that are new for each; the first of a point is the short one. */
    void learn(Point point, Measured measured) {
        starts.putIfAbsent(point, measured);
    }

    /** Microseconds; nothing where nobody knows how many messages there were, or where there were too few to tell. */
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
