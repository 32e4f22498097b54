// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.loop;

import java.util.TreeSet;

/** The timers of a loop, the next one first. Thread-safe. */
final class Timers {

    private final TreeSet<Timer> waiting = new TreeSet<>(); // guarded by this, like the next fields
    private long numbers;
    private volatile Timer next; // null if there is none

    synchronized Timer add(long due, Runnable task) {
        var timer = new Timer(this, due, ++numbers, task);
        waiting.add(timer);
        next = waiting.first();
        return timer;
    }

    synchronized boolean remove(Timer timer) {
        boolean waited = waiting.remove(timer);
        next = waiting.isEmpty() ? null : waiting.first();
        return waited;
    }

    /** Whether a timer is due next. */
    boolean isNext(Timer timer) {
        return timer.equals(next);
    }

    /** Nanoseconds until the next timer is due; 0 or less if one is due; {@link Long#MAX_VALUE} if there is none. */
    long nanosLeft() {
        Timer first = next;
        return first == null ? Long.MAX_VALUE : first.due() - System.nanoTime();
    }

    /** Runs at most this many timers that are due; returns whether there was one. */
    boolean run(int most) {
        int ran = 0;
        Timer first = next;
        while (ran < most && first != null && first.due() - System.nanoTime() <= 0) {
            if (remove(first)) {
                ran++;
                first.run();
            }
            first = next;
        }
        return ran > 0;
    }

    synchronized void clear() {
        waiting.clear();
        next = null;
    }
}
