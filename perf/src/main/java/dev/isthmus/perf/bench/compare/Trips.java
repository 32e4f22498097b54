// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import org.HdrHistogram.Histogram;

/** The round trips of one connection. Allocates nothing while it counts, once it has seen the longest. */
final class Trips {

    private static final int DIGITS = 3;
    private static final double MICROS = 1e3;

    private final Histogram histogram = new Histogram(DIGITS);
    private long began;
    private long last;

    void start() {
        began = System.nanoTime();
        last = began;
    }

    /** Notes that a round trip has returned, and the next one begins. */
    void stamp() {
        long now = System.nanoTime();
        histogram.recordValue(now - last);
        last = now;
    }

    Measured measured() {
        Distribution times = Distribution.of(histogram);
        return Measured.times(times, (last - began) / MICROS / times.count(), 2);
    }
}
