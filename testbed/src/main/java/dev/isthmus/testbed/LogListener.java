// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.testbed;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** Hears what a logger logs, from when this is made until it is closed. */
public final class LogListener implements AutoCloseable {

    private final Logger logger; // kept, or its handler would be lost
    private final Level before;
    private final Handler handler;
    private final List<String> messages;

    /**
     * Keeps the {@linkplain #messages() messages}.
     *
     * @param name the logger's
     * @param least the least level, which becomes the logger's if that is higher
     */
    public LogListener(String name, Level least) {
        this(name, least, new CopyOnWriteArrayList<>());
    }

    private LogListener(String name, Level least, List<String> messages) {
        this(name, least, record -> messages.add(new SimpleFormatter().formatMessage(record)), messages);
    }

    /**
     * Passes on what is logged, and keeps nothing.
     *
     * @param name the logger's
     * @param least the least level, which becomes the logger's if that is higher
     * @param each gets what is logged, on the threads that log
     */
    public LogListener(String name, Level least, Consumer<LogRecord> each) {
        this(name, least, each, List.of());
    }

    private LogListener(String name, Level least, Consumer<LogRecord> each, List<String> messages) {
        this.messages = messages;
        logger = Logger.getLogger(name);
        before = logger.getLevel();
        handler = new Handler() {
            @Override
            public void publish(LogRecord record) {
                if (isLoggable(record)) {
                    each.accept(record);
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        handler.setLevel(least);
        if (!logger.isLoggable(least)) {
            logger.setLevel(least);
        }
        logger.addHandler(handler);
    }

    /**
     * The messages so far, with their parameters, if they are kept.
     *
     * @return a list that grows, and may be cleared
     */
    public List<String> messages() {
        return messages;
    }

    @Override
    public void close() {
        logger.removeHandler(handler);
        logger.setLevel(before);
    }
}
