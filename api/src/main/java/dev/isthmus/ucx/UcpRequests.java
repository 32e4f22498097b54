package dev.isthmus.ucx;

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
import java.util.concurrent.CompletableFuture;

/**
 * The outstanding operations of a worker, each a number that the call which began it returned. The number 0 is an
 * operation that was done at once: it may be asked about like any other, is {@link UcsStatus#OK}, and needs no release.
 *
 * <p>An operation that is done keeps its status, length and tag until {@link #release}. Every number that was not 0 is to
 * be released, once. One that was released, or is of another worker, is refused.
 *
 * <p>Confined to the thread of its worker. Nothing here blocks or allocates.
 */
public final class UcpRequests {

    /** What a call returns that was to be done {@link UcpOperationOption#ONLY_AT_ONCE} and could not. */
    public static final long NOT_BEGUN = -1;

    private static final int IN_PROGRESS = 1;

    /** A length that no message has. */
    private static final long NOT_ASKED = -1;

    // A status is asked for again only after something happened on the worker. UCX completes a few things without
    // counting them as progress, so every so often it is asked for all the same.
    private static final int TRUST_NO_PROGRESS = 63;

    private final OwnerThread owner;
    private final long worker;
    private final RequestSlots slots;
    private final MemorySegment info;
    private AsyncRequests async; // which needs this
    private PolledOperations polled; // null until there is one
    private final long infoAddress;
    private final ImplicitRequests implicit;
    private final ArenaHolds holds;

    private int activity; // counts what may have completed something
    private int skipped;

    UcpRequests(UcpWorker parent, OwnerThread owner, RequestSlots slots, Arena arena) {
        this.owner = owner;
        this.worker = parent.handle();
        this.slots = slots;
        this.info = ucp_tag_recv_info.allocate(arena);
        this.infoAddress = info.address();
        this.implicit = new ImplicitRequests(this, slots);
        this.holds = new ArenaHolds(parent, owner, slots, this::settle);
    }

    /**
     * Whether an operation has ended, with success or without: {@code ucp_request_check_status}. It ends inside {@link
     * UcpWorker#progress()}, so a loop calls both.
     *
     * @param request what the call that began it returned
     * @return whether its status is final and its buffer is the program's again
     * @throws IllegalArgumentException if there is no such operation on this worker
     */
    @HotPath
    public boolean isDone(long request) {
        return statusCode(request) != IN_PROGRESS;
    }

    /**
     * The status of an operation. What went wrong with it is told here and not by an exception.
     *
     * @param request what the call that began it returned
     * @return {@link UcsStatus#IN_PROGRESS} until it has ended
     * @throws IllegalArgumentException if there is no such operation on this worker
     */
    @HotPath
    public UcsStatus status(long request) {
        return UcsStatus.of(statusCode(request));
    }

    /**
     * The status of an operation as a number.
     *
     * @param request what the call that began it returned
     * @return a {@code ucs_status_t}: 0 done, 1 in progress, negative an error
     * @throws IllegalArgumentException if there is no such operation on this worker
     */
    @HotPath
    public int statusCode(long request) {
        if (request == 0) {
            return 0;
        }
        owner.check();
        RequestSlot slot = slot(request);
        int status = slot.status;
        if (status != IN_PROGRESS) {
            return status;
        }
        if (slot.polledAt == activity && (++skipped & TRUST_NO_PROGRESS) != 0) {
            return IN_PROGRESS;
        }
        return ask(slot);
    }

    /**
     * The length of the message that a receive got, {@code ucp_tag_recv_info_t::length}, or of the part of a stream,
     * {@code ucp_stream_recv_request_test}.
     *
     * @param request what the receive returned
     * @return the length in bytes; 0 unless the status is {@link UcsStatus#OK}
     * @throws IllegalArgumentException if there is no such operation on this worker
     */
    @HotPath
    public long length(long request) {
        if (request == 0) {
            return 0;
        }
        owner.check();
        RequestSlot slot = slot(request);
        return received(slot) ? slot.length : 0;
    }

