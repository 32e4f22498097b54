// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.compare;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

/**
 * The figures of one way that a plot shows.
 *
 * @param marks by payload or number of connections; not empty
 * @param doubtful those that tables mark
 */
record Curve(Way way, Quantity quantity, SortedMap<Long, Spread> marks, Set<Long> doubtful) {

    Curve {
        marks = Collections.unmodifiableSortedMap(new TreeMap<>(marks));
        doubtful = Set.copyOf(doubtful);
    }

    /** The curve of each way that has one. */
    static List<Curve> of(List<Summary> summaries, Quantity quantity, ToLongFunction<Point> x) {
        SortedMap<Way, List<Summary>> byWay = new TreeMap<>();
        for (Summary summary : summaries) {
            if (quantity.of(summary).isPresent()) {
                byWay.computeIfAbsent(summary.point().way(), way -> new ArrayList<>())
                        .add(summary);
            }
        }
        return byWay.entrySet().stream()
                .map(entry -> of(entry.getKey(), entry.getValue(), quantity, x))
                .toList();
    }

    private static Curve of(Way way, List<Summary> summaries, Quantity quantity, ToLongFunction<Point> x) {
        SortedMap<Long, Spread> marks = new TreeMap<>();
        Set<Long> doubtful = new HashSet<>();
        for (Summary summary : summaries) {
            long at = x.applyAsLong(summary.point());
            marks.put(at, quantity.of(summary).orElseThrow());
            if (summary.isDoubtful()) {
                doubtful.add(at);
            }
        }
        return new Curve(way, quantity, marks, doubtful);
    }

    /**
     * The curve over percentiles: of all runs together, with the minimum and maximum of single runs, as far as each run
     * has enough operations.
     */
    static Optional<Curve> overPercentiles(Summary summary) {
        List<Distribution> times = summary.times();
        long fewest = times.stream().mapToLong(Distribution::count).min().orElse(0);
        if (fewest == 0) {
            return Optional.empty();
        }
        Distribution all = Distribution.together(times);
        SortedMap<Long, Spread> marks = new TreeMap<>();
        for (long decade = 1; decade <= fewest; decade *= 10) {
            for (long oneOf : new long[] {decade, 2 * decade, 5 * decade}) {
                if (oneOf <= fewest) {
                    marks.put(oneOf, at(100.0 * (oneOf - 1) / oneOf, all, times));
                }
            }
        }
        return Optional.of(new Curve(
                summary.point().way(), Quantity.TIME, marks, summary.isDoubtful() ? marks.keySet() : Set.of()));
    }

    private static Spread at(double percentile, Distribution all, List<Distribution> times) {
        double[] runs =
                times.stream().mapToDouble(each -> each.micros(percentile)).toArray();
        Spread spread = Spread.of(runs).orElseThrow();
        return new Spread(all.micros(percentile), spread.minimum(), spread.maximum());
    }

    /** The mark that a table puts behind a figure. */
    String sign(long at) {
        return doubtful.contains(at) ? "*" : "";
    }

    /** The part of the curves that a logarithmic axis can show: what is above zero. */
    static List<Curve> aboveZero(List<Curve> curves) {
        return curves.stream().flatMap(curve -> curve.aboveZero().stream()).toList();
    }

    private Optional<Curve> aboveZero() {
        SortedMap<Long, Spread> above = new TreeMap<>(marks);
        above.values().removeIf(spread -> spread.minimum() <= 0);
        return above.isEmpty() ? Optional.empty() : Optional.of(new Curve(way, quantity, above, doubtful));
    }
}
