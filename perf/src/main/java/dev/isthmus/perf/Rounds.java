// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/** What sides have measured in turn, round after round, in one place of a table. */
public class Rounds {

    private final Map<Side, List<Double>> figures = new EnumMap<>(Side.class);

    /** Adds a round. */
    public void add(Side side, double figure) {
        figures.computeIfAbsent(side, key -> new ArrayList<>()).add(figure);
    }

    /** A side's figures, one a round, in order. */
    public List<Double> rounds(Side side) {
        return List.copyOf(figures.getOrDefault(side, List.of()));
    }

    /** The median of a side's rounds; none without rounds. */
    public OptionalDouble median(Side side) {
        return Median.of(rounds(side).stream().mapToDouble(figure -> figure));
    }

    /** A side's median by C's: below 1 is better for latency, above 1 for bandwidth. */
    public OptionalDouble ratio(Side side) {
        OptionalDouble mine = median(side);
        OptionalDouble c = median(Side.C);
        return mine.isPresent() && c.isPresent()
                ? OptionalDouble.of(mine.getAsDouble() / c.getAsDouble())
                : OptionalDouble.empty();
    }
}
