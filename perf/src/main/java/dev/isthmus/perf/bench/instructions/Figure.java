// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.instructions;

import java.util.Arrays;

/**
 * The cost of an operation.
 *
 * @param instructions those of the best block: disturbances, such as a tick of the kernel's clock, only
 *     add instructions
 * @param bytes allocated on the Java heap
 */
record Figure(double instructions, double bytes) {

    /** Reads the words of a program's line after the row: bytes, then a value for each block. */
    static Figure of(String[] words, int from) {
        double best = Arrays.stream(words, from + 1, words.length)
                .mapToDouble(Double::parseDouble)
                .min()
                .orElseThrow(() -> new IllegalArgumentException("no values: " + String.join(" ", words)));
        return new Figure(best, Double.parseDouble(words[from]));
    }
}
