// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.internal.HotPath;
import java.util.Arrays;

/** The endpoints of a program by C's handles; a look-up allocates nothing. */
final class EndpointTable {

    private static final int FIRST = 16;

    private long[] handles = new long[FIRST]; // sorted
    private UcpEndpoint[] endpoints = new UcpEndpoint[FIRST];
    private int count;

    /** The endpoint, or null if there is none. */
    @HotPath
    UcpEndpoint find(long handle) {
        int index = Arrays.binarySearch(handles, 0, count, handle);
        return index < 0 ? null : endpoints[index];
    }

    /** Adds an endpoint; an earlier one with the same handle is forgotten. */
    void put(long handle, UcpEndpoint endpoint) {
        int index = Arrays.binarySearch(handles, 0, count, handle);
        if (index < 0) {
            index = -1 - index;
            if (count == handles.length) {
                handles = Arrays.copyOf(handles, 2 * count);
                endpoints = Arrays.copyOf(endpoints, 2 * count);
            }
            System.arraycopy(handles, index, handles, index + 1, count - index);
            System.arraycopy(endpoints, index, endpoints, index + 1, count - index);
            handles[index] = handle;
            count++;
        }
        endpoints[index] = endpoint;
    }

    /** Removes an endpoint, unless another one has its handle by now. */
    void remove(long handle, UcpEndpoint endpoint) {
        int index = Arrays.binarySearch(handles, 0, count, handle);
        if (index < 0 || !endpoints[index].equals(endpoint)) {
            return;
        }
        count--;
        System.arraycopy(handles, index + 1, handles, index, count - index);
        System.arraycopy(endpoints, index + 1, endpoints, index, count - index);
        endpoints[count] = null;
    }
}
