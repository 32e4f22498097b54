// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.UcxException;
import dev.isthmus.bindings.ucx.ucp_tag_recv_info;
import dev.isthmus.internal.ArenaGuard;
import dev.isthmus.internal.ArenaUse;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.OwnerThread;
import dev.isthmus.internal.ucx.Ucp;
import dev.isthmus.internal.ucx.UcpStreams;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;

/**
 * The life of each operation of a worker. All begin in the same way: the caller checks what it was given; {@link #next}
 * gives the place that C is to keep the operation in, and {@link #hold} keeps the arena of its buffer open; C is called;
 * and {@link #began} takes what C returned. It ends when C is {@linkplain #hasEnded asked} or has called back, and its slot
 * is {@linkplain #free free} when nobody asks for it any more.
 *
 * <p>A part of {@link RequestSlots}, and not beside it: that is one field less to load in each call.
 */
final class Operations extends RequestSlots {

    static final int IN_PROGRESS = 1;

    /** A length that no message has. */
    private static final long NOT_ASKED = -1;

    // A status is asked for again only after something happened on the worker. UCX completes a few things without
    // counting them as progress, so every so often it is asked for all the same.
    private static final int TRUST_NO_PROGRESS = 63;

    private final UcpWorker parent;
    private final MemorySegment info;
    private final long infoAddress;
    private final ImplicitRequests implicit = new ImplicitRequests(this);
    private final ArenaHolds holds;

    private int activity; // counts what may have completed something
    private int skipped;

    /**
     * Reserves slots.
     *
     * @param arena for as long as C may use a request
     */
    Operations(UcpWorker parent, OwnerThread owner, Arena arena, int reserved) {
        super(new RequestMemory(arena, parent.context().requestBytes()), reserved);
        this.parent = parent;
        this.info = ucp_tag_recv_info.allocate(arena);
        this.infoAddress = info.address();
        this.holds = new ArenaHolds(parent, owner, this);
    }

    ArenaHolds holds() {
        return holds;
    }

    /** How many operations have no number and were not seen to end. */
    int implicit() {
        return implicit.size();
    }

    /** Something was called that may have completed operations. */
    @HotPath
    void touch() {
        activity++;
    }

    /**
     * What a progress returned may have completed operations. Added without asking whether it is 0: a branch that goes
     * the other way just when a message has come would be mispredicted each time.
     */
    @HotPath
    void happened(int events) {
        activity += events;
    }

    /**
     * To be called last before C gets a buffer: a guarded arena stays open until the operation has ended.
     *
     * @return null if the arena is not guarded; otherwise to be given to {@link #began}
     */
    @HotPath
    ArenaUse hold(MemorySegment buffer) {
        return ArenaGuard.exist() ? holds.begin(buffer.scope()) : null;
    }

    /** The same of a second buffer of the operation. */
    @HotPath
    ArenaUse holdSecond(MemorySegment buffer, ArenaUse first) {
        return ArenaGuard.exist() ? holds.beginSecond(buffer.scope(), first) : null;
    }

    /**
     * C has done at once what it was called to begin: it returned 0. Each caller asks that itself, so that the JIT knows for
     * each function of C what is usual.
     *
     * @param buffer what C used of the program's; null for nothing
     * @param use what {@link #hold} returned
     * @return 0
     */
    @HotPath
    long done(MemorySegment buffer, ArenaUse use) {
        returned(buffer);
        ArenaUse.endOf(use);
        return 0;
    }

    /** The same of a flush. */
    @HotPath
    long flushed() {
        touch();
        forgetImplicit();
        return 0;
    }

    /**
     * Keeps account of what C was called to begin at {@link #next}, and has not done at once.
     *
     * @param result what C returned, other than 0
     * @param endpoint whose operation it is; null for the worker's, and for an answer over an endpoint of UCX's own
     * @param buffer what C uses of the program's; null for nothing
     * @param bytes how many of it
     * @param use what {@link #hold} returned
     * @return the operation's number
     * @throws UcxException if C refused it
     */
    @HotPath
    long begun(long result, byte kind, UcpEndpoint endpoint, MemorySegment buffer, long bytes, ArenaUse use) {
        return take(noted(result, kind, endpoint, buffer, bytes, use));
    }

