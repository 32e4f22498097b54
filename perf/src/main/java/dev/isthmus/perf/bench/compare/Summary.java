// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/** All runs of a point, at least one. */
record Summary(Point point, List<Run> runs) {

    private static final Comparator<Point> ORDER = Comparator.comparing(Point::benchmark)
            .thenComparingInt(Point::connections)
            .thenComparingLong(Point::rate)
            .thenComparing(point -> point.route().map(UcxRoute::id).orElse(""))
            .thenComparing(Point::way)
            .thenComparingLong(Point::bytes);

    /** A summary of each point, by benchmark, connections, rate, route, way and payload. */
    static List<Summary> of(List<Run> runs) {
        Map<Point, List<Run>> byPoint = new TreeMap<>(ORDER);
        runs.forEach(run ->
                byPoint.computeIfAbsent(run.point(), point -> new ArrayList<>()).add(run));
        return byPoint.entrySet().stream()
                .map(entry -> new Summary(entry.getKey(), entry.getValue()))
                .toList();
    }

    /** The median of what each run has, which must have been measured. */
    double median(Quantity quantity) {
        return quantity.of(this).orElseThrow().median();
    }

    /** How many runs are such. */
    long count(Predicate<Run> such) {
        return runs.stream().filter(such).count();
    }

    /** Whether its figures should be taken with a grain of salt. */
    boolean isDoubtful() {
        return runs.stream().anyMatch(Run::isDoubtful);
    }
}
