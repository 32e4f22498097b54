// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.instructions;

/** One line of the table. */
interface Row {

    /** The name in the table and in options. */
    String title();

    /** The name in the programs' arguments and output. */
    String spec();
}
