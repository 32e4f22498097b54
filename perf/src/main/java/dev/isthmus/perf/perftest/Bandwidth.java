// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.perftest;

/**
 * What a bandwidth test has measured, in perftest's terms; it also comes from the peer.
 *
 * @param bytes the size of a message
 * @param iterations how many, of all queue pairs
 * @param peak the highest between two points of time, in the unit of the report, 0 when it was not looked for
 * @param average over the whole run
 * @param messageRate millions per second
 */
public record Bandwidth(long bytes, long iterations, double peak, double average, double messageRate) {

    /**
     * Checks that they are numbers.
     *
     * @throws IllegalArgumentException if one is negative or not finite
     */
    public Bandwidth {
        boolean counts = bytes >= 0 && iterations >= 0;
        if (!counts || !isSane(peak) || !isSane(average) || !isSane(messageRate)) {
            throw new IllegalArgumentException("not a report: " + bytes + " bytes, " + iterations + " iterations, peak "
                    + peak + ", average " + average + ", message rate " + messageRate);
        }
    }

    private static boolean isSane(double value) {
        return value >= 0 && Double.isFinite(value);
    }

    /** Both directions together, as perftest adds them. */
    Bandwidth plus(Bandwidth other) {
        return new Bandwidth(
                bytes, iterations, peak + other.peak, average + other.average, messageRate + other.messageRate);
    }
}
