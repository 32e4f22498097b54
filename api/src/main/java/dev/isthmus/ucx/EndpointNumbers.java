// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.internal.HotPath;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * The endpoints of one worker by the numbers that C has as their user data. A number is used only once, so the number
 * of a closed endpoint finds nothing.
 */
final class EndpointNumbers {

    private static final int INDEX_BITS = 32;

    private UcpEndpoint[] endpoints = new UcpEndpoint[8];
    private long[] ids = new long[8]; // of each place; for a free place, its next id
    private int[] free = new int[8];
    private int freeCount;

    EndpointNumbers() {
        fill(0);
    }

    long add(UcpEndpoint endpoint) {
        if (freeCount == 0) {
            int old = endpoints.length;
            endpoints = Arrays.copyOf(endpoints, 2 * old);
            ids = Arrays.copyOf(ids, 2 * old);
            free = Arrays.copyOf(free, 2 * old);
            fill(old);
        }
        int place = free[--freeCount];
        endpoints[place] = endpoint;
        return ids[place];
    }

    void remove(long id) {
        if (get(id) != null) {
            int place = (int) id;
            endpoints[place] = null;
            ids[place] += 1L << INDEX_BITS;
            free[freeCount++] = place;
        }
    }

    /** The endpoint of a number, or null. */
    @HotPath
    UcpEndpoint get(long id) {
        int place = (int) id;
        return place >= 0 && place < ids.length && ids[place] == id ? endpoints[place] : null;
    }

    /** Visits all endpoints. */
    void forEach(Consumer<UcpEndpoint> action) {
        for (UcpEndpoint endpoint : endpoints) {
            if (endpoint != null) {
                action.accept(endpoint);
            }
        }
    }

    // The lowest place is on top, and no number is 0.
    private void fill(int from) {
        for (int place = endpoints.length - 1; place >= from; place--) {
            ids[place] = (1L << INDEX_BITS) | place;
            free[freeCount++] = place;
        }
    }
}
