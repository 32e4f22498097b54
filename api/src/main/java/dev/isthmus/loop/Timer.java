// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.loop;

/** A task that an {@link EventLoop} runs once, later: what {@link EventLoop#schedule} returns. */
public final class Timer implements Comparable<Timer> {

    private final Timers timers;
    private final long due; // by System.nanoTime
    private final long number; // orders timers that are due at the same time
    private final Runnable task;

    Timer(Timers timers, long due, long number, Runnable task) {
        this.timers = timers;
        this.due = due;
        this.number = number;
        this.task = task;
    }

    /**
     * Cancels the task, unless it has begun. The loop drops it at once. Thread-safe. Does not block.
     *
     * @return whether it will not run; false if it has begun, or was cancelled before
     */
    public boolean cancel() {
        return timers.remove(this);
    }

    long due() {
        return due;
    }

    void run() {
        task.run();
    }

    @Override
    public int compareTo(Timer other) {
        long later = due - other.due; // may overflow, like nanoTime
        return later != 0 ? Long.signum(later) : Long.compare(number, other.number);
    }

    @Override
    public boolean equals(Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }
}
