// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

/** What a call transfers: a {@link Buffer} or {@link Blocks}. */
public sealed interface Data permits Buffer, Blocks {

    /**
     * The memory.
     *
     * @return the buffer itself, or that of the blocks
     */
    Buffer memory();
}
