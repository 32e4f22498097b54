// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.internal.HotPath;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The slots for a worker's operations: which are free, and the numbers of the others. What becomes of an operation is told
 * by {@link Operations}.
 *
 * <p>An operation is known to the program by a number: slot in bits 0 to 19, 1 in bit 20, generation in 21 to 62. So it is
 * never 0 or negative. Generations repeat after 51 days of one operation a microsecond in one slot. Those of each worker
 * begin far from those of all others, so that none takes a number of another's, nor of an operation that was released.
 */
class RequestSlots {

    static final int MAX_SLOTS = 1 << 20;

    private static final long SLOT_MASK = MAX_SLOTS - 1;
    private static final long NEVER_ZERO = 1L << 20;
    private static final int GENERATION_SHIFT = 21;
    private static final long GENERATION_ONE = 1L << GENERATION_SHIFT; // a carry beyond all of them meets FREE
    private static final long GOLDEN =
            0x9E37_79B9_7F4A_7C15L; // its multiples are spread evenly, however many there are
    private static final long FREE = Long.MIN_VALUE;
    private static final long NONE = 0;
    private static final AtomicLong WORKERS = new AtomicLong();

    private final RequestMemory memory;
    private final long firstHandle;

    private RequestSlot[] slots = {};
    private long free = NONE; // the address of the first of a list by RequestSlot.nextFree: the last freed
    private int inUse;

    /** Reserves slots. */
    RequestSlots(RequestMemory memory, int count) {
        this.memory = memory;
        this.firstHandle = (WORKERS.getAndIncrement() * GOLDEN & -GENERATION_ONE & ~FREE) | NEVER_ZERO;
        add(count);
    }

    /**
     * The address of a free slot, which stays free until {@link #take}: most sends are done at once. The parameters of a
     * send are there.
     */
    @HotPath
    final long next() {
        long address = free;
        return address != NONE ? address : grow();
    }

    /** The slot whose address {@link #next} gives. */
    @HotPath
    final RequestSlot nextSlot() {
        long address = next(); // first: it may make more slots
        return slots[RequestSlot.indexAt(address)];
    }

    /** Takes the slot that {@link #next} gave, and names it. */
    @HotPath
    final long take(RequestSlot slot) {
        remove(slot);
        long handle = slot.handle & ~FREE;
        slot.handle = handle;
        return handle;
    }

    /** Takes the slot that {@link #next} gave, and names it to nobody. */
    @HotPath
    final void takeImplicit(RequestSlot slot) {
        remove(slot);
        slot.implicit = true;
    }

    @HotPath
    private void remove(RequestSlot slot) {
        free = slot.nextFree;
        inUse++;
    }

    @HotPath
    private void add(RequestSlot slot) {
        // Most often the list behind it is still the same. A store that changes nothing would be in the way of the
        // loads that follow it soon.
        if (slot.nextFree != free) {
            slot.nextFree = free;
        }
        free = slot.address;
        inUse--;
    }

    /** Frees a slot whose request C has completed. */
    @HotPath
    final void free(RequestSlot slot) {
        slot.handle = (slot.handle + GENERATION_ONE) | FREE;
        slot.implicit = false;
        add(slot);
    }

    /** Gives the operation of a slot another number: the one that the program has is stale from now on. */
    final long rename(RequestSlot slot) {
        slot.handle = (slot.handle + GENERATION_ONE) & ~FREE;
        return slot.handle;
    }

    /** The slot of a handle, or null if it is no outstanding operation of this worker. */
    @HotPath
    final RequestSlot find(long handle) {
        int index = (int) (handle & SLOT_MASK);
        RequestSlot[] all = slots;
        if (handle <= 0 || Integer.compareUnsigned(index, all.length) >= 0) { // compared as the JIT does for all[index]
            return null;
        }
        RequestSlot slot = all[index];
        return slot.handle == handle ? slot : null;
    }

    /** The slot that a number leads to, whatever it is used for; null if there is none. */
    final RequestSlot at(long handle) {
        int index = (int) (handle & SLOT_MASK);
        return index < slots.length ? slots[index] : null;
    }

    /** All slots, free ones too. */
    final RequestSlot[] all() {
        return slots;
    }

    final int inUse() {
        return inUse;
    }

    /**
     * Keeps the slot that {@link #next} gave away from whoever is called back during a call that begins an operation:
     * C may have begun it in there.
     *
     * @return what to give {@link #endCallback}; null if there was none
     */
    @HotPath
    final RequestSlot beginCallback() {
        RequestSlot kept = null;
        if (free != NONE) {
            kept = nextSlot();
            remove(kept);
        }
        return kept;
    }

    @HotPath
    final void endCallback(RequestSlot kept) {
        if (kept != null) {
            add(kept);
        }
    }

    private long grow() {
        if (slots.length == MAX_SLOTS) {
            throw new IllegalStateException("the worker has " + MAX_SLOTS
                    + " outstanding operations, the most there can be: release() those that are done");
        }
        add(Math.min(slots.length, MAX_SLOTS - slots.length));
        return free;
    }

    private void add(int count) {
        int first = slots.length;
        MemorySegment[] requests = memory.allocate(first, count);
        slots = Arrays.copyOf(slots, first + count);
        for (int i = count - 1; i >= 0; i--) { // the lowest is the first
            var slot = new RequestSlot(first + i, requests[i], firstHandle | (first + i) | FREE);
            slot.nextFree = free;
            free = slot.address;
            slots[slot.index] = slot;
        }
    }
}
