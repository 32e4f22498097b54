// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf;

/** A command that stands for a program in C, whose flags may be typed here by habit. */
public interface Counterpart {

    /** The program, for messages. */
    String program();

    /** Whether the program has a flag that this command has not; the word is as it was typed, maybe with a value. */
    boolean lacks(String word);

    /** A word without the value that may be written behind a flag. */
    static String flagOf(String word) {
        return word.startsWith("--") ? word.replaceFirst("=.*", "") : word.substring(0, Math.min(2, word.length()));
    }
}
