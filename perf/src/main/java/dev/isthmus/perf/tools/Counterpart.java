// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools;

/** A command that stands for a C program, whose flags users may type out of habit. */
public interface Counterpart {

    /** The program, for messages. */
    String program();

    /** Whether the program has a flag that this command lacks; the word is as typed, perhaps with a value. */
    boolean lacks(String word);

    /** A word without the value that may follow a flag. */
    static String flagOf(String word) {
        return word.startsWith("--") ? word.replaceFirst("=.*", "") : word.substring(0, Math.min(2, word.length()));
    }
}
