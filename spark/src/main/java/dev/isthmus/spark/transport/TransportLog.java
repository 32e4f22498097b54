// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;

/** The log of a transport. Thread-safe. */
final class TransportLog {

    private static final int MAX_DROPPED_LINES = 100;

    private final BiConsumer<String, Throwable> lines;
    private final AtomicInteger dropped = new AtomicInteger(); // messages

    /** The consumer takes messages for people; the exception may be null. */
    TransportLog(BiConsumer<String, Throwable> lines) {
        this.lines = lines;
    }

    void log(String text, Throwable e) {
        lines.accept(text, e);
    }

    void log(String text) {
        lines.accept(text, null);
    }

    /** A message was dropped. A peer can send any number of invalid ones; the log mentions only the first. */
    void dropped(String text) {
        if (dropped.incrementAndGet() <= MAX_DROPPED_LINES) {
            log(text);
        }
    }
}
