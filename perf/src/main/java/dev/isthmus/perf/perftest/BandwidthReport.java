// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.perftest;

import java.util.Locale;

/** perftest's bandwidth columns, to the letter. */
final class BandwidthReport {

    /** Below it, in gigabits, perftest prints more digits. */
    private static final double SMALL = 0.1;

    private BandwidthReport() {}

    static String columns(boolean gbits) {
        String unit = gbits ? "Gb/sec" : "MB/sec";
        return " #bytes     #iterations    BW peak[" + unit + "]    BW average[" + unit + "]   MsgRate[Mpps]";
    }

    static String row(Bandwidth figures, boolean precise) {
        return String.format(
                Locale.ROOT,
                precise
                        ? " %-7d    %d           %-7.6f            %-7.6f            %-7.6f"
                        : " %-7d    %-10d       %-7.2f            %-7.2f\t\t   %-7.6f",
                figures.bytes(),
                figures.iterations(),
                figures.peak(),
                figures.average(),
                figures.messageRate());
    }

    static String json(Bandwidth figures, boolean precise) {
        return String.format(
                Locale.ROOT,
                precise
                        ? "MsgSize: %d,\nn_iterations: %d,\nBW_peak: %.6f,\nBW_average: %.6f,\nMsgRate: %.6f,\n"
                        : "MsgSize: %d,\nn_iterations: %d,\nBW_peak: %.2f,\nBW_average: %.2f,\nMsgRate: %.6f,\n",
                figures.bytes(),
                figures.iterations(),
                figures.peak(),
                figures.average(),
                figures.messageRate());
    }

    /** Decides like perftest, by this end's average. */
    static boolean isPrecise(Bandwidth mine, boolean gbits) {
        return gbits && mine.average() < SMALL;
    }
}
