// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import java.lang.foreign.MemorySegment;

/** Reads the data of a message when UCX has it: see {@link UcpPackedData#unpacking}. */
@FunctionalInterface
public interface UcpUnpacker {

    /**
     * Reads a part of the data. UCX passes each part once, not always in order. Called on the worker's thread, inside a
     * receive or {@link UcpWorker#progress()}. It may neither progress the worker nor close it.
     *
     * @param offset where the part begins in the data, in bytes
     * @param source the part, read-only; accessible until this returns
     */
    void unpack(long offset, MemorySegment source);
}
