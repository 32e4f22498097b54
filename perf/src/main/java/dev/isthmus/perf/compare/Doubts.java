// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.compare;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What is to be said of figures that a reader should not rely on. */
final class Doubts {

    private Doubts() {}

    /** What a star behind a figure means; nothing where no figure has one. */
    static Optional<String> of(List<Summary> summaries) {
        return summaries.stream().anyMatch(Summary::isDoubtful)
                ? Optional.of(
                        "* of runs that began before their JVMs were steady, or whose connections were measuring together"
                                + " for less than " + Math.round(100 * Run.LEAST_OVERLAP) + " % of the time.")
                : Optional.empty();
    }

    /** How many runs of each way are doubtful, and why; of those that have such. */
    static List<String> byWay(List<Summary> summaries) {
        Map<Way, List<Summary>> ways = new EnumMap<>(Way.class);
        for (Way way : Way.values()) {
            ways.put(
                    way,
                    summaries.stream()
                            .filter(summary -> summary.point().way() == way)
                            .toList());
        }
        ways.values().removeIf(some -> some.stream().noneMatch(Summary::isDoubtful));
        return ways.entrySet().stream()
                .map(entry -> line(entry.getKey(), entry.getValue()))
                .toList();
    }

    private static String line(Way way, List<Summary> summaries) {
        int runs = summaries.stream().mapToInt(Summary::runs).sum();
        int unsteady = summaries.stream().mapToInt(Summary::unsteady).sum();
        int apart = summaries.stream().mapToInt(Summary::apart).sum();
        return way.title() + ": of " + runs + " runs "
                + (unsteady == 0 ? "" : unsteady + " began before it was steady")
                + (unsteady == 0 || apart == 0 ? "" : ", ")
                + (apart == 0 ? "" : apart + " had connections that were measuring at different times");
    }
}
