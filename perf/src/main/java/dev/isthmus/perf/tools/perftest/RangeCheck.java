// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

/** Ranges of numbers, as in perftest. */
final class RangeCheck {

    private RangeCheck() {}

    static int check(String what, int value, int min, int max) {
        require(value >= min && value <= max, what + " must be between " + min + " and " + max + ", not " + value);
        return value;
    }

    static void require(boolean right, String otherwise) {
        if (!right) {
            throw new IllegalArgumentException(otherwise);
        }
    }
}
