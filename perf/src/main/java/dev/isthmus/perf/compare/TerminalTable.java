// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.compare;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The result of a comparison on a terminal: medians at some payloads, in 100 columns. */
final class TerminalTable {

    private static final int COLUMNS = 6;

    private TerminalTable() {}

    /** The lines, each with its end. */
    static String format(List<Summary> summaries) {
        var out = new StringBuilder();
        for (Benchmark benchmark : Benchmark.values()) {
            Map<String, List<Summary>> byPlace = summaries.stream()
                    .filter(summary -> summary.point().benchmark() == benchmark)
                    .collect(Collectors.groupingBy(
                            summary -> where(summary.point()), LinkedHashMap::new, Collectors.toList()));
            byPlace.forEach((where, some) -> {
                for (Quantity quantity : quantities(benchmark)) {
                    append(out, benchmark.title() + where, quantity, some);
                }
            });
        }
        if (summaries.isEmpty()) {
            return "Nothing was measured.\n";
        }
        out.append("Medians of the runs; minimums and maximums are in the files.\n");
        if (Quantity.isMixed(summaries)) {
            out.append(Quantity.LAST_MESSAGES_NOTE.replace("; ", ";\n  ")).append('\n');
        }
        List<String> behind = Doubts.behind(summaries);
        if (!behind.isEmpty()) {
            out.append("These could not keep up with their rate:\n");
            behind.forEach(line ->
                    out.append("  ").append(line.replace(": ", ":\n    ")).append('\n'));
        }
        Doubts.of(summaries)
                .ifPresent(
                        doubts -> out.append(doubts.replace(", or", ",\n  or")).append('\n'));
        return out.toString();
    }

    private static String where(Point point) {
        return (point.connections() == 1 ? "" : ", " + point.connections() + " connections")
                + Point.title(point.rate());
    }

    private static List<Quantity> quantities(Benchmark benchmark) {
        if (benchmark.isThroughput()) {
            return List.of(Quantity.MESSAGES, Quantity.MEGABYTES, Quantity.PROCESSOR);
        }
        List<Quantity> quantities = new ArrayList<>(Quantity.times(benchmark));
        quantities.add(Quantity.PROCESSOR);
        if (benchmark == Benchmark.FIXED_RATE) {
            quantities.addFirst(Quantity.OFFERED);
        }
        return quantities;
    }

    private static void append(StringBuilder out, String title, Quantity quantity, List<Summary> summaries) {
        List<Curve> curves = Curve.of(summaries, quantity, Point::bytes);
        if (curves.isEmpty()) {
            return;
        }
        SortedSet<Long> payloads = curves.stream()
                .flatMap(curve -> curve.marks().keySet().stream())
                .collect(Collectors.toCollection(TreeSet::new));
        List<Long> columns = evenly(List.copyOf(payloads));
        out.append(title).append(": ").append(quantity.title());
        out.append(quantity == Quantity.MESSAGES ? "/s" : ", " + quantity.unit())
                .append('\n');
        line(out, "", columns.stream().map(bytes -> cell(Numbers.bytes(bytes), "")));
        for (Curve curve : curves) {
            line(out, curve.way().title(quantity), columns.stream().map(bytes -> {
                String figure = Optional.ofNullable(curve.marks().get(bytes))
                        .map(spread -> Numbers.figure(spread.median()))
                        .orElse("-");
                return cell(figure, curve.sign(bytes));
            }));
        }
        out.append('\n');
    }

    private static void line(StringBuilder out, String head, Stream<String> cells) {
        String line = String.format(Locale.ROOT, "  %-24s", head) + cells.collect(Collectors.joining());
        out.append(line.stripTrailing()).append('\n');
    }

    /** A mark goes after the column, so that the figures stay aligned. */
    private static String cell(String text, String sign) {
        return String.format(Locale.ROOT, " %10s%-1s", text, sign);
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
