// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import java.lang.foreign.MemorySegment;

/** Writes the data of a message when UCX asks for it: see {@link UcpPackedData#packing}. */
@FunctionalInterface
public interface UcpPacker {

    /**
     * Writes a part of the data. UCX asks for all parts in order, each as long as its transport takes. Called on the
     * worker's thread, inside a send or {@link UcpWorker#progress()}, in the middle of a message. So it cannot use the
     * worker and what belongs to it: an {@link IllegalStateException} says so. It may read what they have lent.
     *
     * @param offset where the part begins in the data, in bytes
     * @param target the part; fill all of it. Accessible until this returns
     */
    void pack(long offset, MemorySegment target);
}
