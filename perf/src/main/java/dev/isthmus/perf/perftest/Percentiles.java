// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.perftest;

import java.util.Arrays;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/**
 * The tail that perftest's columns leave out, of all messages, the two longest among them. A percentile is, here and
 * wherever this project computes one itself, the least time that so many of the messages did not take longer than: its
 * rank is rounded up. HdrHistogram has the same, to a thousandth of the value. docs/perf.md says who has another.
 */
public final class Percentiles {

    /** The heads of the columns. */
    public static final String COLUMNS =
            " #bytes   p50[usec]      p90[usec]      p99[usec]      p99.9[usec]    p99.99[usec]   max[usec]";

    private static final int DIGITS = 3;
    private static final double[] PERCENTILES = {50, 90, 99, 99.9, 99.99, 100};

    private Percentiles() {}

    /**
     * A percentile.
     *
     * @param sorted times, ascending, at least one
     * @param percentile above 0, to 100
     * @return the least that so many are not above
     */
    public static double of(double[] sorted, double percentile) {
        return sorted[Math.max(0, (int) Math.ceil(sorted.length * percentile / 100) - 1)];
    }

    /**
     * A percentile of a run.
     *
     * @param test which one
     * @param posted when each message was posted, nanoseconds
     * @param percentile above 0, to 100
     * @return microseconds, as the test's columns have them
     */
    public static double of(PerfTest test, long[] posted, double percentile) {
        double[] sorted = Arrays.stream(LatencyStatistics.deltas(posted))
                .mapToDouble(delta -> delta / LatencyStatistics.unit(test))
                .sorted()
                .toArray();
        return of(sorted, percentile);
    }

    /** The row of a run. */
    static String row(PerfTest test, int bytes, long[] posted) {
        var histogram = new Histogram(DIGITS);
        for (long delta : LatencyStatistics.deltas(posted)) {
            histogram.recordValue(Math.max(0, delta));
        }
        var out = new StringBuilder(String.format(Locale.ROOT, " %-7d", bytes));
        for (double percentile : PERCENTILES) {
            double micros = histogram.getValueAtPercentile(percentile) / LatencyStatistics.unit(test);
            out.append(String.format(Locale.ROOT, "  %-13.2f", micros));
        }
        return out.toString().stripTrailing();
    }
}
