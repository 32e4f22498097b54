// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Collects warnings, and worse, from the log until this is closed. */
public final class Warnings implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger("dev.isthmus.nio"); // kept, or its handler would be lost

    private final List<String> all = new CopyOnWriteArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord entry) {
            if (entry.getLevel().intValue() >= Level.WARNING.intValue()) {
                all.add(entry.getMessage());
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    /** Starts to collect. */
    public Warnings() {
        LOG.addHandler(handler);
    }

    /**
     * The warnings so far.
     *
     * @return the messages
     */
    public List<String> all() {
        return List.copyOf(all);
    }

    @Override
    public void close() {
        LOG.removeHandler(handler);
    }
}
