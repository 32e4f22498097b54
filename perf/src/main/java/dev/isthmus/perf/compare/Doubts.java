// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.compare;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a report says about figures on which a reader should not rely. */
final class Doubts {

    private Doubts() {}

    /** What a star behind a figure means; empty if no figure has one. */
    static Optional<String> of(List<Summary> summaries) {
        return summaries.stream().anyMatch(Summary::isDoubtful)
                ? Optional.of(
                        "* of runs that began before their JVMs were steady, or whose connections were measuring together"
                                + " for less than " + Math.round(100 * Run.LEAST_OVERLAP)
                                + " % of the time, or some of which could not keep up with their rate.")
                : Optional.empty();
    }

    /** How many runs of each way are doubtful, and why, for the ways that have such runs. */
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

    /** What the bars in these plots show. */
    static String ofSpread(List<Summary> summaries) {
        List<Spread> spreads = summaries.stream()
                .flatMap(each -> each.averageMicros().or(() -> Optional.of(each.messagesPerSecond())).stream())
                .toList();
        boolean few = spreads.stream().anyMatch(each -> each.sure().isEmpty());
        boolean many = spreads.stream().anyMatch(each -> each.sure().isPresent());
        String all = "Bars reach from their minimum to their maximum.";
        String sure =
                "bars are 95 % confidence intervals of the median, by the sign test, which assumes only that rounds"
                        + " are independent of each other.";
        if (!many) {
            return all;
        }
        return (few ? all + " From " + Spread.LEAST_RUNS + " runs on, " : "Here, ") + sure;
    }

    /** The points that could not keep up with their rate, and the rate that they reached. */
    static List<String> behind(List<Summary> summaries) {
        return summaries.stream()
                .filter(each -> each.behind() > 0)
                .map(each -> Failures.title(each.point()) + ": " + each.behind() + " of " + each.runs()
                        + " runs; of "
                        + Numbers.figure(each.offeredPerSecond().orElseThrow().median())
                        + " round trips a second as few as "
                        + Numbers.figure(each.messagesPerSecond().minimum() / 2) + " came back")
                .toList();
    }

    private static String line(Way way, List<Summary> summaries) {
        int runs = summaries.stream().mapToInt(Summary::runs).sum();
        int unsteady = summaries.stream().mapToInt(Summary::unsteady).sum();
        int apart = summaries.stream().mapToInt(Summary::apart).sum();
        int behind = summaries.stream().mapToInt(Summary::behind).sum();
        List<String> reasons = new ArrayList<>();
        if (unsteady > 0) {
            reasons.add(unsteady + " began before it was steady");
        }
        if (apart > 0) {
            reasons.add(apart + " had connections that were measuring at different times");
        }
        if (behind > 0) {
            reasons.add(behind + " could not keep up with their rate");
        }
        return way.title() + ": of " + runs + " runs " + String.join(", ", reasons);
    }
}
