package dev.isthmus.ucx;

import dev.isthmus.UcxException;
import dev.isthmus.bindings.ucx.ucp_h;
import dev.isthmus.bindings.ucx.ucp_request_param_t;
import dev.isthmus.internal.ArenaUse;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.NativeMemory;
import dev.isthmus.internal.OwnerThread;
import dev.isthmus.internal.ucx.UcpAm;
import dev.isthmus.internal.ucx.UcxLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.util.ArrayList;

/**
 * Active messages on one worker and its endpoints: checks, calls, and account of what C has begun and of what it keeps.
 *
 * <p>The self transport delivers within the call that sends, so a handler can run inside a send, and send itself. The
 * slot that the send is about to take is kept from it, as from all that runs inside of C ({@link
 * RequestSlots#beginCallback}), and each depth has parameters of its own. The depth is limited: C has no guard against a
 * stack that overflows.
 */
final class AmOperations {

    /** How deep handlers may answer each other within one call. */
    static final int MAX_DEPTH = 16;

    private static final int COPY_HEADER_SINCE = 14;
    private static final int EITHER = UcpActiveMessages.EAGER | UcpActiveMessages.RENDEZVOUS;
    private static final int FLAGS = UcpActiveMessages.REPLY | EITHER;
    private static final long CONTIGUOUS_BYTES = 1L << 3; // ucp_dt_make_contig(1)
    private static final long STRIDE = ucp_request_param_t.layout().byteSize();
    private static final long REQUEST = ucp_request_param_t.request$offset();
    private static final long PARAM_FLAGS = ucp_request_param_t.flags$offset();

    // With it UCX takes the data for plain bytes, whatever its datatype is.
    private static final int BREAKS_DATATYPES = ucp_h.UCP_OP_ATTR_FLAG_NO_IMM_CMPL();

    private final UcpWorker parent;
    private final OwnerThread owner;
    private final RequestSlots slots;
    private final UcpRequests requests;
    private final long worker;
    private final long maxHeaderBytes;
    private final int knownFlags;
    private final long parameters;
    private final EndpointTable endpoints = new EndpointTable();
    private final ArrayList<UcpKeptMessage> kept = new ArrayList<>();
    private int depth; // how many handlers run, each inside the next

    AmOperations(UcpWorker parent, OwnerThread owner, RequestSlots slots, Arena arena, long maxHeaderBytes) {
        this.parent = parent;
        this.owner = owner;
        this.slots = slots;
        this.requests = parent.requests();
        this.worker = parent.handle();
        this.maxHeaderBytes = maxHeaderBytes;
        this.knownFlags = UcxLibrary.load()[1] < COPY_HEADER_SINCE ? FLAGS : FLAGS | UcpActiveMessages.COPY_HEADER;
        MemorySegment memory = arena.allocate((MAX_DEPTH + 1) * STRIDE, ValueLayout.JAVA_LONG.byteAlignment());
        for (long at = 0; at < memory.byteSize(); at += STRIDE) {
            MemorySegment param = memory.asSlice(at, STRIDE);
            ucp_request_param_t.op_attr_mask(
                    param,
                    ucp_h.UCP_OP_ATTR_FIELD_REQUEST()
                            | ucp_h.UCP_OP_ATTR_FIELD_DATATYPE()
                            | ucp_h.UCP_OP_ATTR_FIELD_FLAGS());
            ucp_request_param_t.datatype(param, CONTIGUOUS_BYTES);
        }
        this.parameters = memory.address();
    }

