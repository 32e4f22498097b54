// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.isthmus.bindings.ibverbs.ibv_sge;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.NativeMemory;
import dev.isthmus.internal.verbs.Buffers;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.Objects;

/**
 * The buffers of a request: an array of {@code struct ibv_sge} in the request's memory, and the regions that contain
 * them. Every range is checked against its region when it is set, so posting need not check it.
 */
final class ScatterGatherList implements Buffers<MemoryRegion, ProtectionDomain> {

    private static final long ELEMENT = ibv_sge.sizeof();

    private static final long ADDR = ibv_sge.addr$offset();
    private static final long LENGTH = ibv_sge.length$offset();
    private static final long LKEY = ibv_sge.lkey$offset();

    /** The length has 32 bits, but some drivers use the highest one as a mark of their own. */
    private static final long MAX_LENGTH = Integer.MAX_VALUE;

    private final MemorySegment elements;
    private final long address; // of the array, which is this list's own, so it is written by address
    private final MemoryRegion[] regions;
    private final long[] offsets;
    private final boolean writes;
    private int count;
    private int readOnly; // how many elements the device must not write to
    private long total;

    /**
     * Creates an empty list.
     *
     * @param arena owns its memory
     * @param max how many elements it can have
     * @param writes whether the device will write to the buffers, so that their regions must allow it
     */
    ScatterGatherList(Arena arena, int max, boolean writes) {
        this.elements = arena.allocate(ibv_sge.layout(), Math.max(1, max));
        this.address = elements.address();
        this.regions = new MemoryRegion[max];
        this.offsets = new long[max];
        this.writes = writes;
    }

    /** Whether setting an element to a region changes nothing that inspections check. */
    @HotPath
    boolean hasLike(int index, MemoryRegion region) {
        return index >= 0 && index < count && region.isLike(regions[index]);
    }

    /** Sets an element, or appends one. */
    @Override
    @HotPath
    public void set(int index, MemoryRegion region, long offset, long length) {
        Objects.checkIndex(index, Math.min(count + 1, regions.length));
        checkRange(region, offset, length);
        if (writes && !region.isWritable()) {
            throw notWritable(region);
        }
        long replaced = 0;
        if (index < count) {
            replaced = length(index);
            readOnly -= regions[index].isWritable() ? 0 : 1;
        }
        readOnly += region.isWritable() ? 0 : 1;
        elements.set(JAVA_INT, index * ELEMENT + LKEY, region.lkey());
        put(index, region, offset, length);
        regions[index] = region;
        total += length - replaced;
        count = Math.max(count, index + 1);
    }

    /** Moves the only element. */
    @HotPath
    void range(long offset, long length) {
        MemoryRegion region = soleRegion();
        checkRange(region, offset, length);
        put(0, region, offset, length);
        total = length;
    }

    /** Sets the length of the only element. */
    @HotPath
    void length(long length) {
        soleRegion();
        range(offsets[0], length);
    }

    @HotPath
    private void put(int index, MemoryRegion region, long offset, long length) {
        long element = (address & NativeMemory.ANY_ADDRESS) + index * ELEMENT; // the caller has checked the index
        try {
            NativeMemory.setLong(element + ADDR, region.address() + offset);
            NativeMemory.setInt(element + LENGTH, (int) length);
        } finally {
            Reference.reachabilityFence(this);
        }
        offsets[index] = offset;
    }

    @HotPath
    private MemoryRegion soleRegion() {
        if (count != 1) {
            throw new IllegalStateException("the request has " + count + " buffers: say which one by sge(index, ...)");
        }
        return regions[0];
    }

    /** Checks that all regions are of a domain, or a part of the same. */
    @Override
    public void checkDomain(ProtectionDomain of, Object queue) {
        for (int i = 0; i < count; i++) {
            checkDomain(regions[i], of, queue);
        }
    }

    @HotPath
    static void checkDomain(MemoryRegion region, ProtectionDomain of, Object queue) {
        if (!of.reaches(region.protectionDomain())) {
            throw foreign(region, queue);
        }
    }

    private static IllegalArgumentException foreign(MemoryRegion region, Object queue) {
        return new IllegalArgumentException(region + " is of another protection domain than " + queue
                + ", which could not reach it: register the memory in that domain");
    }

    static void checkRange(MemoryRegion region, long offset, long length) {
        if (offset < 0 || length < 0 || length > region.length() - offset || length > MAX_LENGTH) {
            throw outside(region, offset, length);
        }
    }

    private static IndexOutOfBoundsException outside(MemoryRegion region, long offset, long length) {
        return new IndexOutOfBoundsException("offset " + offset + " and length " + length + " are not within " + region
                + (length > MAX_LENGTH ? "; one buffer holds less than 2 GiB" : ""));
    }

    static IllegalArgumentException notWritable(MemoryRegion region) {
        return new IllegalArgumentException(
                region + " was registered without LOCAL_WRITE: the device may not write to it");
    }

    /** Copies the content of the elements; returns its length. */
    @HotPath
    long gather(MemorySegment to) {
        long length = 0;
        for (int i = 0; i < count; i++) {
            MemorySegment.copy(regions[i].segment(), offsets[i], to, length, length(i));
            length += length(i);
        }
        return length;
    }

    @HotPath
    long address(int index) {
        return elements.get(JAVA_LONG, index * ELEMENT + ADDR);
    }

    @HotPath
    long length(int index) {
        return Integer.toUnsignedLong(elements.get(JAVA_INT, index * ELEMENT + LENGTH));
    }

    /** Checks that all regions can still be used. */
    @Override
    @HotPath
    public void checkUsable() {
        for (int i = 0; i < count; i++) {
            regions[i].checkUsable();
        }
    }

    /** Checks that the device may write to all buffers. */
    @HotPath
    void checkWritable() {
        if (readOnly > 0) {
            throw notWritable(firstReadOnly());
        }
    }

    private MemoryRegion firstReadOnly() {
        int i = 0;
        while (regions[i].isWritable()) {
            i++;
        }
        return regions[i];
    }

    /** Checks that the processor can copy the buffers from the device's addresses. */
    @HotPath
    void checkCopyable() {
        for (int i = 0; i < count; i++) {
            if (!regions[i].isHostAddressed()) {
                throw notCopyable(regions[i]);
            }
        }
    }

    static IllegalArgumentException notCopyable(MemoryRegion region) {
        return new IllegalArgumentException(
                region + " is not at the address of memory of this process, from where inline data, and the headers of"
                        + " raw packets, are copied: send it without inline, or from a region that was registered without"
                        + " an address");
    }

    @HotPath
    MemoryRegion region(int index) {
        return regions[index];
    }

    @HotPath
    int count() {
        return count;
    }

    /** The length of the message, in bytes. */
    @Override
    @HotPath
    public long total() {
        return total;
    }

    @Override
    public long address() {
        return address;
    }
}
