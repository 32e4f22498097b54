// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.internal.HotPath;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The slots of a worker's operations: the free ones, and the numbers of the others. {@link Operations} describes the
 * life of an operation.
 *
 * <p>The program identifies an operation by a number: slot in bits 0 to 19, 1 in bit 20, generation in 21 to 62. So it
 * is never 0 or negative. Generations repeat after 51 days of one operation a microsecond in one slot. Those of each
 * worker begin far from those of all others, so a worker accepts neither another worker's number nor that of a
 * released operation.
 */
class RequestSlots {

    static final int MAX_SLOTS = 1 << 20;

    private static final long SLOT_MASK = MAX_SLOTS - 1;
    private static final long NEVER_ZERO = 1L << 20;
    private static final int GENERATION_SHIFT = 21;
    private static final long GENERATION_ONE = 1L << GENERATION_SHIFT; // a carry out of the generation reaches FREE
    private static final long GOLDEN = 0x9E37_79B9_7F4A_7C15L; // any number of its multiples are spread evenly
    private static final long FREE = Long.MIN_VALUE;
    private static final long NONE = 0;
    private static final AtomicLong WORKERS = new AtomicLong();

    private final RequestMemory memory;
    private final long firstHandle;

    private RequestSlot[] slots = {};
    private long free = NONE; // the first of a list by RequestSlot.nextFree, by address: the last one freed
    private int inUse;
    private boolean sealed;

    RequestSlots(RequestMemory memory, int count) {
        this.memory = memory;
        this.firstHandle = (WORKERS.getAndIncrement() * GOLDEN & -GENERATION_ONE & ~FREE) | NEVER_ZERO;
        add(count);
    }

    /**
     * The address of a free slot, where the parameters of a send are. The slot stays free until {@link #take}, as most
     * sends are done at once.
     */
    @HotPath
    final long next() {
        long address = free;
        return address != NONE ? address : grow();
    }

    /** The slot whose address {@link #next} returns. */
    @HotPath
    final RequestSlot nextSlot() {
        long address = next(); // first, as it may add slots
        return slots[RequestSlot.indexAt(address)];
    }

    /** Takes the slot that {@link #next} returned, and returns its number. */
    @HotPath
    final long take(RequestSlot slot) {
        remove(slot);
        long handle = slot.handle & ~FREE;
        slot.handle = handle;
        return handle;
    }

    /** Takes the slot that {@link #next} returned, without a number for the program. */
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
        // Most often the list after it is unchanged. No store then: docs/instructions.md, "Lines written for the JIT".
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

    /** Gives the operation of a slot a new number: the program's number is stale from now on. */
    final void rename(RequestSlot slot) {
        slot.handle = (slot.handle + GENERATION_ONE) & ~FREE;
    }

    /** The slot of a number, or null if it is not an outstanding operation of this worker. */
    @HotPath
    final RequestSlot find(long handle) {
        int index = (int) (handle & SLOT_MASK);
        RequestSlot[] all = slots;
        if (handle <= 0 || Integer.compareUnsigned(index, all.length) >= 0) { // for the JIT: docs/instructions.md
            return null;
        }
        RequestSlot slot = all[index];
        return slot.handle == handle ? slot : null;
    }

    /** The slot of a number, whatever it is used for; null if there is none. */
    final RequestSlot at(long handle) {
        int index = (int) (handle & SLOT_MASK);
        return index < slots.length ? slots[index] : null;
    }

    /** All slots, including free ones. */
    final RequestSlot[] all() {
        return slots;
    }

    final int inUse() {
        return inUse;
    }

    /**
     * Protects the slot that {@link #next} returned from callbacks during the call that begins the operation: C may
     * have begun it there.
     *
     * @return the argument for {@link #endCallback}; null if there was none
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

    /**
     * Lets no operation begin until {@link #unseal}. No slot may become free meanwhile.
     *
     * @return the argument for {@link #unseal}
     */
    final long seal() {
        long list = free;
        free = NONE;
        sealed = true;
        return list;
    }

    final void unseal(long list) {
        free = list;
        sealed = false;
    }

    private long grow() {
        if (sealed) {
            throw new IllegalStateException("an operation cannot begin " + WorkerCallbacks.PACKING);
        }
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
        for (int i = count - 1; i >= 0; i--) { // so that the lowest comes first
            var slot = new RequestSlot(first + i, requests[i], firstHandle | (first + i) | FREE);
            slot.nextFree = free;
            free = slot.address;
            slots[slot.index] = slot;
        }
    }
}
