// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import java.util.Arrays;

/**
 * perftest's latency figures, computed like perftest, with its peculiarities, so that columns are comparable. All times
 * are in microseconds; those of ping-pongs are one-way.
 *
 * @param min the shortest
 * @param max the second longest: the shorter of the two that mean and median leave out, as in print_report_lat of
 *     perftest's src/perftest_parameters.c
 * @param typical the median
 * @param average the mean, without the two longest
 * @param deviation the standard deviation of whole microseconds: C truncates each distance to an int
 * @param p99 the 99th percentile
 * @param p999 the 99.9th percentile
 */
public record LatencyStatistics(
        double min, double max, double typical, double average, double deviation, double p99, double p999) {

    /** The fewest iterations of a run with figures. */
    public static final int MIN_ITERATIONS = 5;

    /** How many of the longest are left out. */
    private static final int TAIL = 2;

    /** Nanoseconds of a round trip for a one-way microsecond. */
    private static final double ROUND_TRIP_NANOS = 2_000;

    private static final double NANOS = 1_000;

    /**
     * The figures of a test: reads and atomics count as whole round trips, the others are halved.
     *
     * @param posted when each message was posted, nanoseconds; the array is left as it is
     * @throws IllegalArgumentException if there are fewer than {@link #MIN_ITERATIONS}
     */
    public static LatencyStatistics of(PerfTest test, long[] posted) {
        double unit = unit(test);
        if (posted.length < MIN_ITERATIONS) {
            throw new IllegalArgumentException(
                    "a run needs at least " + MIN_ITERATIONS + " iterations, not " + posted.length);
        }
        long[] delta = deltas(posted);
        Arrays.sort(delta);
        int count = delta.length - TAIL;
        double average = average(delta, count, unit);
        return new LatencyStatistics(
                delta[0] / unit,
                delta[count] / unit,
                median(delta, count) / unit,
                average,
                deviation(delta, count, average, unit),
                delta[(int) Math.ceil(count * 0.99)] / unit,
                delta[(int) Math.ceil(count * 0.999)] / unit);
    }

    /** How many nanoseconds between two posts are a microsecond of a test. */
    static double unit(PerfTest test) {
        return test.verb().isFetch() ? NANOS : ROUND_TRIP_NANOS;
    }

    /** From each post to the next, nanoseconds. */
    static long[] deltas(long[] posted) {
        long[] delta = new long[posted.length - 1];
        for (int i = 0; i < delta.length; i++) {
            delta[i] = posted[i + 1] - posted[i];
        }
        return delta;
    }

    private static long median(long[] sorted, int count) {
        return count % 2 == 0 ? (sorted[count / 2] + sorted[count / 2 - 1]) / 2 : sorted[count / 2];
    }

    private static double average(long[] sorted, int count, double unit) {
        double sum = 0;
        for (int i = 0; i < count; i++) {
            sum += sorted[i] / unit;
        }
        return sum / count;
    }

    private static double deviation(long[] sorted, int count, double average, double unit) {
        double sum = 0;
        for (int i = 0; i < count; i++) {
            int distance = (int) (average - sorted[i] / unit);
            sum += (double) distance * distance;
        }
        return Math.sqrt(sum / count);
    }
}
