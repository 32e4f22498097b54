// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.direct;

import dev.isthmus.perf.common.Median;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/** What {@link DirectProgram} has printed of one way, in all rounds. */
final class WayResults {

    /** By operation; more than one if rounds differed. */
    final Map<String, SortedSet<String>> results = new LinkedHashMap<>();

    final Map<String, List<Double>> times = new LinkedHashMap<>();

    void take(String line) throws IOException {
        if (line.startsWith(DirectProgram.RESULT)) {
            String[] words = words(line.substring(DirectProgram.RESULT.length()));
            results.computeIfAbsent(words[0], name -> new TreeSet<>()).add(words[1]);
        } else if (line.startsWith(DirectProgram.TIME)) {
            String[] words = words(line.substring(DirectProgram.TIME.length()));
            times.computeIfAbsent(words[0], name -> new ArrayList<>()).add(Double.valueOf(words[1]));
        } else {
            throw new IOException("the measured JVM printed: " + line);
        }
    }

    private static String[] words(String line) {
        return line.split(DirectProgram.IS, 2);
    }

    /** In words. */
    String result(String operation) {
        SortedSet<String> all = results.get(operation);
        return all == null ? "nothing" : String.join(" or ", all);
    }

    double median(String name) {
        return Median.of(times.get(name).stream().mapToDouble(Double::doubleValue))
                .orElseThrow();
    }
}
