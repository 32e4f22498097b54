// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.internal.HotPath;

/**
 * Objects by a number that is not 0, in open addressing: to find one allocates nothing and takes no lock. Thread-safe.
 *
 * @param <T> what is in it
 */
final class NumberTable<T> {

    private static final int FEWEST = 16; // places; a power of two
    private static final int GOLDEN = 0x9e37_79b9;

    /**
     * At most half of the places are in use. A number stays where it is when its object is removed, or those behind it would
     * not be found.
     */
    private static final class Places {
        final int[] numbers;
        final Object[] objects;

        Places(int count) {
            numbers = new int[count];
            objects = new Object[count];
        }

        /** Where a number is, or could be put. */
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

    /** Written after each change, so that who reads it sees what was changed before. */
    private volatile Places places = new Places(FEWEST);

    private int inUse; // places, also of numbers whose object was removed

    /** The object of a number; null when there is none. */
    @HotPath
    @SuppressWarnings("unchecked") // only add() puts something in
    T find(int number) {
        Places now = places;
        return (T) now.objects[now.of(number)];
    }

    /** Adds an object; one of the same number is forgotten. */
    synchronized void add(int number, T object) {
        Places now = places;
        if (2 * (inUse + 1) > now.numbers.length) {
            now = cleaned(now);
        }
        put(now, number, object);
        places = now;
    }

    private void put(Places into, int number, Object object) {
        int at = into.of(number);
        into.objects[at] = object; // before the number, which makes it found
        if (into.numbers[at] == 0) {
            into.numbers[at] = number;
            inUse++;
        }
    }

    /** What is still there, with at least as much room again. */
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

    /** Removes an object, but not another one that has got its number since. */
    @SuppressWarnings("ReferenceEquality") // the object itself
    synchronized void remove(int number, T object) {
        Places now = places;
        int at = now.of(number);
        if (now.objects[at] == object) {
            now.objects[at] = null;
            places = now;
        }
    }
}
