// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.bindings.ucx.ucp_h;
import dev.isthmus.internal.ArenaUse;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.OwnerThread;
import dev.isthmus.internal.ucx.UcpAm;
import dev.isthmus.internal.ucx.UcxLibrary;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;

/**
 * Active messages on one worker and its endpoints: checks, calls, and a record of what C keeps.
 *
 * <p>The self transport delivers within the call that sends, so a handler can run inside a send, and send itself. The
 * slot that the send is about to take, and that has its parameters, is protected from everything that runs inside C
 * ({@link RequestSlots#beginCallback}). The depth is limited, as C has no guard against stack overflow.
 */
final class AmOperations {

    /** How deep handlers may answer each other within one call. */
    static final int MAX_DEPTH = 16;

    private static final int COPY_HEADER_SINCE = 14;
    private static final int EITHER = UcpActiveMessages.EAGER | UcpActiveMessages.RENDEZVOUS;
    private static final int FLAGS = UcpActiveMessages.REPLY | EITHER;
    private static final int FLAGS_FIELD = ucp_h.UCP_OP_ATTR_FIELD_FLAGS();

    // With it, UCX takes the data for plain bytes, whatever its datatype.
    private static final int BREAKS_DATATYPES = ucp_h.UCP_OP_ATTR_FLAG_NO_IMM_CMPL();

    private final WorkerCore parent;
    private final OwnerThread owner;
    private final Operations operations;
    private final PolledOperations polled;
    private final AsyncRequests async;
    private final long worker;
    private final long maxHeaderBytes;
    private final int knownFlags;
    private final EndpointTable endpoints = new EndpointTable();
    private final ArrayList<UcpKeptMessage> kept = new ArrayList<>();
    private int depth; // how many handlers run, nested

    AmOperations(
            WorkerCore parent,
            Operations operations,
            PolledOperations polled,
            AsyncRequests async,
            long maxHeaderBytes) {
        this.parent = parent;
        this.owner = parent.owner();
        this.operations = operations;
        this.polled = polled;
        this.async = async;
        this.worker = parent.handle();
        this.maxHeaderBytes = maxHeaderBytes;
        this.knownFlags = UcxLibrary.load()[1] < COPY_HEADER_SINCE ? FLAGS : FLAGS | UcpActiveMessages.COPY_HEADER;
    }

    /** {@code ucp_am_send_nbx}, on an open endpoint of this thread; null for one of UCX's own. */
    @HotPath
    long send(
            UcpEndpoint endpoint,
            long ep,
            int id,
            MemorySegment header,
            long headerOffset,
            long headerLength,
            MemorySegment buffer,
            long offset,
            long length,
            int flags) {
        long headerAddress = BufferChecks.readable(header, headerOffset, headerLength);
        long address = BufferChecks.readable(buffer, offset, length);
        checkSend(id, headerLength, flags);
        long parameters = operations.next();
        if (flags != 0) {
            parameters = operations.nextSlot().parameters(FLAGS_FIELD, RequestMemory.CONTIGUOUS_BYTES, flags, 0);
        }
        ArenaUse headerUse = headerLength == 0 ? null : operations.hold(header);
        ArenaUse use = operations.holdSecond(buffer, headerUse);
        long result = UcpAm.send(ep, id, headerAddress, headerLength, address, length, parameters);
        recordHeader(result, header, headerLength, headerUse);
        return result == 0
                ? operations.completedAtOnce(buffer, use)
                : operations.trackBuffer(result, RequestSlot.AM_SEND, endpoint, buffer, headerLength + length, use);
    }

    /** {@code ucp_am_send_nbx} of something other than a plain buffer. */
    @HotPath
    long send(UcpEndpoint endpoint, long ep, int id, MemorySegment header, UcpPayload payload, int flags) {
        payload.checkOf(parent);
        long headerLength = header.byteSize();
        long headerAddress = BufferChecks.readable(header, 0, headerLength);
        long address = payload.address(false);
        checkSend(id, headerLength, flags);
        RequestSlot slot = operations.nextSlot();
        ArenaUse headerUse = headerLength == 0 ? null : operations.hold(header);
        long parameters = begin(payload, slot, flags, headerUse);
        long result = UcpAm.send(ep, id, headerAddress, headerLength, address, payload.count(), parameters);
        recordHeader(result, header, headerLength, headerUse);
        return operations.trackPayload(result, slot, RequestSlot.AM_SEND, endpoint, payload);
    }

    /** Records the header of an operation, before the operation itself. */
    @HotPath
    private void recordHeader(long result, MemorySegment header, long headerLength, ArenaUse headerUse) {
        Operations.keepUntilHere(header);
        if (result == 0 || UcxFailure.isError(result)) {
            ArenaUse.endOf(headerUse);
        } else if (headerLength != 0) {
            RequestSlot slot = operations.nextSlot();
            slot.header = header;
            slot.headerUse = headerUse;
        }
    }

    @HotPath
    private static long begin(UcpPayload payload, RequestSlot slot, int flags, ArenaUse headerUse) {
        boolean begun = false;
        try {
            long parameters = payload.begin(slot, false, BREAKS_DATATYPES, FLAGS_FIELD, flags);
            begun = true;
            return parameters;
        } finally {
            if (!begun) {
                ArenaUse.endOf(headerUse);
            }
        }
    }

