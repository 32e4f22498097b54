// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.OwnerThread;
import dev.isthmus.internal.ucx.Ucp;
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

    private final OwnerThread owner;
    private final long worker;
    private final Operations operations;
    private AsyncRequests async; // which needs this
    private PolledOperations polled; // null until there is one

    UcpRequests(OwnerThread owner, long worker, Operations operations) {
        this.owner = owner;
        this.worker = worker;
        this.operations = operations;
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
        return statusCode(request) != Operations.IN_PROGRESS;
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
        return operations.status(slot(request));
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
        return operations.received(slot) ? slot.length : 0;
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
        return operations.received(slot) ? slot.senderTag : 0;
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
        return operations.fetched(slot(request));
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
        if (!operations.hasEnded(slot)) {
            Ucp.requestCancel(worker, slot.address);
            operations.touch();
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
        if (!operations.hasEnded(slot)) {
            throw stillInProgress();
        }
        operations.free(slot);
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
        return operations.hasEnded(slot) ? UcpRequestAttributes.ended(slot) : UcpRequestAttributes.query(slot);
    }

    /**
     * How many operations were begun and not released, done or not. Those that carry user data count until they are polled;
     * implicit ones do not count.
     *
     * @return the number
     */
    public int outstanding() {
        owner.check();
        return operations.inUse() - operations.implicit();
    }

    void futures(AsyncRequests futures) {
        async = futures;
    }

    void polled(PolledOperations those) {
        polled = those;
    }

    /** See {@link Operations#happened}. */
    @HotPath
    void happened(int events) {
        operations.happened(events);
    }

    @HotPath
    private RequestSlot slot(long request) {
        RequestSlot slot = operations.find(request);
        if (slot == null) {
            throw unknown(request);
        }
        return slot;
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
