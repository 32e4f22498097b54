// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.compare;

import dev.isthmus.perf.compare.Plot.Across;
import dev.isthmus.perf.compare.Plot.Side;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Which plots a report has. */
final class Plots {

    /** From this payload on, bytes say more than messages. */
    private static final long LONG_PAYLOAD = 4096;

    private static final Set<Way> VERBS = EnumSet.range(Way.C_VERBS_SEND, Way.JAVA_VERBS_READ);

    private Plots() {}

    /** Plots over payloads, with the fewest connections and the lowest rate that were measured. */
    static List<Plot> overPayload(Benchmark benchmark, List<Summary> all) {
        List<Summary> few = plain(benchmark, all);
        if (few.isEmpty()) {
            return List.of();
        }
        int connections = few.getFirst().point().connections();
        String where = ", " + connections + (connections == 1 ? " connection" : " connections")
                + Point.title(few.getFirst().point().rate());
        return benchmark.isThroughput() ? throughput(benchmark, few, where) : latency(benchmark, few, where);
    }

    /** The summaries of the benchmark with the fewest connections that it has. */
    private static List<Summary> fewest(List<Summary> summaries) {
        int connections = summaries.stream()
                .mapToInt(each -> each.point().connections())
                .min()
                .orElse(0);
        return summaries.stream()
                .filter(each -> each.point().connections() == connections)
                .toList();
    }

    private static List<Summary> slowest(List<Summary> summaries) {
        long rate =
                summaries.stream().mapToLong(each -> each.point().rate()).min().orElse(0);
        return summaries.stream().filter(each -> each.point().rate() == rate).toList();
    }

    /** What is shown of a benchmark where there is room for only one figure of each way and payload. */
    static List<Summary> plain(Benchmark benchmark, List<Summary> all) {
        return slowest(fewest(of(benchmark, all)));
    }

    private static List<Plot> latency(Benchmark benchmark, List<Summary> summaries, String where) {
        List<Plot> plots = new ArrayList<>();
        for (Quantity quantity : Quantity.times(benchmark)) {
            String title = benchmark.title() + ", " + quantity.title() + where;
            plot(title, Across.PAYLOAD, quantity, summaries).ifPresent(plots::add);
        }
        return plots;
    }

    /** Two plots with the same axes, because one plot with all curves would be too full. */
    private static List<Plot> throughput(Benchmark benchmark, List<Summary> summaries, String where) {
        List<Curve> messages = Curve.aboveZero(Curve.of(summaries, Quantity.MESSAGES, Across.PAYLOAD::of));
        List<Curve> bytes = Curve.aboveZero(Curve.of(summaries, Quantity.MEGABYTES, Across.PAYLOAD::of));
        Decades left = decades(messages);
        Decades right = decades(bytes);
        int count = Math.max(left.count(), right.count());
        Side leftSide = new Side(Quantity.MESSAGES, left.widened(count));
        Side rightSide = new Side(Quantity.MEGABYTES, right.widened(count));
        Map<String, Predicate<Way>> groups = new LinkedHashMap<>();
        groups.put("verbs", VERBS::contains);
        groups.put("UCX and sockets", way -> !VERBS.contains(way));
        List<Plot> plots = new ArrayList<>();
        groups.forEach((name, belongs) -> {
            List<Curve> curves = Stream.concat(messages.stream(), bytes.stream())
                    .filter(curve -> belongs.test(curve.way()))
                    .toList();
            if (!curves.isEmpty()) {
                String title = benchmark.title() + ", " + name + where;
                plots.add(new Plot(title, Across.PAYLOAD, leftSide, Optional.of(rightSide), curves));
            }
        });
        return plots;
    }

    /** Plots over the number of connections, if several were measured, for a short, a middling and a long payload. */
    static List<Plot> overConnections(Benchmark benchmark, List<Summary> all) {
        return scaling(benchmark, slowest(of(benchmark, all)), Across.CONNECTIONS, "");
    }