    @HotPath
    private void checkSend(int id, long headerLength, int flags) {
        boolean wrong = (id & ~UcpActiveMessages.MAX_ID) != 0 || headerLength > maxHeaderBytes || depth == MAX_DEPTH;
        if (wrong || (flags & ~knownFlags) != 0 || (flags & EITHER) == EITHER) {
            throw refusal(id, headerLength, flags);
        }
    }

    /**
     * Does everything that can fail before {@link #receive}: after this, the caller gives up the message, and C gets it.
     *
     * @return an argument of the receive
     */
    @HotPath
    ArenaUse reserve(MemorySegment buffer) {
        operations.next(); // before the arena is held, as it throws if there can be no more
        return operations.hold(buffer);
    }

    /** {@code ucp_am_recv_data_nbx} of a rendezvous, into a buffer of the right length. */
    @HotPath
    long receive(long descriptor, MemorySegment buffer, long address, long length, UcpEndpoint endpoint, ArenaUse use) {
        long parameters = operations.next();
        long result = UcpAm.receiveData(worker, descriptor, address, length, parameters);
        return result == 0
                ? operations.completedAtOnce(buffer, use)
                : operations.trackBuffer(result, RequestSlot.AM_RECEIVE, endpoint, buffer, length, use);
    }

    /** {@code ucp_am_recv_data_nbx} of a rendezvous, with user data, after {@link #reservePolled}. */
    @HotPath
    long receive(
            long descriptor,
            MemorySegment buffer,
            long address,
            long length,
            UcpEndpoint endpoint,
            ArenaUse use,
            long userData) {
        long result = UcpAm.receiveData(worker, descriptor, address, length, polled.parameters(true));
        return result == 0
                ? operations.completedAtOnce(buffer, use)
                : polled.track(
                        operations.recordBuffer(result, RequestSlot.AM_RECEIVE, endpoint, buffer, length, use),
                        userData);
    }

    AsyncRequests async() {
        return async;
    }

    /** Like {@link PolledOperations#reserve}. */
    @HotPath
    void reservePolled() {
        polled.reserve();
    }

    /** The program's endpoint of a handle that C gave; null if it is one of UCX's own. */
    @HotPath
    UcpEndpoint endpoint(long ep) {
        return endpoints.find(ep);
    }

    void add(long ep, UcpEndpoint endpoint) {
        endpoints.put(ep, endpoint);
    }

    void remove(long ep, UcpEndpoint endpoint) {
        endpoints.remove(ep, endpoint);
    }

    @HotPath
    void addKept(UcpKeptMessage message) {
        kept.add(message);
        message.index(kept.size() - 1);
    }

    @HotPath
    void removeKept(UcpKeptMessage message) {
        UcpKeptMessage last = kept.removeLast();
        if (kept.size() != message.index()) {
            kept.set(message.index(), last);
            last.index(message.index());
        }
    }

    /**
     * Gives the data of a kept message back to C: {@code ucp_am_data_release}. Nothing else does.
     *
     * @throws IllegalStateException if its segment is used
     */
    @HotPath
    void release(UcpKeptMessage message) {
        message.lent().end();
        UcpActiveMessage during = message.during();
        long descriptor = message.empty();
        if (during != null) {
            during.dropKept(); // C releases it when the handler returns
        } else {
            UcpAm.releaseData(worker, descriptor);
            operations.touch();
        }
    }

    /** Releases what is kept and not used, before the worker is closed. */
    void releaseUnused() {
        for (int i = kept.size() - 1; i >= 0; i--) {
            UcpKeptMessage message = kept.get(i);
            if (message.lent().endIfUnused()) {
                release(message);
            }
        }
    }

    /**
     * The worker is being closed, and C no longer progresses it.
     *
     * @return whether C may free the memory of all that was kept
     */
    boolean endLoans() {
        boolean all = true;
        while (!kept.isEmpty()) {
            UcpKeptMessage message = kept.getLast();
            if (message.lent().endWithout(operations.holds())) {
                release(message);
            } else {
                message.empty();
                all = false;
            }
        }
        return all;
    }

    int keptCount() {
        return kept.size();
    }

    @HotPath
    OwnerThread owner() {
        return owner;
    }

    @HotPath
    int depth() {
        return depth;
    }

    @HotPath
    void depth(int handlers) {
        depth = handlers;
    }

    private RuntimeException refusal(int id, long headerLength, int flags) {
        if ((id & ~UcpActiveMessages.MAX_ID) != 0) {
            return UcpActiveMessages.noId(id);
        }
        if (headerLength > maxHeaderBytes) {
            return new IllegalArgumentException("a header of " + headerLength + " bytes is too long: " + parent
                    + " can send " + maxHeaderBytes + ", and anything as data");
        }
        if (depth == MAX_DEPTH) {
            return new IllegalStateException(MAX_DEPTH + " handlers of " + parent + " run inside each other, because"
                    + " each sends to this worker itself: send when the handler has returned");
        }
        if ((flags & EITHER) == EITHER) {
            return new IllegalArgumentException("EAGER and RENDEZVOUS exclude each other");
        }
        if ((flags & ~knownFlags) == UcpActiveMessages.COPY_HEADER) {
            UcxLibrary.require(COPY_HEADER_SINCE, "COPY_HEADER");
        }
        return new IllegalArgumentException("not flags of UcpActiveMessages: 0x" + Integer.toHexString(flags));
    }
}
