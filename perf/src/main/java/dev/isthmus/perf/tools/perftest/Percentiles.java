// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import java.util.Locale;
import org.HdrHistogram.Histogram;

/**
 * The tail that perftest's columns leave out, over all messages including the two longest. Wherever this project
 * computes a percentile itself, its rank is rounded up: it is the least time that this share of the messages did not
 * exceed. HdrHistogram does the same, to a thousandth of the value. docs/perf.md says which tools do not.
 */
public final class Percentiles {

    /** The heads of the columns. */
    public static final String COLUMNS =
            " #bytes   p50[usec]      p90[usec]      p99[usec]      p99.9[usec]    p99.99[usec]   max[usec]";

    private static final int DIGITS = 3;
    private static final double[] PERCENTILES = {50, 90, 99, 99.9, 99.99, 100};

    private Percentiles() {}

    /**
     * The times of a run, given when each message was posted: from each post to the next, nanoseconds. For a ping-pong these
     * are whole round trips.
     */
    public static Histogram histogram(long[] posted) {
        var histogram = new Histogram(DIGITS);
        for (long delta : LatencyStatistics.deltas(posted)) {
            histogram.recordValue(Math.max(0, delta));
        }
        return histogram;
    }

    /** The row of a run. */
    static String row(PerfTest test, int bytes, long[] posted) {
        Histogram histogram = histogram(posted);
        var out = new StringBuilder(String.format(Locale.ROOT, " %-7d", bytes));
        for (double percentile : PERCENTILES) {
            double micros = histogram.getValueAtPercentile(percentile) / LatencyStatistics.unit(test);
            out.append(String.format(Locale.ROOT, "  %-13.2f", micros));
        }
        return out.toString().stripTrailing();
    }
}
