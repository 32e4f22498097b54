// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.compare;

import java.util.Arrays;
import java.util.Optional;

/** The middle and the ends of what several runs measured. */
record Spread(double median, double minimum, double maximum) {

    /** Of no runs there is none. */
    static Optional<Spread> of(double... values) {
        if (values.length == 0) {
            return Optional.empty();
        }
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return Optional.of(new Spread(median, sorted[0], sorted[sorted.length - 1]));
    }

    /** All three by another unit. */
    Spread dividedBy(double unit) {
        return new Spread(median / unit, minimum / unit, maximum / unit);
    }
}
