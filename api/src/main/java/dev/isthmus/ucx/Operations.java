// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.UcxException;
import dev.isthmus.bindings.ucx.ucp_tag_recv_info;
import dev.isthmus.internal.ArenaGuard;
import dev.isthmus.internal.ArenaUse;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.ucx.Ucp;
import dev.isthmus.internal.ucx.UcpStreams;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;

/**
 * The life of each operation of a worker. All begin in the same way: the caller checks its arguments; {@link #next}
 * returns the memory where C keeps the operation, and {@link #hold} keeps the arena of its buffer open; C is called;
 * and {@link #trackBuffer} or {@link #trackPayload} takes C's result. An operation ends when C is {@linkplain #hasEnded
 * asked} or has called back. Its slot is {@linkplain #free freed} when the program no longer needs it.
 *
 * <p>It extends {@link RequestSlots} rather than refer to it, for the JIT: docs/instructions.md, "Lines written for the
 * JIT".
 */
final class Operations extends RequestSlots {

    static final int IN_PROGRESS = 1;

    /** A length that no message has. */
    private static final long NOT_QUERIED = -1;

    // A status is queried again only after something has happened on the worker. UCX completes a few operations without
    // counting them as progress, so every so often the status is queried all the same.
    private static final int TRUST_NO_PROGRESS = 63;

    private final WorkerCore worker;
    private final MemorySegment info;
    private final long infoAddress;
    private final ImplicitRequests implicit = new ImplicitRequests(this);
    private final ArenaHolds holds;

    private int activity; // counts events that may have completed operations
    private int skipped;

    /** Reserves slots. */
    Operations(WorkerCore worker, int reserved) {
        super(new RequestMemory(worker.arena(), worker.context().requestBytes()), reserved);
        this.worker = worker;
        this.info = ucp_tag_recv_info.allocate(worker.arena());
        this.infoAddress = info.address();
        this.holds = new ArenaHolds(worker, this);
    }

    ArenaHolds holds() {
        return holds;
    }

    /** How many operations without a number were not seen to end. */
    int implicit() {
        return implicit.size();
    }

    /** A call may have completed operations. */
    @HotPath
    void touch() {
        activity++;
    }

    /**
     * A progress with this result may have completed operations. The result is added without a check for 0, to spare
     * the processor a branch that it cannot predict: docs/instructions.md, "Lines written for the JIT".
     */
    @HotPath
    void progressed(int events) {
        activity += events;
    }

    /**
     * Called last before C gets a buffer: keeps a guarded arena open until the operation has ended.
     *
     * @return the argument for {@link #trackPayload}; null if the arena is not guarded
     */
    @HotPath
    ArenaUse hold(MemorySegment buffer) {
        return ArenaGuard.exist() ? holds.begin(buffer.scope()) : null;
    }

    /** Keeps the arena of the operation's second buffer open, too. */
    @HotPath
    ArenaUse holdSecond(MemorySegment buffer, ArenaUse first) {
        return ArenaGuard.exist() ? holds.beginSecond(buffer.scope(), first) : null;
    }

    /**
     * C has done the operation at once: it returned 0. Each caller checks that itself, for the JIT:
     * docs/instructions.md, "Lines written for the JIT".
     *
     * @param buffer the program's memory that C used; null for none
     * @param use what {@link #hold} returned
     * @return 0
     */
    @HotPath
    long completedAtOnce(MemorySegment buffer, ArenaUse use) {
        callReturned(buffer);
        ArenaUse.endOf(use);
        return 0;
    }

    /** C has done a flush at once; returns 0. */
    @HotPath
    long flushedAtOnce() {
        touch();
        sweepImplicit();
        return 0;
    }

    /**
     * Records an operation that C has begun at {@link #next}, and has not done at once.
     *
     * @param result what C returned, other than 0
     * @param endpoint the endpoint of the operation; null for the worker's, and for an answer over an endpoint of
     *     UCX's own
     * @param buffer the program's memory that C uses; null for none
     * @param bytes how many of it
     * @param use what {@link #hold} returned
     * @return the operation's number
     * @throws UcxException if C refused it
     */
    @HotPath
    long trackBuffer(long result, byte kind, UcpEndpoint endpoint, MemorySegment buffer, long bytes, ArenaUse use) {
        return take(recordBuffer(result, kind, endpoint, buffer, bytes, use));
    }

