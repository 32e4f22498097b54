// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import java.util.Arrays;

/** Keys by number; numbers are reused. Not thread-safe. */
final class WatchedKeys {

    private RdmaSelectionKey[] keys = new RdmaSelectionKey[16];
    private int[] free = new int[16]; // a stack of unused numbers
    private int freeCount;

    WatchedKeys() {
        free(0);
    }

    private void free(int from) {
        for (int i = keys.length - 1; i >= from; i--) {
            free[freeCount++] = i;
        }
    }

    int add(RdmaSelectionKey key) {
        if (freeCount == 0) {
            int before = keys.length;
            keys = Arrays.copyOf(keys, 2 * before);
            free = new int[2 * before];
            free(before);
        }
        int number = free[--freeCount];
        keys[number] = key;
        return number;
    }

    /** The key with a number; null if it is gone. */
    RdmaSelectionKey get(int number) {
        return keys[number];
    }

    void remove(int number) {
        keys[number] = null;
        free[freeCount++] = number;
    }
}
