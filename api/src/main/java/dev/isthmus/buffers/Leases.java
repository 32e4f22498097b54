// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.buffers;

import java.util.Arrays;

/**
 * The leases of a cache, by number: a generation (31 bits), which changes when the lease ends, and an index (32). The
 * caller holds the cache's lock. Allocates only when there are more leases than ever before.
 */
final class Leases<M> {

    private static final int GENERATION_SHIFT = 32;
    private static final int FEW = 16;
    private static final int NONE = -1;

    private CachedRegistration<M>[] registrations = array(FEW);
    private long[] offsets = new long[FEW];
    private long[] lengths = new long[FEW];
    private int[] generations = new int[FEW];
    private int[] following = new int[FEW]; // the next free one, for free ones
    private int firstFree = NONE;
    private int used;
    private int out;

    @SuppressWarnings("unchecked")
    private static <M> CachedRegistration<M>[] array(int length) {
        return (CachedRegistration<M>[]) new CachedRegistration<?>[length];
    }

    /** Begins a lease of a part of a registration. */
    long begin(CachedRegistration<M> of, long offset, long length) {
        int index = firstFree;
        if (index == NONE) {
            index = used == offsets.length ? grow() : used;
            used = index + 1;
            generations[index] = 1;
        } else {
            firstFree = following[index];
        }
        registrations[index] = of;
        offsets[index] = offset;
        lengths[index] = length;
        out++;
        return (long) generations[index] << GENERATION_SHIFT | index;
    }

    private int grow() {
        int length = offsets.length;
        registrations = Arrays.copyOf(registrations, 2 * length);
        offsets = Arrays.copyOf(offsets, 2 * length);
        lengths = Arrays.copyOf(lengths, 2 * length);
        generations = Arrays.copyOf(generations, 2 * length);
        following = Arrays.copyOf(following, 2 * length);
        return length;
    }

    /** The index of a lease in use, or -1. */
    int index(long lease) {
        int index = (int) lease;
        boolean isOut = index >= 0
                && index < used
                && generations[index] == (int) (lease >>> GENERATION_SHIFT)
                && registrations[index] != null;
        return isOut ? index : NONE;
    }

    CachedRegistration<M> registration(int index) {
        return registrations[index];
    }

    long offset(int index) {
        return offsets[index];
    }

    long length(int index) {
        return lengths[index];
    }

    /** Ends a lease. */
    CachedRegistration<M> end(int index) {
        CachedRegistration<M> of = registrations[index];
        registrations[index] = null;
        generations[index] = generations[index] == Integer.MAX_VALUE ? 1 : generations[index] + 1;
        following[index] = firstFree;
        firstFree = index;
        out--;
        return of;
    }

    /** How many are in use. */
    int out() {
        return out;
    }
}
