// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import dev.isthmus.verbs.MemoryRegion;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/**
 * Memory that is granted to the peer as a whole: half of the ring, or as much that stands in for a half of which the
 * program still keeps something. It can be granted again once nobody holds it: neither the stream, which has read all
 * of it, nor a {@link Loan}.
 */
final class ReceiveBlock {

    private static final VarHandle HOLDS;

    static {
        try {
            HOLDS = MethodHandles.lookup().findVarHandle(ReceiveBlock.class, "holds", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final MemoryRegion region;
    private final ByteBuffer bytes; // of the region, in big-endian order
    private final int start; // in the region

    @SuppressWarnings("unused") // by the variable handle: loans end on any thread
    private volatile int holds;

    ReceiveBlock(MemoryRegion region, ByteBuffer bytes, int start) {
        this.region = region;
        this.bytes = bytes;
        this.start = start;
    }

    MemoryRegion region() {
        return region;
    }

    ByteBuffer bytes() {
        return bytes;
    }

    /** Where it begins in its region. */
    int start() {
        return start;
    }

    void hold() {
        HOLDS.getAndAdd(this, 1);
    }

    /** Ends a hold; returns whether it was the last. */
    boolean letGo() {
        return (int) HOLDS.getAndAdd(this, -1) == 1;
    }
}
