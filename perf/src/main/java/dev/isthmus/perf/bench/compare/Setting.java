// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Where, with what and how a comparison measures: figures of different settings do not belong in one report.
 *
 * @param lines the machine, versions and the date, by name, in the order of the report
 * @param options how it measures
 * @param points what to measure, in the order of the plan
 */
record Setting(Map<String, String> lines, Comparison.Options options, List<Point> points) {

    /** The names of the lines that may differ when a comparison is resumed. */
    static final String DATE = "date";

    static final String LOAD = "load of the machine when it began";
    static final String CLOCK = "nanoseconds of System.nanoTime()";

    Setting {
        lines = Collections.unmodifiableMap(new LinkedHashMap<>(lines));
        points = List.copyOf(points);
    }

    /** How these lines differ in anything but the date and the load, as a sentence; empty if they do not. */
    Optional<String> difference(Map<String, String> now) {
        Set<String> names = new LinkedHashSet<>(lines.keySet());
        names.addAll(now.keySet());
        names.removeAll(Set.of(DATE, LOAD, CLOCK));
        for (String name : names) {
            String was = lines.get(name);
            String is = now.get(name);
            if (!Objects.equals(was, is)) {
                return Optional.of(name + " was " + quoted(was) + " and is " + quoted(is));
            }
        }
        return Optional.empty();
    }

    private static String quoted(String value) {
        return value == null ? "not there" : "\"" + value + "\"";
    }
}
