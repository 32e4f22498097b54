// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import java.util.stream.IntStream;

/** The sizes of the runs of a test. */
final class Sizes {

    private Sizes() {}

    /** The one that was asked for, or the powers of two from 2 on. */
    static int[] of(Plan plan) {
        int most = plan.traffic().bytes();
        return plan.traffic().allSizes()
                ? IntStream.iterate(2, bytes -> bytes <= most, bytes -> 2 * bytes)
                        .toArray()
                : new int[] {most};
    }
}
