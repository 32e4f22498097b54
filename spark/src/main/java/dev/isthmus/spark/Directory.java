// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark;

import java.io.Serial;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Where each executor is. The driver knows, and executors ask it once for each other executor. Messages consist of the
 * JDK's types, which every class loader knows.
 */
final class Directory {

    private static final String REGISTER = "register";
    private static final String FIND = "find";

    /** The driver tells a new executor this many others, which it connects to at once. */
    static final int MAX_FIRST = 8;

    /** An executor remembers this many others, those from which it has fetched last. */
    static final int MAX_KNOWN = 10_000;

    private final Function<Object, Object> driver;
    private final Map<String, Optional<ExecutorNodes>> known = Collections.synchronizedMap(new Newest<>());

    private static final class Newest<V> extends LinkedHashMap<String, V> {
        @Serial
        private static final long serialVersionUID = 1;

        Newest() {
            super(16, 0.75f, true);
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, V> eldest) {
            return size() > MAX_KNOWN;
        }
    }

    /** The directory as an executor sees it. */
    Directory(Function<Object, Object> driver) {
        this.driver = driver;
    }

    /**
     * Tells the driver where this executor is, before it runs a task. Returns some of the others, at most {@link
     * #MAX_FIRST}.
     */
    List<ExecutorNodes> register(String executor, ExecutorNodes nodes) {
        var others = new ArrayList<ExecutorNodes>();
        if (driver.apply(List.of(REGISTER, executor, nodes.words())) instanceof List<?> answer) {
            answer.forEach(other -> ExecutorNodes.of(other).ifPresent(others::add));
        }
        return others;
    }

    /**
     * Where an executor is. Empty if that executor did not register before it ran tasks; it never will then. If the
     * driver does not answer, throws what that call throws, and asks again the next time. No lock is held while the
     * driver is asked.
     */
    Optional<ExecutorNodes> find(String executor) {
        Optional<ExecutorNodes> nodes = known.get(executor);
        if (nodes != null) {
            return nodes;
        }
        Optional<ExecutorNodes> answer = ExecutorNodes.of(driver.apply(List.of(FIND, executor)));
        Optional<ExecutorNodes> before = known.putIfAbsent(executor, answer);
        return before == null ? answer : before;
    }

    /** The directory in the driver. */
    static final class Master {
        private final Map<String, List<String>> nodes = new ConcurrentHashMap<>();

        /** Answers an executor. */
        Object receive(Object message) {
            if (message instanceof List<?> words
                    && words.size() == 3
                    && words.get(0).equals(REGISTER)) {
                List<List<String>> others =
                        nodes.values().stream().limit(MAX_FIRST).toList();
                nodes.put(
                        (String) words.get(1),
                        ExecutorNodes.of(words.get(2)).orElseThrow().words());
                return others;
            }
            if (message instanceof List<?> words
                    && words.size() == 2
                    && words.get(0).equals(FIND)) {
                return nodes.getOrDefault((String) words.get(1), List.of());
            }
            throw new IllegalArgumentException("not a message from an executor: " + message);
        }

        /** An executor is gone. Another one never gets its name. */
        void remove(String executor) {
            nodes.remove(executor);
        }
    }
}
