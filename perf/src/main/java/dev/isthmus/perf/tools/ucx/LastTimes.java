// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import java.util.Arrays;

/**
 * The times of a run's last messages, and a percentile of them. It keeps as many as {@code ucx_perftest}, and uses its
 * index, which is rounded down (src/tools/perf/lib/libperf.c). Adding allocates nothing.
 */
final class LastTimes {

    private static final int SIZE = 2048;

    private final double[] queue = new double[SIZE];
    private long taken; // an endless run exceeds an int within an hour or two

    /** Forgets all times. */
    void clear() {
        clear(0);
    }

    /** Forgets all times, as if this many had been taken. */
    void clear(long before) {
        taken = before;
    }

    /** Adds a time in nanoseconds. */
    void add(double nanos) {
        queue[(int) (taken++ & (SIZE - 1))] = nanos;
    }

    /** A percentile, 0 to 100, of the times that are kept; NaN if there are none. */
    double percentile(double rank) {
        int count = (int) Math.min(taken, SIZE);
        if (count == 0) {
            return Double.NaN;
        }
        double[] sorted = Arrays.copyOf(queue, count);
        Arrays.sort(sorted);
        return sorted[(int) ((count - 1) * (rank / 100))];
    }
}