    /** Records such an operation, but leaves it to the caller to take the slot. */
    @HotPath
    RequestSlot recordBuffer(
            long result, byte kind, UcpEndpoint endpoint, MemorySegment buffer, long bytes, ArenaUse use) {
        callReturned(buffer);
        if (UcxFailure.isError(result)) {
            ArenaUse.endOf(use);
            throw failure((int) result, kind, endpoint, bytes);
        }
        RequestSlot slot = nextSlot();
        record(slot, kind, endpoint, buffer, bytes);
        if (use != null) {
            slot.use = use;
            slot.hasMoreToRelease = true;
        }
        return slot;
    }

    @HotPath
    private void callReturned(Object memory) {
        keepUntilHere(memory);
        touch();
    }

    /**
     * Keeps memory of an automatic arena from being collected during a call. It needs no finally block, as C
     * throws nothing.
     */
    @HotPath
    @SuppressWarnings("ReachabilityFenceUsage")
    static void keepUntilHere(Object memory) {
        Reference.reachabilityFence(memory);
    }

    private UcxException failure(int status, byte kind, UcpEndpoint endpoint, long bytes) {
        Object on = endpoint;
        if (endpoint == null) {
            boolean answers = kind == RequestSlot.AM_SEND || kind == RequestSlot.AM_RECEIVE;
            on = answers ? "the sender of an active message to " + worker : worker;
        }
        return UcxFailure.of(status, RequestSlot.call(kind), bytes == 0 ? on.toString() : on + ", " + bytes + " bytes");
    }

    /** Records an operation on something other than a plain buffer, which C has begun, and perhaps done at once. */
    @HotPath
    long trackPayload(long result, RequestSlot slot, byte kind, UcpEndpoint endpoint, UcpPayload payload) {
        callReturned(payload);
        if (result == 0) {
            payload.endedAtOnce(slot, kind);
            return 0;
        }
        if (UcxFailure.isError(result)) {
            payload.refused();
            return refused((int) result, kind, endpoint, payload);
        }
        slot.payload = payload;
        record(slot, kind, endpoint, null, payload.byteSize());
        slot.hasMoreToRelease = true;
        return payload.take(this, slot);
    }

    private static long refused(int status, byte kind, UcpEndpoint endpoint, UcpPayload payload) {
        if (status == UcsStatus.NO_RESOURCE.code() && payload.isOnlyAtOnce()) {
            return UcpRequests.NOT_BEGUN;
        }
        String on = endpoint == null ? "" : endpoint + ", ";
        throw UcxFailure.of(status, RequestSlot.call(kind), on + payload);
    }

    @HotPath
    private void record(RequestSlot slot, byte kind, UcpEndpoint endpoint, MemorySegment buffer, long bytes) {
        slot.kind = kind;
        slot.status = IN_PROGRESS;
        slot.polledAt = activity - 1; // it may be done already
        slot.buffer = buffer;
        slot.hasMoreToRelease = kind != RequestSlot.TAG_RECEIVE && kind != RequestSlot.STREAM_RECEIVE;
        if (endpoint != null) { // also null for an answer over an endpoint of UCX's own
            slot.endpoint = endpoint;
            if (RequestSlot.countsBytes(kind)) {
                slot.bytes = bytes;
                endpoint.addOutstanding(bytes);
            }
        }
    }

    /** Takes the slot of an operation whose number the program does not get: it is forgotten when it has ended. */
    @HotPath
    void trackImplicit(RequestSlot slot) {
        takeImplicit(slot);
        implicit.add(slot);
    }

    /** Records a receive of a stream that C has done at once, with its length. */
    @HotPath
    long receivedAtOnce(long length) {
        return take(recordAtOnce(length));
    }

    /** Records such a receive into something other than a plain buffer. */
    @HotPath
    long receivedAtOnce(long length, UcpPayload payload) {
        return payload.take(this, recordAtOnce(length));
    }

    @HotPath
    private RequestSlot recordAtOnce(long length) {
        RequestSlot slot = nextSlot();
        slot.kind = RequestSlot.STREAM_RECEIVE;
        slot.status = 0;
        slot.length = length;
        slot.senderTag = 0;
        return slot;
    }

    @HotPath
    private void sweepImplicit() {
        if (implicit.size() > 0) {
            implicit.sweep();
        }
    }

