// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.bindings.ucx.ucp_dt_iov;
import dev.isthmus.bindings.ucx.ucp_h;
import dev.isthmus.internal.ArenaUse;
import dev.isthmus.internal.HotPath;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/**
 * Parts of segments, in order, that one message is sent from or received into: an array of {@code ucp_dt_iov_t} in C's
 * memory, filled once and changed in place. See {@link UcpPayload}.
 *
 * <pre>{@code
 * var message = UcpIov.allocate(worker, 2).add(header, 0, 16).add(body, 0, length);
 * long send = endpoint.tagSend(message, tag);
 * }</pre>
 */
public final class UcpIov extends UcpPayload {

    private static final long ENTRY_BYTES = ucp_dt_iov.layout().byteSize();

    private final MemorySegment entries;
    private final MemorySegment[] segments; // the whole segments, so that they and their arenas are held
    private ArenaUse[] uses; // of the segments' arenas, while C uses the list; null if none was ever guarded
    private int size;
    private long bytes;

    private UcpIov(UcpWorker worker, int capacity) {
        super(worker, ucp_h.UCP_DATATYPE_IOV());
        // Freed when neither the program nor an operation holds this object.
        this.entries = ucp_dt_iov.allocateArray(capacity, Arena.ofAuto());
        this.segments = new MemorySegment[capacity];
    }

    /**
     * Reserves room for parts; the list is empty.
     *
     * @param worker the worker whose operations use it
     * @param capacity how many parts there can be
     * @return the list
     * @throws IllegalArgumentException if the capacity is less than 1
     * @throws IllegalStateException if the worker is closed
     * @throws WrongThreadException if the worker belongs to another thread
     */
    public static UcpIov allocate(UcpWorker worker, int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException("a list of " + capacity + " parts");
        }
        return new UcpIov(worker, capacity);
    }

    /**
     * Adds a part at the end. A part of no bytes is left out.
     *
     * @param segment off the heap, of an arena that this thread may access; writable if it is received into
     * @param offset where the part begins in the segment, in bytes
     * @param length how long it is
     * @return this
     * @throws IllegalArgumentException if the segment is on the heap
     * @throws IndexOutOfBoundsException if the part is not within the segment, or the list is full
     * @throws IllegalStateException if an operation uses the list, or the segment's arena is closed
     * @throws WrongThreadException if the worker or the segment belongs to another thread
     */
    @HotPath
    public UcpIov add(MemorySegment segment, long offset, long length) {
        checkChangeable();
        long address = BufferChecks.readable(segment, offset, length);
        if (length != 0) {
            if (size == segments.length) {
                throw new IndexOutOfBoundsException(this + " has as many parts as can be");
            }
            write(size++, segment, address, length);
            bytes += length;
        }
        return this;
    }

    /**
     * Changes a part.
     *
     * @param index of the part, in the order of adding
     * @param segment off the heap, of an arena that this thread may access; writable if it is received into
     * @param offset where the part begins in the segment, in bytes
     * @param length how long it is, at least 1
     * @return this
     * @throws IllegalArgumentException if the segment is on the heap, or the length is 0
     * @throws IndexOutOfBoundsException if there is no such part, or it is not within the segment
     * @throws IllegalStateException if an operation uses the list, or the segment's arena is closed
     * @throws WrongThreadException if the worker or the segment belongs to another thread
     */
    @HotPath
    public UcpIov set(int index, MemorySegment segment, long offset, long length) {
        checkChangeable();
        Objects.checkIndex(index, size);
        if (length == 0) {
            throw new IllegalArgumentException("part " + index + " of no bytes: leave it out");
        }
        long address = BufferChecks.readable(segment, offset, length);
        bytes += length - entries.get(ValueLayout.JAVA_LONG, index * ENTRY_BYTES + Long.BYTES);
        write(index, segment, address, length);
        return this;
    }

    /**
     * Removes all parts.
     *
     * @return this
     * @throws IllegalStateException if an operation uses the list
     * @throws WrongThreadException if the worker belongs to another thread
     */
    @HotPath
    public UcpIov clear() {
        checkChangeable();
        while (size > 0) {
            segments[--size] = null;
        }
        bytes = 0;
        return this;
    }

    /**
     * How many parts there are.
     *
     * @return the number, without parts of no bytes
     */
    public int size() {
        return size;
    }

    @Override
    public UcpIov options(UcpOperationOption... options) {
        super.options(options);
        return this;
    }

    @Override
    @HotPath
    public UcpIov userData(long data) {
        super.userData(data);
        return this;
    }

    @Override
    public UcpIov memoryType(UcpMemoryType type) {
        super.memoryType(type);
        return this;
    }

    @Override
    public long byteSize() {
        return bytes;
    }

    @Override
    @HotPath
    long count() {
        return size;
    }

    @Override
    @HotPath
    long address(boolean toWrite) {
        for (int i = 0; i < size; i++) {
            if (toWrite) {
                BufferChecks.writable(segments[i], 0, 0);
            } else {
                BufferChecks.readable(segments[i], 0, 0);
            }
        }
        return entries.address();
    }

    @Override
    long queried() {
        return entries.address();
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // that very one
    boolean isUsing(ArenaUse one) {
        boolean any = false;
        for (int i = 0; uses != null && i < uses.length; i++) {
            any |= uses[i] == one;
        }
        return any;
    }

    @Override
    @HotPath
    void hold(Operations operations) {
        if (uses == null) {
            uses = new ArenaUse[segments.length];
        }
        boolean all = false;
        try {
            for (int i = 0; i < size; i++) {
                uses[i] = operations.hold(segments[i]);
            }
            all = true;
        } finally {
            if (!all) {
                release();
            }
        }
    }

    @Override
    @HotPath
    void release() {
        if (uses == null) {
            return;
        }
        for (int i = 0; i < size; i++) {
            ArenaUse.endOf(uses[i]);
            uses[i] = null;
        }
    }

    @HotPath
    private void write(int index, MemorySegment segment, long address, long length) {
        entries.set(ValueLayout.JAVA_LONG, index * ENTRY_BYTES, address);
        entries.set(ValueLayout.JAVA_LONG, index * ENTRY_BYTES + Long.BYTES, length);
        segments[index] = segment;
    }

    /** The list as it appears in error messages. */
    @Override
    public String toString() {
        return "UcpIov(" + size + " parts, " + bytes + " bytes)";
    }
}
