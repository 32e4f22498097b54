// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isthmus.testbed.LogListener;
import io.netty.util.ResourceLeakDetector;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.logging.Level;

/** Netty's strictest leak detection, from when this is opened until it is closed: it fails if a buffer was not released. */
final class Leaks implements AutoCloseable {

    private final ResourceLeakDetector.Level before = ResourceLeakDetector.getLevel();
    private final LogListener log = new LogListener(ResourceLeakDetector.class.getName(), Level.INFO);

    Leaks() {
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
        log.close();
        assertEquals(List.of(), log.messages());
    }
}
