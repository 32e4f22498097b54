// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.instructions;

/** What is counted in one line of the table. */
interface Row {

    /** As the table and the options name it. */
    String title();

    /** As the programs are told it, and as they answer. */
    String spec();
}
