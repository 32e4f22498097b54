// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

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

    /** The results, for the JSON. */
    static Map<String, Object> results(Bandwidth figures, boolean precise) {
        int decimals = precise ? 6 : 2;
        var results = new LinkedHashMap<String, Object>();
        results.put("MsgSize", figures.bytes());
        results.put("n_iterations", figures.iterations());
        results.put("BW_peak", CFormat.rounded(figures.peak(), decimals));
        results.put("BW_average", CFormat.rounded(figures.average(), decimals));
        results.put("MsgRate", CFormat.rounded(figures.messageRate(), 6));
        return results;
    }

    /** Decides like perftest, by this end's average. */
    static boolean isPrecise(Bandwidth mine, boolean gbits) {
        return gbits && mine.average() < SMALL;
    }
}
