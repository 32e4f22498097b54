// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.UcxException;
import dev.isthmus.bindings.ucx.ucp_stream_poll_ep;
import dev.isthmus.internal.HotPath;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/**
 * The streams of a worker's endpoints on which bytes have arrived: {@code ucp_stream_worker_poll}. Each {@link #poll()}
 * fills the same object again, so polling allocates nothing. Confined to the thread of the worker.
 */
public final class UcpReadyStreams {

    private static final long ENTRY_BYTES = ucp_stream_poll_ep.layout().byteSize();
    private static final long USER_DATA = ucp_stream_poll_ep.user_data$offset();

    private final StreamOperations operations;
    private final MemorySegment entries;
    private final UcpEndpoint[] endpoints;
    private int count;

    private UcpReadyStreams(StreamOperations operations, int capacity) {
        this.operations = operations;
        this.entries = ucp_stream_poll_ep.allocateArray(capacity, Arena.ofAuto());
        this.endpoints = new UcpEndpoint[capacity];
    }

    /**
     * Reserves room.
     *
     * @param worker the worker whose endpoints are polled
     * @param capacity how many streams one poll reports at most; the next one reports the rest
     * @return the room, empty
     * @throws IllegalArgumentException if the capacity is less than 1
     * @throws IllegalStateException if the context was created without {@link UcpFeature#STREAM}
     */
    public static UcpReadyStreams of(UcpWorker worker, int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException("room for " + capacity + " streams");
        }
        worker.streams().checkEnabled();
        return new UcpReadyStreams(worker.streams(), capacity);
    }

    /**
     * Polls for streams that have bytes to receive. It reports a stream once, and again only when more has arrived
     * after you have received all of it: so receive everything. Does not progress the worker.
     *
     * @return how many there are
     * @throws IllegalStateException if the worker is closed
     * @throws WrongThreadException if it belongs to another thread
     * @throws UcxException if UCX refuses
     */
    @HotPath
    public int poll() {
        long found = operations.poll(entries.address(), endpoints.length);
        while (count > 0) {
            endpoints[--count] = null;
        }
        for (int i = 0; i < found; i++) {
            long id = entries.get(ValueLayout.JAVA_LONG, i * ENTRY_BYTES + USER_DATA);
            UcpEndpoint endpoint = operations.endpoint(id);
            if (endpoint != null) {
                endpoints[count++] = endpoint;
            }
        }
        return count;
    }

    /**
     * How many streams the last poll reported.
     *
     * @return the number
     */
    @HotPath
    public int size() {
        return count;
    }

    /**
     * One of the streams that the last poll reported.
     *
     * @param index which, less than {@link #size}
     * @return the endpoint's stream
     * @throws IndexOutOfBoundsException if there are fewer
     */
    @HotPath
    public UcpStream stream(int index) {
        return endpoints[Objects.checkIndex(index, count)].stream();
    }
}
