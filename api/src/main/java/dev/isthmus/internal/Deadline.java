// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal;

import java.time.Duration;

/** The point in time by which something must end. Thread-safe. */
public final class Deadline {

    /** Longer deadlines end then, as the clock counts nanoseconds in 64 bits. */
    private static final Duration MAX = Duration.ofDays(365);

    private static final long NANOS_PER_MILLI = 1_000_000;

    private final Duration length;
    private final long end;

    private Deadline(Duration length) {
        this.length = length;
        this.end = System.nanoTime() + (length.compareTo(MAX) < 0 ? length : MAX).toNanos();
    }

    /**
     * The deadline after this time.
     *
     * @throws IllegalArgumentException if it is zero or negative
     */
    public static Deadline after(Duration length) {
        if (!length.isPositive()) {
            throw new IllegalArgumentException("a deadline must be positive, not " + length);
        }
        return new Deadline(length);
    }

    /** The time left; zero or less if it has passed. */
    public Duration left() {
        return Duration.ofNanos(end - System.nanoTime());
    }

    /** The time left in milliseconds, rounded up, so 0 means that it has passed. */
    public long millisLeft() {
        return Math.max(0, Math.ceilDiv(end - System.nanoTime(), NANOS_PER_MILLI));
    }

    /** The time left, at most the given time and at least a millisecond. */
    public Duration leftAtMost(Duration most) {
        Duration left = left();
        Duration shorter = left.compareTo(most) < 0 ? left : most;
        return shorter.compareTo(Duration.ofMillis(1)) < 0 ? Duration.ofMillis(1) : shorter;
    }

    /** Whether nothing is left. */
    public boolean hasPassed() {
        return end - System.nanoTime() <= 0;
    }

    /** The whole time, from the beginning. */
    public Duration length() {
        return length;
    }

    /** Its length, for messages. */
    @Override
    public String toString() {
        return length.toMillis() + " ms";
    }
}
