package dev.isthmus.perf.compare;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The end of a comparison on a terminal: medians at some payloads, in 100 columns. */
final class TerminalTable {

    private static final int COLUMNS = 6;

    private TerminalTable() {}

    /** Lines, each with its end. */
    static String format(List<Summary> summaries) {
        var out = new StringBuilder();
        for (Benchmark benchmark : Benchmark.values()) {
            Map<Integer, List<Summary>> byConnections = summaries.stream()
                    .filter(summary -> summary.point().benchmark() == benchmark)
                    .collect(Collectors.groupingBy(
                            summary -> summary.point().connections(), TreeMap::new, Collectors.toList()));
            byConnections.forEach((connections, some) -> {
                String where = connections == 1 ? "" : ", " + connections + " connections";
                List<Quantity> quantities = benchmark.isThroughput()
                        ? List.of(Quantity.MESSAGES, Quantity.MEGABYTES)
                        : List.of(Quantity.AVERAGE, Quantity.P999);
                for (Quantity quantity : quantities) {
                    append(out, benchmark.title() + where, quantity, some);
                }
            });
        }
        if (summaries.isEmpty()) {
            return "Nothing was measured.\n";
        }
        return out.append("Medians of the runs; minimums and maximums are in the files.\n")
                .toString();
    }

    private static void append(StringBuilder out, String title, Quantity quantity, List<Summary> summaries) {
        Map<Way, Map<Long, Spread>> byWay = new TreeMap<>();
        for (Summary summary : summaries) {
            quantity.of(summary)
                    .ifPresent(spread -> byWay.computeIfAbsent(summary.point().way(), way -> new TreeMap<>())
                            .put(summary.point().bytes(), spread));
        }
        if (byWay.isEmpty()) {
            return;
        }
        SortedSet<Long> payloads = byWay.values().stream()
                .flatMap(marks -> marks.keySet().stream())
                .collect(Collectors.toCollection(TreeSet::new));
        List<Long> columns = evenly(List.copyOf(payloads));
        out.append(title).append(": ").append(quantity.title());
        out.append(quantity == Quantity.MESSAGES ? "/s" : ", " + quantity.unit())
                .append('\n');
        out.append(String.format(Locale.ROOT, "  %-24s", ""));
        columns.forEach(bytes -> out.append(String.format(Locale.ROOT, " %11s", Numbers.bytes(bytes))));
        out.append('\n');
        byWay.forEach((way, marks) -> {
            out.append(String.format(Locale.ROOT, "  %-24s", way.title()));
            for (long bytes : columns) {
                String figure = Optional.ofNullable(marks.get(bytes))
                        .map(spread -> Numbers.figure(spread.median()))
                        .orElse("-");
                out.append(String.format(Locale.ROOT, " %11s", figure));
            }
            out.append('\n');
        });
        out.append('\n');
    }

    /** The first, the last, and some evenly between them. */
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