    /** Whether an operation has ended; asks C unless that is known. */
    @HotPath
    boolean hasEnded(RequestSlot slot) {
        return poll(slot) != IN_PROGRESS;
    }

    /** Asks C to cancel an operation, unless that has ended. */
    @HotPath
    void cancel(RequestSlot slot) {
        if (!hasEnded(slot)) {
            Ucp.requestCancel(worker.handle(), slot.address);
            touch();
        }
    }

    /** The status of an operation; asks C unless it is known. */
    @HotPath
    int poll(RequestSlot slot) {
        int status = slot.status;
        return status != IN_PROGRESS ? status : query(slot);
    }

    /** The status for a program that asks repeatedly: C is not asked if nothing has happened since. */
    @HotPath
    int status(RequestSlot slot) {
        int status = slot.status;
        if (status != IN_PROGRESS) {
            return status;
        }
        if (slot.polledAt == activity && (++skipped & TRUST_NO_PROGRESS) != 0) {
            return IN_PROGRESS;
        }
        return query(slot);
    }

    @HotPath
    private int query(RequestSlot slot) {
        slot.polledAt = activity;
        int status = Ucp.requestStatus(slot.address);
        return status == IN_PROGRESS ? status : ended(slot, status);
    }

    /** C has reported the end of an operation. */
    @HotPath
    int ended(RequestSlot slot, int status) {
        slot.buffer = null;
        slot.length = NOT_QUERIED;
        if (slot.hasMoreToRelease) {
            return endAndRelease(slot, status);
        }
        if (slot.endpoint != null) {
            slot.endpoint = null;
        }
        slot.status = (byte) status;
        return status;
    }

    @HotPath
    private int endAndRelease(RequestSlot slot, int reported) {
        int status = reported;
        if (slot.payload != null) {
            status = slot.payload.ended(slot, status);
            slot.payload = null;
        }
        slot.status = (byte) status;
        if (slot.header != null) {
            slot.header = null;
        }
        if (slot.use != null || slot.headerUse != null) {
            slot.releaseArenas();
        }
        if (slot.bytes != 0) {
            slot.endpoint.removeOutstanding(slot.bytes);
            slot.bytes = 0;
        }
        slot.endpoint = null;
        if (slot.remote != null) {
            slot.remote.removeOutstanding(slot);
        } else if (slot.kind == RequestSlot.FLUSH || slot.kind == RequestSlot.WORKER_FLUSH) {
            sweepImplicit();
        }
        return status;
    }

    /**
     * Whether the operation is a receive that got its message; if so, its length and tag are known after this. UCX is
     * asked for them only when the program asks, as the processor waits for the answer: docs/instructions.md, "Lines
     * written for the JIT".
     */
    @HotPath
    boolean received(RequestSlot slot) {
        if (slot.kind != RequestSlot.TAG_RECEIVE || slot.status != 0) {
            return receivedOfStream(slot);
        }
        if (slot.length == NOT_QUERIED) {
            Ucp.tagReceiveTest(slot.address, infoAddress);
            slot.length = ucp_tag_recv_info.length(info);
            slot.senderTag = ucp_tag_recv_info.sender_tag(info);
        }
        return true;
    }

    @HotPath
    private boolean receivedOfStream(RequestSlot slot) {
        if (slot.kind != RequestSlot.STREAM_RECEIVE || slot.status != 0) {
            return false;
        }
        if (slot.length == NOT_QUERIED) {
            UcpStreams.receiveTest(slot.address, infoAddress);
            slot.length = info.get(ValueLayout.JAVA_LONG, 0);
            slot.senderTag = 0;
        }
        return true;
    }

    /** The length of the message, or of the part of a stream, that a receive got; 0 unless it has succeeded. */
    @HotPath
    long lengthOf(RequestSlot slot) {
        return received(slot) ? slot.length : 0;
    }

    /** The tag of the message that a receive got; 0 unless it has succeeded. */
    @HotPath
    long senderTagOf(RequestSlot slot) {
        return received(slot) ? slot.senderTag : 0;
    }

    /** The number that an atomic operation fetched; 0 unless it has succeeded. */
    @HotPath
    long fetched(RequestSlot slot) {
        boolean known = slot.status == 0 && slot.kind >= RequestSlot.FETCH_32 && slot.kind <= RequestSlot.FETCH_64;
        return known ? slot.length : 0;
    }
}
