// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal;

/**
 * Objects by nonzero number, with open addressing. Finding one allocates nothing and takes no lock. Thread-safe.
 *
 * @param <T> the type of the objects
 */
public final class NumberTable<T> {

    private static final int FEWEST = 16; // places; a power of two
    private static final int GOLDEN = 0x9e37_79b9;

    /**
     * At most half of the places are in use. When an object is removed, its number stays, or later ones would not
     * be found.
     */
    private static final class Places {
        final int[] numbers;
        final Object[] objects;

        Places(int count) {
            numbers = new int[count];
            objects = new Object[count];
        }

        /** The place of a number, or where to put it. */
        @HotPath
        int of(int number) {
            int[] in = numbers;
            int mask = in.length - 1;
            int at = (number * GOLDEN) >>> Integer.numberOfLeadingZeros(mask);
            while (in[at] != number && in[at] != 0) {
                at = (at + 1) & mask;
            }
            return at;
        }
    }

    /** Written after each change, so that its readers see the change. */
    private volatile Places places = new Places(FEWEST);

    private int inUse; // places, including numbers whose object was removed

    /** The object with a number; null if there is none. */
    @HotPath
    @SuppressWarnings("unchecked") // only add() puts something in
    public T find(int number) {
        Places now = places;
        return (T) now.objects[now.of(number)];
    }

    /** Adds an object; an earlier one with the same number is forgotten. */
    public synchronized void add(int number, T object) {
        Places now = places;
        if (2 * (inUse + 1) > now.numbers.length) {
            now = cleaned(now);
        }
        put(now, number, object);
        places = now;
    }

    private void put(Places into, int number, Object object) {
        int at = into.of(number);
        into.objects[at] = object; // before the number, by which it is found
        if (into.numbers[at] == 0) {
            into.numbers[at] = number;
            inUse++;
        }
    }

    /** The remaining objects, with at least as much free room. */
    private Places cleaned(Places old) {
        int live = 0;
        for (Object object : old.objects) {
            live += object == null ? 0 : 1;
        }
        Places fresh = new Places(Math.max(FEWEST, Integer.highestOneBit(live + 1) * 8));
        inUse = 0;
        for (int i = 0; i < old.numbers.length; i++) {
            if (old.objects[i] != null) {
                put(fresh, old.numbers[i], old.objects[i]);
            }
        }
        return fresh;
    }

    /** Removes an object, but not a later one with the same number. */
    @SuppressWarnings("ReferenceEquality") // identity is meant
    public synchronized void remove(int number, T object) {
        Places now = places;
        int at = now.of(number);
        if (now.objects[at] == object) {
            now.objects[at] = null;
            places = now;
        }
    }
}
