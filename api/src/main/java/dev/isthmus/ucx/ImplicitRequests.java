// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.internal.HotPath;

/**
 * The outstanding operations of a worker whose number the program did not get, oldest first, as they end in about that
 * order. The program does not ask about them. So each new operation asks about the oldest ones, and an ended flush asks
 * about all.
 */
final class ImplicitRequests {

    private static final int MAX_QUERIES = 2; // more than one, so that they become fewer

    private final Operations operations;
    private RequestSlot[] ring = new RequestSlot[16]; // a power of two
    private int head;
    private int size;

    ImplicitRequests(Operations operations) {
        this.operations = operations;
    }

    @HotPath
    int size() {
        return size;
    }

    /** Adds an operation that C has begun, and forgets old ones that have ended. */
    @HotPath
    void add(RequestSlot slot) {
        for (int i = 0; i < MAX_QUERIES && size > 0 && operations.hasEnded(ring[head]); i++) {
            operations.free(ring[head]);
            head = (head + 1) & (ring.length - 1);
            size--;
        }
        if (size == ring.length) {
            grow();
        }
        ring[(head + size) & (ring.length - 1)] = slot;
        size++;
    }

    /** Forgets all ended operations. */
    void sweep() {
        int all = size;
        int mask = ring.length - 1;
        int from = head;
        size = 0;
        for (int i = 0; i < all; i++) {
            RequestSlot slot = ring[(from + i) & mask];
            if (operations.hasEnded(slot)) {
                operations.free(slot);
            } else {
                ring[(from + size) & mask] = slot;
                size++;
            }
        }
    }

    private void grow() {
        var larger = new RequestSlot[2 * ring.length];
        for (int i = 0; i < size; i++) {
            larger[i] = ring[(head + i) & (ring.length - 1)];
        }
        ring = larger;
        head = 0;
    }
}