    /**
     * The tag of the message that a receive got: {@code ucp_tag_recv_info_t::sender_tag}.
     *
     * @param request what the receive returned
     * @return the tag that the sender gave; 0 unless the status is {@link UcsStatus#OK}
     * @throws IllegalArgumentException if there is no such operation on this worker
     */
    @HotPath
    public long senderTag(long request) {
        if (request == 0) {
            return 0;
        }
        owner.check();
        RequestSlot slot = slot(request);
        return received(slot) ? slot.senderTag : 0;
    }

    /**
     * The number that an atomic operation fetched: what was in the peer's memory before it.
     *
     * @param request what the operation returned
     * @return the number, of 32 bits with its sign; 0 unless the status is {@link UcsStatus#OK}
     * @throws IllegalArgumentException if there is no such operation on this worker
     */
    @HotPath
    public long fetched(long request) {
        if (request == 0) {
            return 0;
        }
        owner.check();
        return fetched(slot(request));
    }

    @HotPath
    long fetched(RequestSlot slot) {
        boolean known = slot.status == 0 && slot.kind >= RequestSlot.FETCH_32 && slot.kind <= RequestSlot.FETCH_64;
        return known ? slot.length : 0;
    }

    /**
     * Asks to end an operation early: {@code ucp_request_cancel}. A receive that has not met its message becomes {@link
     * UcsStatus#CANCELED}, some transports only after some progress. Anything else goes on: UCX cannot cancel a send.
     *
     * @param request what the call that began it returned, also if it carries {@linkplain UcpPayload#userData user data}; if
     *     it has ended already, nothing happens
     * @throws IllegalArgumentException if there is no such operation on this worker
     */
    @HotPath
    public void cancel(long request) {
        if (request == 0) {
            return;
        }
        owner.check();
        RequestSlot slot = request < 0 ? polled(request) : slot(request);
        if (poll(slot) == IN_PROGRESS) {
            Ucp.requestCancel(worker, slot.address);
            touch();
        }
    }

    private RequestSlot polled(long request) {
        RequestSlot slot = polled == null ? null : polled.find(request);
        if (slot == null) {
            throw new IllegalArgumentException("no operation of this worker that carries user data has the number 0x"
                    + Long.toHexString(request) + ": it was polled already, or belongs to another worker");
        }
        return slot;
    }

    /**
     * Forgets an operation that has ended, which makes room for another.
     *
     * @param request what the call that began it returned; invalid from now on, unless it is 0
     * @throws IllegalArgumentException if there is no such operation on this worker: it was released before
     * @throws IllegalStateException if it has not ended, and UCX may still use its buffer
     */
    @HotPath
    public void release(long request) {
        if (request == 0) {
            return;
        }
        owner.check();
        RequestSlot slot = slot(request);
        if (poll(slot) == IN_PROGRESS) {
            throw stillInProgress();
        }
        slots.free(slot);
    }

    /**
     * A future of an operation, the convenient way: for what has no such form of its own. {@link UcpWorker#progress()}
     * ends the future, on the worker's thread, with a {@link dev.isthmus.UcxException} if the operation fails. It
     * allocates.
     *
     * <p>This holds for every future of an operation: it ends when UCX has ended the operation, and not before, so that the
     * buffer is yours again. To cancel it, to complete it, or to let it time out ({@code orTimeout}, {@code
     * completeOnTimeout}) asks UCX to {@link #cancel} the operation, from any thread. The call returns at once. If UCX
     * cancels the operation, the future ends as you asked; otherwise it ends as the operation does, which for a send may
     * take until its endpoint fails or is closed. A future that depends on it, such as {@code thenApply} makes, is a plain
     * one: when that one is cancelled or times out, UCX still uses the buffer.
     *
     * <p>The close of the worker ends what is left. UCX may then still reach the buffer of an operation that could not be
     * cancelled, and the exception says so.
     *
     * <p>UCX does not tell when such an operation ends that was begun without a future, so each progress that did something
     * asks about some of them. Methods whose name ends in Async have no such cost.
     *
     * @param request what the call that began it returned; stale after this, as the library releases it
     * @return completed when the operation is done
     * @throws IllegalArgumentException if there is no such operation on this worker, or it has a future already
     */
    public CompletableFuture<Void> whenDone(long request) {
        owner.check();
        return request == 0 ? CompletableFuture.completedFuture(null) : async.take(slot(request));
    }

