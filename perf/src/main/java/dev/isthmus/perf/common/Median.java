// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.common;

import java.util.stream.DoubleStream;

/** The median, for all figures of the suite that are medians of rounds or runs. */
public final class Median {

    private Median() {}

    /** The value in the middle, or the mean of the two in the middle, of one value or more. */
    public static double of(DoubleStream values) {
        double[] sorted = values.sorted().toArray();
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
