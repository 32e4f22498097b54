// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.bindings.ucx.ucp_h;
import dev.isthmus.internal.ArenaUse;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.OwnerThread;
import dev.isthmus.internal.ucx.UcpStreams;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/** Streams of one worker's endpoints: checks, calls, and a record of what C has lent. */
final class StreamOperations {

    private static final int WAIT_ALL = ucp_h.UCP_STREAM_RECV_FLAG_WAITALL();
    private static final int FLAGS = ucp_h.UCP_OP_ATTR_FIELD_FLAGS();

    // With it, UCX takes the data for plain bytes, whatever its datatype: it would send the list of buffers itself,
    // for instance.
    private static final int BREAKS_DATATYPES = ucp_h.UCP_OP_ATTR_FLAG_NO_IMM_CMPL();

    private final WorkerCore parent;
    private final Operations operations;
    private final EndpointFailures endpoints;
    private final MemorySegment length;
    private final long lengthAddress;
    private final boolean enabled;
    private UcpStreamData[] lent = new UcpStreamData[8];
    private int lentCount;

    StreamOperations(WorkerCore parent, Operations operations, EndpointFailures endpoints) {
        this.parent = parent;
        this.operations = operations;
        this.endpoints = endpoints;
        this.length = parent.arena().allocate(ValueLayout.JAVA_LONG);
        this.lengthAddress = length.address();
        this.enabled = parent.has(UcpFeature.STREAM);
    }

    /** {@code ucp_stream_send_nbx}, on an open endpoint of this thread. */
    @HotPath
    long send(UcpEndpoint endpoint, long ep, MemorySegment buffer, long offset, long bytes) {
        long address = BufferChecks.readable(buffer, offset, bytes);
        if (bytes == 0) {
            return 0; // otherwise an assertion would end the receiver's process
        }
        long parameters = operations.next();
        ArenaUse use = operations.hold(buffer);
        long result = UcpStreams.send(ep, address, bytes, parameters);
        return result == 0
                ? operations.completedAtOnce(buffer, use)
                : operations.trackBuffer(result, RequestSlot.STREAM_SEND, endpoint, buffer, bytes, use);
    }

    @HotPath
    long send(UcpEndpoint endpoint, long ep, UcpPayload payload) {
        payload.checkOf(parent);
        long address = payload.address(false);
        if (payload.byteSize() == 0) {
            return 0;
        }
        RequestSlot slot = operations.nextSlot();
        long parameters = payload.begin(slot, false, BREAKS_DATATYPES, 0, 0);
        long result = UcpStreams.send(ep, address, payload.count(), parameters);
        return operations.trackPayload(result, slot, RequestSlot.STREAM_SEND, endpoint, payload);
    }

    /** {@code ucp_stream_recv_nbx}, on an open endpoint of this thread. */
    @HotPath
    long receive(UcpEndpoint endpoint, long ep, MemorySegment buffer, long offset, long bytes, boolean all) {
        long address = BufferChecks.writable(buffer, offset, bytes);
        long parameters = all ? operations.next() + RequestMemory.RECEIVE_ALL : operations.next();
        if (bytes == 0) {
            return operations.receivedAtOnce(0); // UCX asserts that there is no such receive
        }
        ArenaUse use = operations.hold(buffer);
        long result = UcpStreams.receive(ep, address, bytes, lengthAddress, parameters);
        if (result == 0) {
            operations.completedAtOnce(buffer, use);
            return operations.receivedAtOnce(length.get(ValueLayout.JAVA_LONG, 0));
        }
        return operations.trackBuffer(result, RequestSlot.STREAM_RECEIVE, endpoint, buffer, bytes, use);
    }