    /** Plots over rates, if several were measured, like those over connections. */
    static List<Plot> overRates(Benchmark benchmark, List<Summary> all) {
        return scaling(benchmark, fewest(of(benchmark, all)), Across.RATE, ", over rates");
    }

    private static List<Plot> scaling(Benchmark benchmark, List<Summary> some, Across across, String over) {
        Map<Long, List<Summary>> byPayload =
                some.stream().collect(Collectors.groupingBy(each -> each.point().bytes()));
        byPayload
                .values()
                .removeIf(summaries -> summaries.stream()
                                .map(each -> across.of(each.point()))
                                .filter(x -> x > 0)
                                .distinct()
                                .count()
                        < 2);
        List<Plot> plots = new ArrayList<>();
        for (long bytes : firstMiddleLast(new TreeSet<>(byPayload.keySet()))) {
            for (Quantity quantity : scaling(benchmark, bytes)) {
                String title = benchmark.title() + ", " + quantity.title() + ", " + Numbers.bytes(bytes) + over;
                plot(title, across, quantity, byPayload.get(bytes)).ifPresent(plots::add);
            }
        }
        return plots;
    }

    /**
     * Plots over percentiles, for a short, a middling and a long payload, and as many rates, if all times are known.
     */
    static List<Plot> overPercentiles(Benchmark benchmark, List<Summary> all) {
        Map<Long, Map<Long, List<Curve>>> curves = new TreeMap<>();
        for (Summary summary : fewest(of(benchmark, all))) {
            Point point = summary.point();
            Curve.overPercentiles(summary)
                    .ifPresent(curve -> curves.computeIfAbsent(point.bytes(), bytes -> new TreeMap<>())
                            .computeIfAbsent(point.rate(), rate -> new ArrayList<>())
                            .add(curve));
        }
        List<Plot> plots = new ArrayList<>();
        for (long bytes : firstMiddleLast(new TreeSet<>(curves.keySet()))) {
            Map<Long, List<Curve>> byRate = curves.get(bytes);
            for (long rate : firstMiddleLast(new TreeSet<>(byRate.keySet()))) {
                List<Curve> some = Curve.aboveZero(byRate.get(rate));
                String title = benchmark.title() + ", percentiles, " + Numbers.bytes(bytes) + Point.title(rate);
                plots.add(new Plot(
                        title, Across.PERCENTILE, new Side(Quantity.TIME, decades(some)), Optional.empty(), some));
            }
        }
        return plots;
    }

    private static List<Quantity> scaling(Benchmark benchmark, long bytes) {
        if (benchmark.isThroughput()) {
            return List.of(bytes < LONG_PAYLOAD ? Quantity.MESSAGES : Quantity.MEGABYTES);
        }
        return Quantity.times(benchmark);
    }

    private static SortedSet<Long> firstMiddleLast(SortedSet<Long> payloads) {
        if (payloads.size() <= 3) {
            return payloads;
        }
        List<Long> sorted = List.copyOf(payloads);
        return new TreeSet<>(List.of(sorted.getFirst(), sorted.get(sorted.size() / 2), sorted.getLast()));
    }

    private static Optional<Plot> plot(String title, Across across, Quantity quantity, List<Summary> summaries) {
        List<Curve> curves = Curve.aboveZero(Curve.of(summaries, quantity, across::of));
        return curves.isEmpty()
                ? Optional.empty()
                : Optional.of(new Plot(title, across, new Side(quantity, decades(curves)), Optional.empty(), curves));
    }

    private static List<Summary> of(Benchmark benchmark, List<Summary> all) {
        return all.stream()
                .filter(each -> each.point().benchmark() == benchmark)
                .toList();
    }

    private static Decades decades(List<Curve> curves) {
        return Decades.around(curves.stream()
                .flatMap(curve -> curve.marks().values().stream())
                .toList());
    }
}
