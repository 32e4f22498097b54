// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Detects when a program that is compiled while it runs has become steady: the figures of the last slices are within a
 * tolerance of the smallest of them, and the compilers were all but idle meanwhile.
 */
final class Steady {

    /** How many slices must agree. */
    static final int SLICES = 3;

    /** By how much the largest may exceed the smallest. */
    static final double TOLERANCE = 0.08;

    /** The most of a slice's time that the compilers of both ends may have taken together. */
    static final double COMPILING = 0.1;

    private record Slice(double figure, double compiling) {}

    private final Deque<Slice> last = new ArrayDeque<>();

    /** Notes a slice: its figure, how long it took, and for how long compilers were at work. */
    void add(double figure, double seconds, long compileMillis) {
        if (last.size() == SLICES) {
            last.removeFirst();
        }
        last.addLast(new Slice(figure, compileMillis / (1e3 * seconds)));
    }

    boolean isSteady() {
        if (last.size() < SLICES) {
            return false;
        }
        double min = last.stream().mapToDouble(Slice::figure).min().orElseThrow();
        double max = last.stream().mapToDouble(Slice::figure).max().orElseThrow();
        return max <= min * (1 + TOLERANCE) && last.stream().allMatch(slice -> slice.compiling() <= COMPILING);
    }
}
