// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

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
        var results = new LinkedHashMap<String, Object>();
        results.put("MsgSize", bytes);
        results.put("n_iterations", iterations);
        results.put("t_avg", CFormat.rounded(average, 2));
        results.put("tps_average", CFormat.rounded(perSecond, 2));
        return results;
    }

    /** The results of a run, for the JSON. */
    static Map<String, Object> results(int bytes, int iterations, LatencyStatistics figures) {
        var results = new LinkedHashMap<String, Object>();
        results.put("MsgSize", bytes);
        results.put("n_iterations", iterations);
        results.put("t_min", CFormat.rounded(figures.min(), 2));
        results.put("t_max", CFormat.rounded(figures.max(), 2));
        results.put("t_typical", CFormat.rounded(figures.typical(), 2));
        results.put("t_avg", CFormat.rounded(figures.average(), 2));
        results.put("t_stdev", CFormat.rounded(figures.deviation(), 2));
        results.put("percentile_99", CFormat.rounded(figures.p99(), 2));
        results.put("percentile_99.9", CFormat.rounded(figures.p999(), 2));
        return results;
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

    /**
     * The row of a run.
     *
     * @param bytes the size of a message
     * @param iterations how many there were
     * @param figures what was measured
     * @return the row, without an end of line
     */
    public static String row(int bytes, int iterations, LatencyStatistics figures) {
        return String.format(
                Locale.ROOT,
                " %-7d %d          %-7.2f        %-7.2f      %-7.2f  \t       %-7.2f     \t%-7.2f\t\t%-7.2f \t\t%-7.2f",
                bytes,
                iterations,
                figures.min(),
                figures.max(),
                figures.typical(),
                figures.average(),
                figures.deviation(),
                figures.p99(),
                figures.p999());
    }

    /**
     * Finds the row of a run in the output of {@code ib_send_lat} or ours.
     *
     * @param output all of it
     * @return the figures
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
     * Finds the times of all messages in the output of {@code ib_send_lat -U} or ours.
     *
     * @param output all of it
     * @return microseconds, ascending; none where they were not asked for
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
        double[] figure = new double[7];
        for (int i = 0; i < figure.length; i++) {
            figure[i] = CFormat.number(fields[i + 2]);
        }
        return new LatencyStatistics(figure[0], figure[1], figure[2], figure[3], figure[4], figure[5], figure[6]);
    }
}
