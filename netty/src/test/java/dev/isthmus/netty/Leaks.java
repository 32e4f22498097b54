// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.util.ResourceLeakDetector;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Netty's strictest leak detection, from when this is opened until it is closed: it fails if a buffer was not released. */
final class Leaks implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(ResourceLeakDetector.class.getName()); // kept, with its handler

    private final ResourceLeakDetector.Level before = ResourceLeakDetector.getLevel();
    private final List<String> reports = new CopyOnWriteArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord record) {
            reports.add(record.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    Leaks() {
        LOG.addHandler(handler);
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
    }

    @Override
    public void close() {
        var canary = new WeakReference<>(new Object());
        while (canary.get() != null) {
            System.gc();
        }
        RdmaByteBufAllocator.DEFAULT.directBuffer().release(); // reports what the collector has found
        ResourceLeakDetector.setLevel(before);
        LOG.removeHandler(handler);
        assertEquals(List.of(), reports);
    }
}
