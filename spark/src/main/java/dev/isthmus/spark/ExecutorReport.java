// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What an executor has done over UCX so far. It goes to the driver in the JDK's types, which every class loader knows.
 *
 * @param executor its name in Spark
 * @param host where it is
 * @param transports the transports of its connections, as UCX names them
 * @param figures by their names in the metrics system
 */
record ExecutorReport(String executor, String host, String transports, Map<String, Long> figures) {

    private static final String MARK = "report";

    List<Object> message() {
        return List.of(MARK, executor, host, transports, new TreeMap<>(figures));
    }

    /** Reads a report; empty if the message is something else. */
    static Optional<ExecutorReport> of(Object message) {
        if (!(message instanceof List<?> words)
                || words.size() != 5
                || !words.get(0).equals(MARK)) {
            return Optional.empty();
        }
        var figures = new TreeMap<String, Long>();
        ((Map<?, ?>) words.get(4)).forEach((name, figure) -> figures.put((String) name, (Long) figure));
        return Optional.of(
                new ExecutorReport((String) words.get(1), (String) words.get(2), (String) words.get(3), figures));
    }

    long figure(String name) {
        return figures.getOrDefault(name, 0L);
    }

    /** Everything that Spark's own transfer did not bring. */
    long bytes() {
        return figure("bytesInline") + figure("bytesByGet") + bytesByVerbs();
    }

    long bytesByVerbs() {
        return figure("verbs.bytesRead");
    }
}
