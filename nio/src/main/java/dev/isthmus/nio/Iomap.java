// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import dev.isthmus.nio.stream.Iomaps;
import java.lang.foreign.MemorySegment;

/**
 * Memory that the peer of a socket may write into without a read on this side: what {@code riomap} of rsocket(7)
 * creates. {@link RdmaSocketChannel#iomap} maps it, and the peer writes by {@link RdmaSocketChannel#iowrite} or, in C,
 * {@code riowrite}.
 *
 * <p>The memory is pinned, and counts against {@code ulimit -l}. It is freed when you close this or, at the latest,
 * when the channel has been closed and its connection has ended; do not use it after that. Any thread may use it.
 */
public final class Iomap implements AutoCloseable {

    private final Iomaps.Mapping mapping;
    private final long offset;

    Iomap(Iomaps.Mapping mapping, long offset) {
        this.mapping = mapping;
        this.offset = offset;
    }

    /**
     * The memory, zeroed at first. This side gets no message when the peer has written. Read what the peer sends next,
     * which arrives after its earlier writes, or look at the last byte with
     * {@link java.lang.invoke.VarHandle#getVolatile}.
     *
     * @return the segment
     */
    public MemorySegment segment() {
        return mapping.segment();
    }

    /**
     * The offset by which the peer addresses the first byte.
     *
     * @return the offset
     */
    public long offset() {
        return offset;
    }

    /**
     * Unmaps it: {@code riounmap}. As in C, the peer gets no message, and a later write of it resets the connection:
     * agree with the peer first. Does nothing if it is closed already.
     *
     * @throws IllegalStateException if another thread is in a call that uses the memory
     * @throws dev.isthmus.VerbsException if it cannot be deregistered; you can try again
     */
    @Override
    public void close() {
        mapping.close();
    }

    /** The class, the offset and the number of bytes. */
    @Override
    public String toString() {
        return "Iomap[offset=" + offset + " bytes=" + segment().byteSize() + "]";
    }
}
