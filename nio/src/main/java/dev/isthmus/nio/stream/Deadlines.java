// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

/** Until when to wait, as a value of {@link System#nanoTime}. */
public final class Deadlines {

    /** Not at all. */
    public static final long NEVER = Long.MIN_VALUE;

    /** As long as it takes. */
    public static final long EVER = Long.MAX_VALUE;

    private Deadlines() {}

    /**
     * The end of a time that begins now.
     *
     * @param millis the time in milliseconds; 0 for as long as it takes
     * @return the deadline
     */
    public static long after(long millis) {
        return millis == 0 ? EVER : System.nanoTime() + millis * 1_000_000;
    }
}
