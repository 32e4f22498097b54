// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

/**
 * A rate limit that the sender itself keeps, by gaps between bursts.
 *
 * @param rate how much per second
 * @param units g for gigabits, M for mebibytes, p for messages
 * @param burst messages without a gap
 */
record RateLimit(double rate, String units, int burst) {

    /** From the beginning of one burst to that of the next. */
    long gapNanos(int bytes) {
        double messages = switch (units) {
            case "g" -> rate * 1e9 / (8.0 * bytes);
            case "M" -> rate * (1 << 20) / bytes;
            default -> rate;
        };
        return (long) (1e9 * burst / messages);
    }
}