    @HotPath
    long receive(UcpEndpoint endpoint, long ep, UcpPayload payload, boolean all) {
        payload.checkOf(parent);
        long address = payload.address(true);
        RequestSlot slot = operations.nextSlot();
        if (payload.byteSize() == 0) {
            return operations.receivedAtOnce(0, payload);
        }
        long parameters = payload.begin(slot, true, BREAKS_DATATYPES, FLAGS, all ? WAIT_ALL : 0);
        long result = UcpStreams.receive(ep, address, payload.count(), lengthAddress, parameters);
        long request = operations.trackPayload(result, slot, RequestSlot.STREAM_RECEIVE, endpoint, payload);
        return request != 0 ? request : operations.receivedAtOnce(length.get(ValueLayout.JAVA_LONG, 0), payload);
    }

    /** {@code ucp_stream_recv_data_nb}. */
    @HotPath
    boolean receiveData(UcpEndpoint endpoint, long ep, UcpStreamData data) {
        data.checkEmptyOf(this);
        if (lentCount == lent.length) { // before C lends the data, as it may fail
            lent = Arrays.copyOf(lent, 2 * lentCount);
        }
        long result = UcpStreams.receiveData(ep, lengthAddress);
        if (result == 0) {
            return false;
        }
        if (UcxFailure.isError(result)) {
            throw UcxFailure.of((int) result, "ucp_stream_recv_data_nb", endpoint.toString());
        }
        lent[lentCount] = data;
        data.hold(endpoint, result, length.get(ValueLayout.JAVA_LONG, 0), lentCount++);
        return true;
    }

    /**
     * Gives lent data back to C: {@code ucp_stream_data_release}. Nothing else does.
     *
     * @throws IllegalStateException if its segment is used
     */
    @HotPath
    void release(UcpStreamData data) {
        data.lent().end();
        UcpEndpoint endpoint = data.endpoint();
        long address = data.address();
        removeLent(data);
        if (endpoint != null) {
            UcpStreams.releaseData(endpoint.handle(), address);
        }
    }

    @HotPath
    private void removeLent(UcpStreamData data) {
        int place = data.place();
        UcpStreamData last = lent[--lentCount];
        lent[place] = last;
        lent[lentCount] = null;
        last.moveTo(place);
        data.clear();
    }

    /** Releases the unused data of an endpoint; returns whether that was all of it. */
    boolean releaseUnused(UcpEndpoint endpoint) {
        boolean all = true;
        for (int i = lentCount - 1; i >= 0; i--) {
            if (lent[i].endpoint() == endpoint) {
                if (lent[i].lent().endIfUnused()) {
                    release(lent[i]);
                } else {
                    all = false;
                }
            }
        }
        return all;
    }

    /** C is about to close an endpoint: the worker keeps the memory of what is still used until it is closed. */
    void detachLent(UcpEndpoint endpoint) {
        if (!releaseUnused(endpoint)) {
            for (int i = 0; i < lentCount; i++) {
                if (lent[i].endpoint() == endpoint) {
                    lent[i].detach();
                }
            }
        }
    }

    /** The worker is being closed. Returns whether C may free the memory of all that was lent. */
    boolean endLoans() {
        boolean all = true;
        while (lentCount > 0) {
            UcpStreamData data = lent[lentCount - 1];
            all &= data.lent().endWithout(operations.holds());
            removeLent(data);
        }
        return all;
    }

    OwnerThread owner() {
        return parent.owner();
    }

    /** {@code ucp_stream_worker_poll}; returns how many entries it has written. */
    @HotPath
    long poll(long entries, int most) {
        parent.owner().check();
        long found = UcpStreams.poll(parent.handle(), entries, most, 0);
        if (found < 0) {
            throw UcxFailure.of((int) found, "ucp_stream_worker_poll", parent.toString());
        }
        return found;
    }

    /** The endpoint of an entry's user data; null if it is closed. */
    @HotPath
    UcpEndpoint endpoint(long id) {
        UcpEndpoint endpoint = endpoints.endpoint(id);
        return endpoint != null && endpoint.isOpen() ? endpoint : null; // else it is C's half of a closed one
    }

    /** Refuses a worker whose context lacks streams. */
    void checkEnabled() {
        if (!enabled) {
            throw parent.without(UcpFeature.STREAM);
        }
    }
}
