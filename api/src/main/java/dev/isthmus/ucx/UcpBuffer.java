// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.internal.ArenaUse;
import dev.isthmus.internal.HotPath;
import java.lang.foreign.MemorySegment;

/** A part of one segment, for operations with options: {@code ucp_dt_make_contig(1)}. */
public final class UcpBuffer extends UcpPayload {

    private final MemorySegment segment;
    private long offset;
    private long length;
    private ArenaUse use; // while C uses it, if its arena is guarded

    private UcpBuffer(UcpWorker worker, MemorySegment segment) {
        super(worker, RequestMemory.CONTIGUOUS_BYTES);
        this.segment = segment;
        this.length = segment.byteSize();
    }

    /**
     * A whole segment.
     *
     * @param worker the worker whose operations use it
     * @param segment off the heap; checked by each operation
     * @return the buffer
     * @throws IllegalStateException if the worker is closed
     * @throws WrongThreadException if the worker belongs to another thread
     */
    public static UcpBuffer of(UcpWorker worker, MemorySegment segment) {
        return new UcpBuffer(worker, segment);
    }

    /**
     * Sets the part of the segment that operations use from now on. Operations that have begun are not affected.
     *
     * @param offset where the part begins, in bytes
     * @param length how long it is; may be 0
     * @return this
     * @throws IndexOutOfBoundsException if the part is not within the segment
     * @throws WrongThreadException if the worker belongs to another thread
     */
    @HotPath
    public UcpBuffer range(long offset, long length) {
        worker().owner().check();
        BufferChecks.checkRange(segment, offset, length);
        this.offset = offset;
        this.length = length;
        return this;
    }

    @Override
    public UcpBuffer options(UcpOperationOption... options) {
        super.options(options);
        return this;
    }

    @Override
    @HotPath
    public UcpBuffer userData(long data) {
        super.userData(data);
        return this;
    }

    @Override
    public UcpBuffer memoryType(UcpMemoryType type) {
        super.memoryType(type);
        return this;
    }

    @Override
    public long byteSize() {
        return length;
    }

    @Override
    @HotPath
    long count() {
        return length;
    }

    @Override
    @HotPath
    long address(boolean toWrite) {
        return toWrite
                ? BufferChecks.writable(segment, offset, length)
                : BufferChecks.readable(segment, offset, length);
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // that very one
    boolean isUsing(ArenaUse one) {
        return one == use;
    }

    @Override
    @HotPath
    void hold(Operations operations) {
        use = operations.hold(segment);
    }

    @Override
    @HotPath
    void release() {
        if (use != null) {
            use.end();
            use = null;
        }
    }

    /** The buffer as it appears in error messages. */
    @Override
    public String toString() {
        return "UcpBuffer(" + length + " bytes)";
    }
}
