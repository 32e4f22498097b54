// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.instructions;

/** Counts rows of UCX with JUCX, in the testbed. Arguments: rows as {@link UcxRow#spec} says them. */
public final class JucxProgram {

    private JucxProgram() {}

    /**
     * Prints a line for each row.
     *
     * @param args rows
     */
    public static void main(String... args) {
        UcxProgram.run(JucxLoops::new, args);
    }
}
