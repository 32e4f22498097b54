package dev.isthmus.perf.compare;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

/**
 * What of a way is drawn in a plot.
 *
 * @param marks by payload or number of connections; not empty
 */
record Curve(Way way, Quantity quantity, SortedMap<Long, Spread> marks) {

    Curve {
        marks = Collections.unmodifiableSortedMap(new TreeMap<>(marks));
    }

    /** The curve of each way that has one. */
    static List<Curve> of(List<Summary> summaries, Quantity quantity, ToLongFunction<Point> x) {
        SortedMap<Way, SortedMap<Long, Spread>> byWay = new TreeMap<>();
        for (Summary summary : summaries) {
            quantity.of(summary)
                    .ifPresent(spread -> byWay.computeIfAbsent(summary.point().way(), way -> new TreeMap<>())
                            .put(x.applyAsLong(summary.point()), spread));
        }
        return byWay.entrySet().stream()
                .map(entry -> new Curve(entry.getKey(), quantity, entry.getValue()))
                .toList();
    }

    /** What of the curves a log axis can show: what is above zero. */
    static List<Curve> aboveZero(List<Curve> curves) {
        return curves.stream().flatMap(curve -> curve.aboveZero().stream()).toList();
    }

    private Optional<Curve> aboveZero() {
        SortedMap<Long, Spread> above = new TreeMap<>(marks);
        above.values().removeIf(spread -> spread.minimum() <= 0);
        return above.isEmpty() ? Optional.empty() : Optional.of(new Curve(way, quantity, above));
    }
}