    /** The same without its end: the slot is to be taken. */
    @HotPath
    RequestSlot noted(long result, byte kind, UcpEndpoint endpoint, MemorySegment buffer, long bytes, ArenaUse use) {
        returned(buffer);
        if (UcxFailure.isError(result)) {
            ArenaUse.endOf(use);
            throw failure((int) result, kind, endpoint, bytes);
        }
        RequestSlot slot = nextSlot();
        note(slot, kind, endpoint, buffer, bytes);
        if (use != null) {
            slot.use = use;
            slot.holdsMore = true;
        }
        return slot;
    }

    @HotPath
    private void returned(Object memory) {
        keepUntilHere(memory);
        touch();
    }

    /** Memory of an automatic arena is not to be collected during a call. Not in a finally block: C throws nothing. */
    @HotPath
    @SuppressWarnings("ReachabilityFenceUsage")
    static void keepUntilHere(Object memory) {
        Reference.reachabilityFence(memory);
    }

    private UcxException failure(int status, byte kind, UcpEndpoint endpoint, long bytes) {
        Object on = endpoint;
        if (endpoint == null) {
            boolean answers = kind == RequestSlot.AM_SEND || kind == RequestSlot.AM_RECEIVE;
            on = answers ? "the sender of an active message to " + parent : parent;
        }
        return UcxFailure.of(status, RequestSlot.call(kind), bytes == 0 ? on.toString() : on + ", " + bytes + " bytes");
    }

    /** Keeps account of what C was called to begin on more than a plain buffer, and perhaps has done at once. */
    @HotPath
    long began(long result, RequestSlot slot, byte kind, UcpEndpoint endpoint, UcpPayload payload) {
        returned(payload);
        if (result == 0) {
            payload.endedAtOnce(slot, kind);
            return 0;
        }
        if (UcxFailure.isError(result)) {
            payload.notBegun();
            return notBegun((int) result, kind, endpoint, payload);
        }
        slot.payload = payload;
        note(slot, kind, endpoint, null, payload.byteSize());
        slot.holdsMore = true;
        return payload.take(this, slot);
    }

    private static long notBegun(int status, byte kind, UcpEndpoint endpoint, UcpPayload payload) {
        if (status == UcsStatus.NO_RESOURCE.code() && payload.isOnlyAtOnce()) {
            return UcpRequests.NOT_BEGUN;
        }
        String on = endpoint == null ? "" : endpoint + ", ";
        throw UcxFailure.of(status, RequestSlot.call(kind), on + payload);
    }

    @HotPath
    private void note(RequestSlot slot, byte kind, UcpEndpoint endpoint, MemorySegment buffer, long bytes) {
        slot.kind = kind;
        slot.status = IN_PROGRESS;
        slot.polledAt = activity - 1; // it may be done already
        slot.buffer = buffer;
        slot.holdsMore = kind != RequestSlot.TAG_RECEIVE && kind != RequestSlot.STREAM_RECEIVE;
        if (endpoint != null) { // null also with an answer over an endpoint of UCX's own
            slot.endpoint = endpoint;
            if (RequestSlot.counts(kind)) {
                slot.bytes = bytes;
                endpoint.begun(bytes);
            }
        }
    }

    /** Takes the slot of an operation that the program is not told the number of: it is forgotten when it has ended. */
    @HotPath
    void takeUnnamed(RequestSlot slot) {
        takeImplicit(slot);
        implicit.add(slot);
    }

    /** Keeps account of a receive of a stream that C has done at once, with its length. */
    @HotPath
    long receivedAtOnce(long length) {
        return take(notedAtOnce(length));
    }

