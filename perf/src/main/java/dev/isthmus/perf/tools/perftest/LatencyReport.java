// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** perftest's columns, to the letter: a program that reads {@code ib_send_lat}'s output can read ours. */
public final class LatencyReport {

    /** The line that perftest draws between the parts of its output. */
    public static final String RULE = "-".repeat(87);

    /** The heads of the columns, with the space at the end that C prints too. */
    public static final String COLUMNS = " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]"
            + "    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec] ";

    private static final String TIMES = "#, usec";

    /** The heads of the columns of a test with a duration. */
    static final String TIMED_COLUMNS = " #bytes        #iterations       t_avg[usec]    tps average";

    private LatencyReport() {}

    /** The row of a test with a duration: microseconds, and transactions per second. */
    static String timedRow(int bytes, long iterations, double average, double perSecond) {
        return String.format(
                Locale.ROOT, " %-7d       %d            %-7.2f        %-7.2f", bytes, iterations, average, perSecond);
    }

    /** The results of a test with a duration, for the JSON. */
    static Map<String, Object> timedResults(int bytes, long iterations, double average, double perSecond) {
        return results("MsgSize n_iterations t_avg tps_average", bytes, iterations, average, perSecond);
    }

    /** The results of a run, for the JSON. */
    static Map<String, Object> results(int bytes, int iterations, LatencyStatistics figures) {
        return results(
                "MsgSize n_iterations t_min t_max t_typical t_avg t_stdev percentile_99 percentile_99.9",
                values(bytes, iterations, figures));
    }

    private static Map<String, Object> results(String names, Object... values) {
        var results = new LinkedHashMap<String, Object>();
        String[] each = names.split(" ", -1);
        for (int i = 0; i < each.length; i++) {
            results.put(each[i], values[i] instanceof Double value ? CFormat.rounded(value, 2) : values[i]);
        }
        return results;
    }

    private static Object[] values(int bytes, int iterations, LatencyStatistics figures) {
        return new Object[] {
            bytes,
            iterations,
            figures.min(),
            figures.max(),
            figures.typical(),
            figures.average(),
            figures.deviation(),
            figures.p99(),
            figures.p999()
        };
    }

    /** The times of a run, as {@code -U} and {@code -H} print them. */
    static String times(long[] deltas, int count, double unit) {
        var out = new StringBuilder(TIMES).append('\n');
        for (int i = 0; i < count; i++) {
            out.append(i + 1)
                    .append(", ")
                    .append(CFormat.general(deltas[i] / unit))
                    .append('\n');
        }
        return out.toString();
    }

    /** The row of a run, without an end of line. */
    static String row(int bytes, int iterations, LatencyStatistics figures) {
        return String.format(
                Locale.ROOT,
                " %-7d %d          %-7.2f        %-7.2f      %-7.2f  \t       %-7.2f     \t%-7.2f\t\t%-7.2f \t\t%-7.2f",
                values(bytes, iterations, figures));
    }

    /**
     * Finds the row of a run in the output of {@code ib_send_lat} or ours.
     *
     * @throws IllegalArgumentException if there is no such row
     */
    public static LatencyStatistics parse(String output) {
        String[] lines = output.split("\n", -1);
        for (int i = 0; i + 1 < lines.length; i++) {
            if (lines[i].strip().equals(COLUMNS.strip())) {
                String[] fields = lines[i + 1].strip().split("\\s+", -1);
                if (fields.length >= 9) {
                    return figures(fields);
                }
            }
        }
        throw new IllegalArgumentException("no latencies in: " + output.strip());
    }

    /**
     * Finds the times of all messages in the output of {@code ib_send_lat -U} or ours: microseconds, ascending; none where
     * they were not asked for.
     */
    public static double[] parseTimes(String output) {
        return output.lines()
                .dropWhile(line -> !line.equals(TIMES))
                .skip(1)
                .takeWhile(line -> line.matches("[0-9]+, .*"))
                .mapToDouble(line ->
                        CFormat.number(line.substring(line.indexOf(',') + 1).strip()))
                .sorted()
                .toArray();
    }

    private static LatencyStatistics figures(String[] fields) {
        double[] figure =
                Arrays.stream(fields, 2, 9).mapToDouble(CFormat::number).toArray();
        return new LatencyStatistics(figure[0], figure[1], figure[2], figure[3], figure[4], figure[5], figure[6]);
    }
}
