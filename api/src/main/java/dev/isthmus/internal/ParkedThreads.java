// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * Unparks virtual threads when their file descriptors are readable, with one platform thread in {@code epoll_wait} for
 * all of them. Programs without such virtual threads do not have it. Thread-safe.
 */
public final class ParkedThreads {

    private static final int MAX_EVENTS = 256;
    private static final int EPOLL = Posix.epoll();

    /** The threads that wait for each descriptor. Guarded by itself, like the set that {@link #EPOLL} watches. */
    private static final Map<Integer, List<Thread>> WAITING = new HashMap<>();

    static {
        Thread.ofPlatform().daemon().name("isthmus-wait").start(ParkedThreads::serve);
    }

    private ParkedThreads() {}

    /**
     * Unparks a thread, once, when a descriptor is readable; immediately if it is readable now. The thread keeps the
     * descriptor open, and calls {@link #unregister} when it stops waiting.
     */
    public static void unparkWhenReadable(int fd, Thread thread) {
        synchronized (WAITING) {
            List<Thread> threads = WAITING.get(fd);
            boolean known = threads != null;
            if (!known) {
                threads = new ArrayList<>(1);
            }
            Posix.watchOnce(EPOLL, fd, known);
            WAITING.put(fd, threads);
            if (!threads.contains(thread)) {
                threads.add(thread);
            }
        }
    }

    /** Notes that the thread has stopped waiting. */
    public static void unregister(int fd, Thread thread) {
        synchronized (WAITING) {
            List<Thread> threads = WAITING.get(fd);
            if (threads != null && threads.remove(thread) && threads.isEmpty()) {
                WAITING.remove(fd);
                Posix.unwatch(EPOLL, fd);
            }
        }
    }

    private static void serve() {
        var ready = new long[MAX_EVENTS];
        while (true) {
            int count = Posix.awaitReady(EPOLL, ready);
            synchronized (WAITING) {
                for (int i = 0; i < count; i++) {
                    WAITING.getOrDefault((int) ready[i], List.of()).forEach(LockSupport::unpark);
                }
            }
        }
    }
}
