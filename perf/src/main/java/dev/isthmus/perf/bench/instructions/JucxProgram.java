// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.instructions;

/** Counts rows of UCX with JUCX, in the testbed. Arguments: rows in the form of {@link UcxRow#spec}. */
public final class JucxProgram {

    private JucxProgram() {}

    /** Prints a line for each row. */
    public static void main(String... args) {
        UcxProgram.run(JucxLoops::new, args);
    }
}
