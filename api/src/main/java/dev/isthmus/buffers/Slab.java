// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.buffers;

import dev.isthmus.internal.HotPath;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A piece of registered memory, cut into slices of one size. Any thread takes and releases slices without a lock: the
 * free ones form a list whose head is one number, changed by compare-and-set.
 *
 * <p>A slice in use has a number: its generation (31 bits), the index of its slab (16), and its own index (16). The
 * generation changes when the last reference is released, so a stale number differs from that of the slice's next user.
 */
final class Slab<M> {

    /** The most slices of a slab. */
    static final int MAX_SLICES = 0xffff;

    /** The position of the slab's index in the number of a slice. */
    static final int INDEX_SHIFT = 16;

    private static final int INDEX_MASK = 0xffff;
    private static final int NONE = 0xffff;

    // The head: the number of its changes (32 bits), the number of free slices (16), and the first free slice (16).
    private static final long CHANGE = 1L << 32;
    private static final int FREE_SHIFT = 16;
    private static final long FREE = 1L << FREE_SHIFT;
    private static final int HEAD = 16; // in the middle of an array, so that it shares no cache line with other fields
    private static final int HEAD_ROOM = 2 * HEAD;

    // The state of a slice: its generation (31 bits) and its reference count (32).
    private static final int GENERATION_SHIFT = 32;
    private static final long MAX_GENERATIONS = Integer.MAX_VALUE;

    private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);

    private final M memory;
    private final long base; // the slab's part of all numbers
    private final int capacity;
    private final long stride;
    private final MemorySegment[] segments;
    private final long[] states;
    private final int[] following; // the next free slice, for free ones
    private final long[] head = new long[HEAD_ROOM];
    private volatile boolean retired; // changed under the pool's lock

    /**
     * Creates a slab whose slices are all free.
     *
     * @param index of the slab in its pool
     * @param firstGeneration above all generations of the slab that had this index before
     * @param stride the distance between slices
     */
    Slab(M memory, MemorySegment all, int index, int firstGeneration, int capacity, long sliceBytes, long stride) {
        this.memory = memory;
        this.base = (long) index << INDEX_SHIFT;
        this.capacity = capacity;
        this.stride = stride;
        this.segments = new MemorySegment[capacity];
        this.states = new long[capacity];
        this.following = new int[capacity];
        for (int i = 0; i < capacity; i++) {
            segments[i] = all.asSlice(i * stride, sliceBytes);
            states[i] = (long) firstGeneration << GENERATION_SHIFT;
            following[i] = i + 1 < capacity ? i + 1 : NONE;
        }
        head[HEAD] = ((long) capacity << FREE_SHIFT) | (capacity > 0 ? 0 : NONE);
    }

    /** A slab without slices. */
    static <M> Slab<M> empty() {
        return new Slab<>(null, MemorySegment.NULL, 0, 1, 0, 0, 0);
    }

    M memory() {
        return memory;
    }

    int capacity() {
        return capacity;
    }

    /** How many slices are free; 0 while it is retired. */
    int free() {
        return (int) ((long) LONGS.getVolatile(head, HEAD) >>> FREE_SHIFT) & INDEX_MASK;
    }

    /** Takes a slice, with one reference; returns its number, or 0 if none is free. */
    @HotPath
    long tryAcquire() {
        long now;
        int first;
        long next;
        do {
            now = (long) LONGS.getVolatile(head, HEAD);
            first = (int) now & INDEX_MASK;
            if (first == NONE) {
                return 0;
            }
            // If another thread takes this slice meanwhile, its successor is wrong; but then the head has changed, too.
            next = ((now + CHANGE - FREE) & ~(long) INDEX_MASK) | following[first];
        } while (!LONGS.compareAndSet(head, HEAD, now, next));
        long state = states[first]; // no other thread writes it now
        LONGS.setRelease(states, first, state + 1);
        return state | base | first;
    }

    @HotPath
    private void free(int slice) {
        long now;
        long next;
        do {
            now = (long) LONGS.getVolatile(head, HEAD);
            following[slice] = (int) now & INDEX_MASK;
            next = ((now + CHANGE + FREE) & ~(long) INDEX_MASK) | slice;
        } while (!LONGS.compareAndSet(head, HEAD, now, next));
    }

    /** Adds a reference; returns false if no slice in use has this number. */
    @HotPath
    boolean retain(long number) {
        int slice = (int) number & INDEX_MASK;
        if (slice >= capacity) {
            return false;
        }
        long state;
        do {
            state = (long) LONGS.getAcquire(states, slice);
            if (!isUsed(state, number)) {
                return false;
            }
            if ((int) state == Integer.MAX_VALUE) {
                throw new IllegalStateException("a slice has too many references");
            }
        } while (!LONGS.compareAndSet(states, slice, state, state + 1));
        return true;
    }

    /** Removes a reference; returns how many are left, or -1 if no slice in use has this number. */
    @HotPath
    int release(long number) {
        int slice = (int) number & INDEX_MASK;
        if (slice >= capacity) {
            return -1;
        }
        long state;
        long next;
        do {
            state = (long) LONGS.getAcquire(states, slice);
            if (!isUsed(state, number)) {
                return -1;
            }
            next = (int) state == 1 ? nextGeneration(state) : state - 1;
        } while (!LONGS.compareAndSet(states, slice, state, next));
        if ((int) next == 0) {
            free(slice);
        }
        return (int) next;
    }

    private static long nextGeneration(long state) {
        long generation = state >>> GENERATION_SHIFT;
        return (generation == MAX_GENERATIONS ? 1 : generation + 1) << GENERATION_SHIFT; // never 0: nor is a number
    }

    @HotPath
    private static boolean isUsed(long state, long number) {
        return (state ^ number) >>> GENERATION_SHIFT == 0 && (int) state != 0;
    }

    /** The index of a slice in use within this slab; -1 if no slice in use has this number. */
    @HotPath
    int index(long number) {
        int slice = (int) number & INDEX_MASK;
        return slice < capacity && isUsed((long) LONGS.getAcquire(states, slice), number) ? slice : -1;
    }

    @HotPath
    MemorySegment segment(int slice) {
        return segments[slice];
    }

    @HotPath
    long offset(int slice) {
        return slice * stride;
    }

    /**
     * Stops handing out slices, if all are free.
     *
     * @return whether all were free
     */
    boolean retire() {
        long now;
        do {
            now = (long) LONGS.getVolatile(head, HEAD);
            if (((int) (now >>> FREE_SHIFT) & INDEX_MASK) != capacity) {
                return false;
            }
        } while (!LONGS.compareAndSet(head, HEAD, now, ((now + CHANGE) & -CHANGE) | NONE));
        retired = true;
        return true;
    }

    /** Whether it is retired. */
    boolean isRetired() {
        return retired;
    }

    /** Takes {@link #retire} back. */
    void restore() {
        for (int i = 0; i < capacity; i++) {
            following[i] = i + 1 < capacity ? i + 1 : NONE;
        }
        retired = false;
        long now = (long) LONGS.getVolatile(head, HEAD); // nobody changes it: there is nothing to take or release
        LONGS.setVolatile(head, HEAD, ((now + CHANGE) & -CHANGE) | ((long) capacity << FREE_SHIFT));
    }

    /** A generation that no slice of this retired slab has had. */
    int generationAfter() {
        long highest = 0;
        for (long state : states) {
            highest = Math.max(highest, state >>> GENERATION_SHIFT);
        }
        return (int) (highest == MAX_GENERATIONS ? 1 : highest + 1);
    }
}
