package dev.isthmus.cm;

import java.time.Duration;

/** A point in time until which something may take. */
final class Deadline {

    private static final Duration MAX = Duration.ofDays(36_500);

    private final Duration length;
    private final long end;

    private Deadline(Duration length) {
        this.length = length;
        this.end = System.nanoTime() + (length.compareTo(MAX) < 0 ? length : MAX).toNanos();
    }

    static Deadline after(Duration length) {
        if (!length.isPositive()) {
            throw new IllegalArgumentException("a deadline must be positive, not " + length);
        }
        return new Deadline(length);
    }

    /** What is left, zero or less when it has passed. */
    Duration left() {
        return Duration.ofNanos(end - System.nanoTime());
    }

    boolean hasPassed() {
        return end - System.nanoTime() <= 0;
    }

    /** What is left, but not more than something else, and at least a millisecond. */
    Duration leftAtMost(Duration most) {
        Duration left = left();
        Duration shorter = left.compareTo(most) < 0 ? left : most;
        return shorter.compareTo(Duration.ofMillis(1)) < 0 ? Duration.ofMillis(1) : shorter;
    }

    Duration length() {
        return length;
    }
}