    /**
     * What UCX says of an operation: {@code ucp_request_query}. It allocates, and is for people who look for a fault.
     *
     * @param request what the call that began it returned
     * @return its status, and where its memory is
     * @throws IllegalArgumentException if there is no such operation on this worker
     */
    public UcpRequestAttributes attributes(long request) {
        owner.check();
        if (request == 0) {
            return UcpRequestAttributes.DONE;
        }
        RequestSlot slot = slot(request);
        return poll(slot) == IN_PROGRESS ? UcpRequestAttributes.query(slot) : UcpRequestAttributes.ended(slot);
    }

    /**
     * How many operations were begun and not released, done or not. Those that carry user data count until they are polled;
     * implicit ones do not count.
     *
     * @return the number
     */
    public int outstanding() {
        owner.check();
        return slots.inUse() - implicit.size();
    }

    void futures(AsyncRequests futures) {
        async = futures;
    }

    void polled(PolledOperations operations) {
        polled = operations;
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
     * @return null if the arena is not guarded; otherwise to be given to {@link #begin}, or {@linkplain ArenaUse#endOf
     *     ended} if the operation did not begin or was done at once
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

    /** Keeps account of an operation that C began in the slot that {@link RequestSlots#next} gave. */
    @HotPath
    long begin(RequestSlot slot, byte kind, UcpEndpoint endpoint, MemorySegment buffer, ArenaUse use) {
        note(slot, kind, endpoint, buffer);
        keep(slot, use);
        return slots.take(slot);
    }

    /** The same of one that moves bytes to or from the peer, which its endpoint counts until it has ended. */
    @HotPath
    long begin(RequestSlot slot, byte kind, UcpEndpoint endpoint, MemorySegment buffer, long bytes, ArenaUse use) {
        count(slot, endpoint, bytes);
        return begin(slot, kind, endpoint, buffer, use);
    }

    @HotPath
    private static void keep(RequestSlot slot, ArenaUse use) {
        if (use != null) {
            slot.use = use;
            slot.holdsMore = true;
        }
    }

    /** The same of one that a poll reports; returns the number to cancel it by. */
    @HotPath
    long beginPolled(
            RequestSlot slot, byte kind, UcpEndpoint endpoint, MemorySegment buffer, ArenaUse use, long userData) {
        note(slot, kind, endpoint, buffer);
        keep(slot, use);
        return polled.begun(slot, userData);
    }

    /** Keeps account of one that the program is not told the number of, and that is forgotten when it has ended. */
    @HotPath
    void beginImplicit(
            RequestSlot slot, byte kind, UcpEndpoint endpoint, MemorySegment buffer, long bytes, ArenaUse use) {
        note(slot, kind, endpoint, buffer);
        count(slot, endpoint, bytes);
        keep(slot, use);
        slots.takeImplicit(slot);
        implicit.add(slot);
    }

    /** Keeps account of an operation that C began in a slot that is taken. */
    @HotPath
    private void note(RequestSlot slot, byte kind, UcpEndpoint endpoint, MemorySegment buffer) {
        slot.kind = kind;
        slot.status = IN_PROGRESS;
        slot.polledAt = activity - 1; // it may be done already
        slot.buffer = buffer;
        slot.holdsMore = kind != RequestSlot.TAG_RECEIVE && kind != RequestSlot.STREAM_RECEIVE;
        if (endpoint != null) {
            slot.endpoint = endpoint;
        }
    }

    @HotPath
    private static void count(RequestSlot slot, UcpEndpoint endpoint, long bytes) {
        if (endpoint != null) { // null: an answer over one of UCX's own
            slot.bytes = bytes;
            endpoint.begun(bytes);
        }
    }

    @HotPath
    private static void uncount(RequestSlot slot) {
        slot.endpoint.ended(slot.bytes);
        slot.bytes = 0;
    }

    /** Keeps account of a receive of a stream that C has done at once, with its length. */
    @HotPath
    long done(RequestSlot slot, byte kind, long length) {
        noteDone(slot, kind, length);
        return slots.take(slot);
    }

    /** The same of a receive into more than a plain buffer. */
    @HotPath
    long done(RequestSlot slot, byte kind, long length, UcpPayload payload) {
        noteDone(slot, kind, length);
        return payload.take(slots, slot);
    }

    @HotPath
    private static void noteDone(RequestSlot slot, byte kind, long length) {
        slot.kind = kind;
        slot.status = 0;
        slot.length = length;
        slot.senderTag = 0;
    }

    /** What a call says that was to begin an operation on more than a plain buffer. */
    @HotPath
    long began(long result, RequestSlot slot, byte kind, UcpEndpoint endpoint, UcpPayload payload) {
        touch();
        if (result == 0) {
            payload.endedAtOnce(slot, kind);
            return 0;
        }
        if (UcxFailure.isError(result)) {
            payload.notBegun();
            return notBegun((int) result, kind, endpoint, payload);
        }
        slot.payload = payload;
        note(slot, kind, endpoint, null);
        if (kind != RequestSlot.STREAM_RECEIVE) {
            count(slot, endpoint, payload.byteSize());
        }
        slot.holdsMore = true;
        return payload.take(slots, slot);
    }

    private static long notBegun(int status, byte kind, UcpEndpoint endpoint, UcpPayload payload) {
        if (status == UcsStatus.NO_RESOURCE.code() && payload.isOnlyAtOnce()) {
            return NOT_BEGUN;
        }
        String on = endpoint == null ? "" : endpoint + ", ";
        throw UcxFailure.of(status, RequestSlot.call(kind), on + payload);
    }

    @HotPath
    boolean hasEnded(RequestSlot slot) {
        return poll(slot) != IN_PROGRESS;
    }

    /** A flush was done at once. */
    @HotPath
    void flushed() {
        if (implicit.size() > 0) {
            implicit.sweep();
        }
    }

    /** Whether an operation has ended that the program has not been told of. UCX is asked for each of them. */
    boolean anyEndedUntold() {
        boolean any = false;
        RequestSlot[] all = slots.all();
        // Those with a future or user data are looked at elsewhere.
        int left = slots.inUse() - async.pending() - (polled == null ? 0 : polled.pending());
        for (int i = 0; left > 0 && i < all.length; i++) {
            RequestSlot slot = all[i];
            if (slot.isTaken() && slot.future == null && !slot.hasUserData) {
                left--;
                any |= slot.status == IN_PROGRESS && ask(slot) != IN_PROGRESS;
            }
        }
        return any;
    }

    /** Lets go of the buffers of all that has ended. */
    private void settle() {
        anyEndedUntold();
        if (polled != null) {
            polled.settle();
        }
    }

    /** Whether a flush of the whole worker has not ended. */
    boolean isWorkerFlushing() {
        boolean any = false;
        for (RequestSlot slot : slots.all()) {
            boolean flush = slot.isTaken() && slot.kind == RequestSlot.FLUSH && slot.endpoint == null;
            any |= flush && poll(slot) == IN_PROGRESS;
        }
        return any;
    }

    /**
     * How many operations have not ended: those of an endpoint, or all when it is null. Receives of streams do not count:
     * the close of their endpoint ends them.
     */
    int pending(UcpEndpoint endpoint) {
        int count = 0;
        for (RequestSlot slot : slots.all()) {
            if (isPending(slot, endpoint)) {
                count++;
            }
        }
        return count;
    }

    /**
     * The same, to wait until none is left: one of those that have not ended.
     *
     * @param from what the last call returned, or 0: not all are asked about each time
     * @return the index of its slot; -1 if there is none
     */
    int nextPending(UcpEndpoint endpoint, int from) {
        RequestSlot[] all = slots.all();
        for (int i = 0; i < all.length; i++) {
            int index = from + i < all.length ? from + i : from + i - all.length;
            if (isPending(all[index], endpoint)) {
                return index;
            }
        }
        return -1;
    }

    /**
     * Whether one has not ended that UCX may keep in a list of an endpoint with error handling {@code PEER}: its own, or one
     * that UCX has made for a peer, as the peer said.
     */
    boolean anyPendingTracked() {
        boolean any = false;
        for (RequestSlot slot : slots.all()) {
            boolean untracked = slot.endpoint != null && slot.endpoint.errorHandling() == UcpErrorHandling.NONE;
            any |= !untracked && isPending(slot, null);
        }
        return any;
    }

    private boolean isPending(RequestSlot slot, UcpEndpoint endpoint) {
        // Of an active message that is fetched it is not always known which endpoint that uses.
        boolean any = endpoint == null || (slot.kind == RequestSlot.AM_RECEIVE && slot.endpoint == null);
        boolean counts = slot.isTaken() && slot.kind != RequestSlot.STREAM_RECEIVE;
        return counts && (any || slot.endpoint == endpoint) && poll(slot) == IN_PROGRESS;
    }

    /** The worker goes: what is left of keys goes with it. */
    void forgetRemoteMemory() {
        for (RequestSlot slot : slots.all()) {
            if (slot.remote != null) {
                slot.remote.leave();
                slot.remote = null;
            }
        }
    }

    /**
     * The worker has gone. The buffers of operations that did not end are the program's again, but for those that a peer in
     * the middle of a transfer may still write to.
     */
    void releaseBuffers() {
        for (RequestSlot slot : slots.all()) {
            if (slot.isTaken() && poll(slot) == IN_PROGRESS && !slot.isWriting()) {
                slot.letGo();
                if (slot.payload != null) {
                    slot.payload.letGo();
                }
            }
        }
        holds.end();
    }

    /** The worker has gone: registered memory that an operation uses which did not end is not given back to C. */
    void releaseMemory() {
        for (RequestSlot slot : slots.all()) {
            UcpMemory memory = slot.memory;
            if (memory != null && poll(slot) != IN_PROGRESS) {
                memory.release();
            } else if (memory != null) {
                memory.abandon();
            }
            slot.memory = null;
        }
    }

    /** Cancels every receive. */
    void cancelReceives() {
        for (RequestSlot slot : slots.all()) {
            if (slot.isTaken() && slot.kind == RequestSlot.TAG_RECEIVE && poll(slot) == IN_PROGRESS) {
                Ucp.requestCancel(worker, slot.address);
            }
        }
        touch();
    }

    @HotPath
    private RequestSlot slot(long request) {
        RequestSlot slot = slots.find(request);
        if (slot == null) {
            throw unknown(request);
        }
        return slot;
    }

    @HotPath
    private int poll(RequestSlot slot) {
        int status = slot.status;
        return status != IN_PROGRESS ? status : ask(slot);
    }

    @HotPath
    private int ask(RequestSlot slot) {
        slot.polledAt = activity;
        int status = Ucp.requestStatus(slot.address);
        return status == IN_PROGRESS ? status : ended(slot, status);
    }

    /** C has told that an operation has ended, and how. */
    @HotPath
    void endedAs(RequestSlot slot, byte status) {
        ended(slot, status);
    }

    @HotPath
    private int ended(RequestSlot slot, int status) {
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
            uncount(slot);
        }
        slot.endpoint = null;
        if (slot.remote != null) {
            slot.remote.ended(slot);
        } else if (slot.kind == RequestSlot.FLUSH) {
            flushed();
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

    private static IllegalArgumentException unknown(long request) {
        return new IllegalArgumentException(
                "no operation of this worker has the number 0x" + Long.toHexString(request)
                        + ": it was released already, has a future by whenDone(), carries user data, or belongs to another worker");
    }

    private static IllegalStateException stillInProgress() {
        return new IllegalStateException("the operation is in progress, and UCX may still use its buffer:"
                + " release it when isDone() says so, after a cancel() if it is a receive");
    }
}