    /** The same of a receive into more than a plain buffer. */
    @HotPath
    long receivedAtOnce(long length, UcpPayload payload) {
        return payload.take(this, notedAtOnce(length));
    }

    @HotPath
    private RequestSlot notedAtOnce(long length) {
        RequestSlot slot = nextSlot();
        slot.kind = RequestSlot.STREAM_RECEIVE;
        slot.status = 0;
        slot.length = length;
        slot.senderTag = 0;
        return slot;
    }

    @HotPath
    private void forgetImplicit() {
        if (implicit.size() > 0) {
            implicit.sweep();
        }
    }

    /** Whether an operation has ended; C is asked unless that is known. */
    @HotPath
    boolean hasEnded(RequestSlot slot) {
        return poll(slot) != IN_PROGRESS;
    }

    /** The status of an operation; C is asked unless it is known. */
    @HotPath
    int poll(RequestSlot slot) {
        int status = slot.status;
        return status != IN_PROGRESS ? status : ask(slot);
    }

    /** The same for a program that asks again and again: C is not asked when nothing has happened since. */
    @HotPath
    int status(RequestSlot slot) {
        int status = slot.status;
        if (status != IN_PROGRESS) {
            return status;
        }
        if (slot.polledAt == activity && (++skipped & TRUST_NO_PROGRESS) != 0) {
            return IN_PROGRESS;
        }
        return ask(slot);
    }

    @HotPath
    private int ask(RequestSlot slot) {
        slot.polledAt = activity;
        int status = Ucp.requestStatus(slot.address);
        return status == IN_PROGRESS ? status : ended(slot, status);
    }

    /** C has told that an operation has ended, and how. */
    @HotPath
    int ended(RequestSlot slot, int status) {
        slot.buffer = null;
        slot.length = NOT_ASKED;
        if (slot.holdsMore) {
            return endedWithMore(slot, status);
        }
        if (slot.endpoint != null) {
            slot.endpoint = null;
        }
        slot.status = (byte) status;
        return status;
    }

    @HotPath
    private int endedWithMore(RequestSlot slot, int told) {
        int status = told;
        if (slot.payload != null) {
            status = slot.payload.ended(slot, status);
            slot.payload = null;
        }
        slot.status = (byte) status;
        if (slot.header != null) {
            slot.header = null;
        }
        if (slot.use != null || slot.headerUse != null) {
            slot.letGo();
        }
        if (slot.bytes != 0) {
            slot.endpoint.ended(slot.bytes);
            slot.bytes = 0;
        }
        slot.endpoint = null;
        if (slot.remote != null) {
            slot.remote.ended(slot);
        } else if (slot.kind == RequestSlot.FLUSH || slot.kind == RequestSlot.WORKER_FLUSH) {
            forgetImplicit();
        }
        return status;
    }

    /**
     * Whether the operation is a receive that got its message; if so, its length and tag are known after this. UCX is
     * asked for them only when the program asks: the answer is a copy of 16 bytes that UCX has just written as two
     * numbers, for which the processor waits until everything it wrote before has left for memory. That is some 25 ns, in
     * the time between a message and its answer.
     */
    @HotPath
    boolean received(RequestSlot slot) {
        if (slot.kind != RequestSlot.TAG_RECEIVE || slot.status != 0) {
            return receivedOfStream(slot);
        }
        if (slot.length == NOT_ASKED) {
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
        if (slot.length == NOT_ASKED) {
            UcpStreams.receiveTest(slot.address, infoAddress);
            slot.length = info.get(ValueLayout.JAVA_LONG, 0);
            slot.senderTag = 0;
        }
        return true;
    }

    /** The number that an atomic operation fetched; 0 unless it has ended well. */
    @HotPath
    long fetched(RequestSlot slot) {
        boolean known = slot.status == 0 && slot.kind >= RequestSlot.FETCH_32 && slot.kind <= RequestSlot.FETCH_64;
        return known ? slot.length : 0;
    }
}
