// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The result of a comparison on a terminal: medians at some payloads, in 100 columns. */
final class TerminalTable {

    private static final int COLUMNS = 6;

    /** The mark after the name of a way whose percentiles are of the last messages only. */
    private static final String LAST_MESSAGES = " †";

    private final StringBuilder out = new StringBuilder();
    private final List<Summary> summaries;

    private TerminalTable(List<Summary> summaries) {
        this.summaries = summaries;
    }

    /** The lines, each with its end. */
    static String format(List<Summary> summaries) {
        return summaries.isEmpty() ? "Nothing was measured.\n" : new TerminalTable(summaries).format();
    }

    private String format() {
        for (Benchmark benchmark : Benchmark.values()) {
            Map<String, List<Summary>> byPlace = summaries.stream()
                    .filter(summary -> summary.point().benchmark() == benchmark)
                    .collect(Collectors.groupingBy(
                            summary -> summary.point().connectionsAndRate(), LinkedHashMap::new, Collectors.toList()));
            byPlace.forEach((where, some) -> quantities(benchmark)
                    .forEach(quantity -> append(benchmark.title() + where + ": " + quantity.title(), quantity, some)));
        }
        out.append("Medians of the runs; minimums and maximums are in the files.\n");
        if (summaries.stream().anyMatch(each -> isOfLastMessages(each, Quantity.P999))) {
            out.append("""
                    † of the last 2048 messages of a run, its rank rounded down, as ucx_perftest prints it;
                      the others are of all messages, their rank rounded up.
                    """);
        }
        appendBehind();
        if (summaries.stream().anyMatch(Summary::isDoubtful)) {
            out.append(String.format(Locale.ROOT, """
                    * of runs that began before their JVMs were steady,
                      or whose connections were measuring together for less than %.0f %% of the time,
                      or some of which could not keep up with their rate.
                    """, 100 * Run.LEAST_OVERLAP));
        }
        return out.toString();
    }

    private static List<Quantity> quantities(Benchmark benchmark) {
        if (benchmark.isThroughput()) {
            return List.of(Quantity.MESSAGES, Quantity.BYTES, Quantity.PROCESSOR);
        }
        return List.of(Quantity.OFFERED, Quantity.AVERAGE, Quantity.P999, Quantity.PROCESSOR);
    }

    /** Whether a figure is of the last messages only, which is all that ucx_perftest reports. */
    private static boolean isOfLastMessages(Summary summary, Quantity quantity) {
        Point point = summary.point();
        return quantity == Quantity.P999
                && point.way().family() == Way.Family.UCX
                && point.benchmark() != Benchmark.FIXED_RATE
                && quantity.of(summary).isPresent();
    }

    private void append(String title, Quantity quantity, List<Summary> some) {
        SortedMap<Way, SortedMap<Long, Summary>> rows = new TreeMap<>();
        var payloads = new TreeSet<Long>();
        for (Summary summary : some) {
            Point point = summary.point();
            if (quantity.of(summary).isPresent()) {
                rows.computeIfAbsent(point.way(), way -> new TreeMap<>()).put(point.bytes(), summary);
                payloads.add(point.bytes());
            }
        }
        if (rows.isEmpty()) {
            return;
        }
        List<Long> columns = evenly(List.copyOf(payloads));
        out.append(title).append('\n');
        line("", columns.stream().map(bytes -> cell(Numbers.bytes(bytes), "")));
        rows.forEach((way, row) -> line(
                way.title()
                        + (row.values().stream().anyMatch(each -> isOfLastMessages(each, quantity))
                                ? LAST_MESSAGES
                                : ""),
                columns.stream()
                        .map(bytes -> row.containsKey(bytes) ? cell(row.get(bytes), quantity) : cell("-", ""))));
        out.append('\n');
    }

    private static String cell(Summary summary, Quantity quantity) {
        double unit = quantity == Quantity.BYTES ? 1e6 : 1;
        return cell(Numbers.figure(summary.median(quantity) / unit), summary.isDoubtful() ? "*" : "");
    }

    /** A mark goes after the column, so that the figures stay aligned. */
    private static String cell(String text, String sign) {
        return String.format(Locale.ROOT, " %10s%-1s", text, sign);
    }

    private void line(String head, Stream<String> cells) {
        String line = String.format(Locale.ROOT, "  %-24s", head) + cells.collect(Collectors.joining());
        out.append(line.stripTrailing()).append('\n');
    }

    /** The points that could not keep up with their rate, and the rate that they reached. */
    private void appendBehind() {
        List<Summary> behind =
                summaries.stream().filter(each -> each.count(Run::isBehind) > 0).toList();
        if (!behind.isEmpty()) {
            out.append("These could not keep up with their rate:\n");
        }
        for (Summary each : behind) {
            out.append(String.format(
                    Locale.ROOT,
                    "  %s:%n    %d of %d runs; of %s round trips a second as few as %s came back%n",
                    each.point().title(),
                    each.count(Run::isBehind),
                    each.runs().size(),
                    Numbers.figure(each.median(Quantity.OFFERED)),
                    Numbers.figure(Quantity.MESSAGES.of(each).orElseThrow().minimum() / 2)));
        }
    }

    /** The first, the last, and some evenly in between. */
    private static List<Long> evenly(List<Long> payloads) {
        int last = payloads.size() - 1;
        if (last < COLUMNS) {
            return payloads;
        }
        var chosen = new TreeSet<Long>();
        for (int i = 0; i < COLUMNS; i++) {
            chosen.add(payloads.get((int) Math.round((double) i * last / (COLUMNS - 1))));
        }
        return List.copyOf(chosen);
    }
}