    /** {@code ucp_am_send_nbx}, on an endpoint that is open and of this thread; null for one of UCX's own. */
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
        long headerAddress = Buffers.readable(header, headerOffset, headerLength);
        long address = Buffers.readable(buffer, offset, length);
        checkSend(id, headerLength, flags);
        RequestSlot slot = slots.next();
        long param = parameters + depth * STRIDE;
        NativeMemory.setLong(param + REQUEST, slot.address);
        NativeMemory.setInt(param + PARAM_FLAGS, flags);
        ArenaUse headerUse = headerLength == 0 ? null : requests.hold(header);
        ArenaUse use = requests.holdSecond(buffer, headerUse);
        long result;
        try {
            result = UcpAm.send(ep, id, headerAddress, headerLength, address, length, param);
        } finally {
            Reference.reachabilityFence(buffer); // automatic arenas must not be collected during the call
            Reference.reachabilityFence(header);
        }
        requests.touch();
        if (result == 0) {
            ArenaUse.endOf(headerUse);
            ArenaUse.endOf(use);
            return 0;
        }
        if (UcxFailure.isError(result)) {
            ArenaUse.endOf(headerUse);
            ArenaUse.endOf(use);
            throw failure((int) result, "ucp_am_send_nbx", endpoint, length);
        }
        slot.header = headerLength == 0 ? null : header;
        if (headerUse != null) {
            slot.headerUse = headerUse;
        }
        return requests.begin(slot, RequestSlot.AM_SEND, endpoint, buffer, headerLength + length, use);
    }

    /** {@code ucp_am_send_nbx} of more than a plain buffer. */
    @HotPath
    long send(UcpEndpoint endpoint, long ep, int id, MemorySegment header, UcpPayload payload, int flags) {
        payload.checkOf(parent);
        long headerLength = header.byteSize();
        long headerAddress = Buffers.readable(header, 0, headerLength);
        long address = payload.address(false);
        checkSend(id, headerLength, flags);
        RequestSlot slot = slots.next();
        long param = payload.parameters(slot, BREAKS_DATATYPES, ucp_h.UCP_OP_ATTR_FIELD_FLAGS(), flags);
        ArenaUse headerUse = headerLength == 0 ? null : requests.hold(header);
        begin(payload, slot, headerUse);
        long result;
        try {
            result = UcpAm.send(ep, id, headerAddress, headerLength, address, payload.count(), param);
        } finally {
            Reference.reachabilityFence(payload);
            Reference.reachabilityFence(header);
        }
        boolean pending = result != 0 && !UcxFailure.isError(result);
        if (!pending) {
            ArenaUse.endOf(headerUse);
        } else if (headerLength != 0) {
            slot.header = header;
            slot.headerUse = headerUse;
        }
        return requests.began(result, slot, RequestSlot.AM_SEND, endpoint, payload);
    }

    @HotPath
    private static void begin(UcpPayload payload, RequestSlot slot, ArenaUse headerUse) {
        boolean begun = false;
        try {
            payload.begin(slot, false);
            begun = true;
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

    /** {@code ucp_am_recv_data_nbx} of a rendezvous, into a buffer that is as long. */
    @HotPath
    long receive(Object what, long descriptor, MemorySegment buffer, long address, long length, UcpEndpoint endpoint) {
        RequestSlot slot = slots.next();
        ArenaUse use = requests.hold(buffer);
        return hasBegun(what, descriptor, buffer, address, length, slot.sendParameters(), use)
                ? requests.begin(slot, RequestSlot.AM_RECEIVE, endpoint, buffer, use)
                : 0;
    }

    /** The same of one that carries user data. */
    @HotPath
    long receive(
            Object what,
            long descriptor,
            MemorySegment buffer,
            long address,
            long length,
            UcpEndpoint endpoint,
            long userData,
            PolledOperations polled) {
        RequestSlot slot = slots.next();
        ArenaUse use = requests.hold(buffer);
        return hasBegun(what, descriptor, buffer, address, length, polled.parameters(slot, true), use)
                ? requests.beginPolled(slot, RequestSlot.AM_RECEIVE, endpoint, buffer, use, userData)
                : 0;
    }

    /** Whether C has begun to fetch, rather than done it at once. */
    @HotPath
    private boolean hasBegun(
            Object what,
            long descriptor,
            MemorySegment buffer,
            long address,
            long length,
            long parameters,
            ArenaUse use) {
        long result;
        try {
            result = UcpAm.receiveData(worker, descriptor, address, length, parameters);
        } finally {
            Reference.reachabilityFence(buffer); // an automatic arena must not be collected during the call
        }
        requests.touch();
        if (result == 0) {
            ArenaUse.endOf(use);
            return false;
        }
        if (UcxFailure.isError(result)) {
            ArenaUse.endOf(use);
            throw failure((int) result, "ucp_am_recv_data_nbx", what, length);
        }
        return true;
    }

    AsyncRequests async() {
        return parent.async();
    }

    /** The operations that carry user data. */
    @HotPath
    PolledOperations polled() {
        return parent.polled();
    }

    /** The next send of a plain buffer is to call C's callback with the index of its slot. */
    void tell(long callback, int index) {
        RequestSlot.tell(parameters + depth * STRIDE, callback, index);
    }

    /** Takes that back. */
    void tellNobody() {
        RequestSlot.tellNobody(parameters + depth * STRIDE);
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
    void hold(UcpKeptMessage message) {
        message.index(kept.size());
        kept.add(message);
    }

    @HotPath
    void letGo(UcpKeptMessage message) {
        UcpKeptMessage last = kept.removeLast();
        if (kept.size() != message.index()) {
            kept.set(message.index(), last);
            last.index(message.index());
        }
    }

    /** {@code ucp_am_data_release}. */
    @HotPath
    void release(long descriptor) {
        UcpAm.releaseData(worker, descriptor);
        requests.touch();
    }

    /**
     * Releases what is kept, before the worker is closed.
     *
     * @param used also what an operation uses, which C is not to go on with
     */
    void releaseAll(boolean used) {
        for (int i = kept.size() - 1; i >= 0; i--) {
            UcpKeptMessage message = kept.get(i);
            if (used || !message.isUsed()) {
                release(message.empty());
            }
        }
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

    private UcxException failure(int status, String call, Object object, long length) {
        Object on = object == null ? "the sender of an active message to " + parent : object;
        return UcxFailure.of(status, call, on + ", " + length + " bytes");
    }
}
