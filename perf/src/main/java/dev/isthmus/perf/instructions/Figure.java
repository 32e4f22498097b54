// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.instructions;

import java.util.Arrays;

/**
 * What an operation takes.
 *
 * @param instructions of the best block: what disturbs a block, such as a tick of the kernel's clock, only adds
 * @param bytes allocated on the Java heap
 */
record Figure(double instructions, double bytes) {

    /** Of the words of a program's line, after the row: bytes, then a value for each block. */
    static Figure of(String[] words, int from) {
        double best = Arrays.stream(words, from + 1, words.length)
                .mapToDouble(Double::parseDouble)
                .min()
                .orElseThrow(() -> new IllegalArgumentException("no values: " + String.join(" ", words)));
        return new Figure(best, Double.parseDouble(words[from]));
    }
}
