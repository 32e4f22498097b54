// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

/** Deadlines of waits, as values of {@link System#nanoTime}. */
public final class Deadlines {

    /** Does not wait. */
    public static final long NEVER = Long.MIN_VALUE;

    /** Waits without a limit. */
    public static final long EVER = Long.MAX_VALUE;

    private Deadlines() {}

    /**
     * The deadline at the end of a time that begins now.
     *
     * @param millis the time in milliseconds; 0 for no limit
     * @return the deadline
     */
    public static long after(long millis) {
        return millis == 0 ? EVER : System.nanoTime() + millis * 1_000_000;
    }
}
