// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.ucx;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/** What was measured for a cell. */
final class Figures {

    private final Cell cell;
    private final Map<Contender.Name, List<Double>> rounds = new EnumMap<>(Contender.Name.class);
    private final Map<Contender.Name, String> failures = new EnumMap<>(Contender.Name.class);

    Figures(Cell cell) {
        this.cell = cell;
    }

    Cell cell() {
        return cell;
    }

    void add(Contender.Name name, double figure) {
        rounds.computeIfAbsent(name, key -> new ArrayList<>()).add(figure);
    }

    void fail(Contender.Name name, String reason) {
        failures.put(name, reason);
    }

    /** The figures of the rounds, in order. */
    List<Double> rounds(Contender.Name name) {
        return List.copyOf(rounds.getOrDefault(name, List.of()));
    }

    /** Why there are none, or fewer than rounds. */
    Optional<String> failure(Contender.Name name) {
        return Optional.ofNullable(failures.get(name));
    }

    OptionalDouble median(Contender.Name name) {
        List<Double> sorted = new ArrayList<>(rounds(name));
        if (sorted.isEmpty()) {
            return OptionalDouble.empty();
        }
        Collections.sort(sorted);
        int middle = sorted.size() / 2;
        return OptionalDouble.of(
                sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2);
    }

    /** One's median by C's: below 1 is better for latency, above 1 for bandwidth. */
    OptionalDouble ratio(Contender.Name name) {
        OptionalDouble mine = median(name);
        OptionalDouble c = median(Contender.Name.C);
        return mine.isPresent() && c.isPresent()
                ? OptionalDouble.of(mine.getAsDouble() / c.getAsDouble())
                : OptionalDouble.empty();
    }
}
