// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** A comparison of routes over UCX: a line for each cell, with C, Java and JUCX side by side. */
final class UcxTable {

    static final List<Way> WAYS = List.of(Way.C_UCX, Way.JAVA_UCX, Way.JUCX);

    private static final String LINE = "%-22s %5s %11s %11s %11s %8s %8s";
    private static final double MEBI = 1 << 20;

    private UcxTable() {}

    /** The lines, each with its end. */
    static String format(List<Point> points, List<Run> runs, List<Schedule.Step> missing) {
        Map<Point, Summary> summaries =
                Summary.of(runs).stream().collect(Collectors.toMap(Summary::point, Function.identity()));
        var out = new StringBuilder();
        line(out, LINE, "", "unit", "C ", "Java ", "JUCX ", "Java/C", "JUCX/C");
        for (int i = 0; i < points.size(); i += WAYS.size()) {
            List<Point> cell = points.subList(i, i + WAYS.size());
            List<String> figures =
                    cell.stream().map(point -> text(point, summaries, missing)).toList();
            line(
                    out,
                    LINE,
                    cell.getFirst().cell(),
                    unit(cell.getFirst()),
                    figures.get(0),
                    figures.get(1),
                    figures.get(2),
                    ratio(summaries, cell.get(1), cell.getFirst()),
                    ratio(summaries, cell.get(2), cell.getFirst()));
        }
        line(out, "");
        line(out, "Medians of the rounds: of latency the median of a round, of bandwidth a round's average.");
        if (summaries.values().stream().anyMatch(Summary::isDoubtful)) {
            line(out, "* of rounds of which some began before their JVMs were steady.");
        }
        return out.toString();
    }

    private static String text(Point point, Map<Point, Summary> summaries, List<Schedule.Step> missing) {
        if (summaries.containsKey(point)) {
            return number(summaries.get(point));
        }
        return missing.stream().anyMatch(step -> step.point().equals(point)) ? "failed " : "- ";
    }

    private static String number(Summary summary) {
        String format = summary.point().benchmark().isThroughput() ? "%.0f%s" : "%.3f%s";
        return String.format(Locale.ROOT, format, figure(summary), summary.isDoubtful() ? "*" : " ");
    }

    private static String ratio(Map<Point, Summary> summaries, Point point, Point c) {
        return summaries.containsKey(point) && summaries.containsKey(c)
                ? String.format(Locale.ROOT, "%.2f", figure(summaries.get(point)) / figure(summaries.get(c)))
                : "-";
    }

    /** As {@code ucx_perftest} prints it: half the median round trip, or 2^20 bytes in a second. */
    private static double figure(Summary summary) {
        return summary.point().benchmark().isThroughput()
                ? summary.median(Quantity.BYTES) / MEBI
                : summary.median(Quantity.MEDIAN) / 2;
    }

    private static String unit(Point point) {
        return point.benchmark().isThroughput() ? "MB/s" : "usec";
    }

    @SuppressWarnings("AnnotateFormatMethod") // the annotation is in a library that is not a dependency
    private static void line(StringBuilder out, String format, Object... values) {
        out.append(String.format(Locale.ROOT, format, values).stripTrailing()).append('\n');
    }
}
