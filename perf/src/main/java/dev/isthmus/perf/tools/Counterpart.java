// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools;

import java.util.Set;

/** A command that stands for a C program, whose flags users may type out of habit. */
public interface Counterpart {

    /** The program, for messages. */
    String program();

    /** The flags that the program has and this command lacks; docs/perf.md also lists them. */
    Set<String> absent();

    /** Whether the program has a flag that this command lacks; the word is as typed, perhaps with a value. */
    default boolean lacks(String word) {
        return absent().contains(flagOf(word));
    }

    /** A word without the value that may follow a flag. */
    static String flagOf(String word) {
        return word.startsWith("--") ? word.replaceFirst("=.*", "") : word.substring(0, Math.min(2, word.length()));
    }
}
