package dev.isthmus.verbs;

import java.time.Duration;

/** A point in time until which something may take. */
final class Deadline {

    private static final Duration MAX = Duration.ofDays(365);

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

    /** Rounded up, so that 0 means that it has passed. */
    long millisLeft() {
        return Math.max(0, Math.ceilDiv(end - System.nanoTime(), 1_000_000L));
    }

    /** Its length, for messages. */
    @Override
    public String toString() {
        return length.toMillis() + " ms";
    }
}
