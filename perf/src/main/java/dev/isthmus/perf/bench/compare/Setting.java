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
 * @param lines the machine, versions, flags and the date, by name, in the order of the report
 * @param points what to measure, in the order of the plan
 */
record Setting(Map<String, String> lines, List<Point> points) {

    /** The names of the lines that may differ when a comparison is resumed. */
    static final String DATE = "date";

    static final String LOAD = "load of the machine when it began";

    Setting {
        lines = Collections.unmodifiableMap(new LinkedHashMap<>(lines));
        points = List.copyOf(points);
    }

    /** How another setting differs in anything but the date and the load, as a sentence; empty if it does not. */
    Optional<String> difference(Setting now) {
        Set<String> names = new LinkedHashSet<>(lines.keySet());
        names.addAll(now.lines.keySet());
        names.removeAll(Set.of(DATE, LOAD));
        for (String name : names) {
            String was = lines.get(name);
            String is = now.lines.get(name);
            if (!Objects.equals(was, is)) {
                return Optional.of(name + " was " + quoted(was) + " and is " + quoted(is));
            }
        }
        if (!points.equals(now.points)) {
            return Optional.of(
                    "the points to measure were " + points.size() + ", and are others, " + now.points.size() + ", now");
        }
        return Optional.empty();
    }

    private static String quoted(String value) {
        return value == null ? "not there" : "\"" + value + "\"";
    }
}
