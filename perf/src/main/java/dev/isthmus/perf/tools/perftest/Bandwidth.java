// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

/**
 * The result of a bandwidth test, in perftest's terms. The peer sends one, too.
 *
 * @param bytes the size of a message
 * @param iterations how many, of all queue pairs
 * @param peak the highest bandwidth between two points in time, in the unit of the report; 0 if it was not measured
 * @param average over the whole run
 * @param messageRate millions per second
 */
public record Bandwidth(long bytes, long iterations, double peak, double average, double messageRate) {

    /** Checks that no number is negative or not finite: the peer's may be anything. */
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
