// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.ucx;

import java.util.Arrays;

/**
 * The times of a run's last messages, and a percentile of them: as many as {@code ucx_perftest} keeps, and by its index,
 * which is rounded down (src/tools/perf/lib/libperf.c). Allocates nothing while it is written to.
 */
public final class LastTimes {

    private static final int SIZE = 2048;

    private final double[] queue = new double[SIZE];
    private long taken; // a run without an end has more than an int counts in an hour or two

    /** None yet. */
    public LastTimes() {}

    /** Forgets all. */
    public void clear() {
        clear(0);
    }

    /** Forgets all, as if so many had been taken. */
    void clear(long before) {
        taken = before;
    }

    /**
     * Notes one.
     *
     * @param nanos how long it took
     */
    public void add(double nanos) {
        queue[(int) (taken++ & (SIZE - 1))] = nanos;
    }

    /**
     * A percentile of those that are kept.
     *
     * @param rank 0 to 100
     * @return nanoseconds; not a number when there are none
     */
    public double percentile(double rank) {
        int count = (int) Math.min(taken, SIZE);
        if (count == 0) {
            return Double.NaN;
        }
        double[] sorted = Arrays.copyOf(queue, count);
        Arrays.sort(sorted);
        return sorted[(int) ((count - 1) * (rank / 100))];
    }
}
