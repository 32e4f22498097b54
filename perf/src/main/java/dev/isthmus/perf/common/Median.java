// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.common;

import java.util.OptionalDouble;
import java.util.stream.DoubleStream;

/** The median, for all figures of the suite that are medians of rounds or runs. */
public final class Median {

    private Median() {}

    /** The value in the middle, or the mean of the two in the middle; empty for no values. */
    public static OptionalDouble of(DoubleStream values) {
        double[] sorted = values.sorted().toArray();
        int middle = sorted.length / 2;
        if (sorted.length == 0) {
            return OptionalDouble.empty();
        }
        return OptionalDouble.of(sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2);
    }
}
