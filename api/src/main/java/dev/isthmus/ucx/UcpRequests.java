// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.OwnerThread;
import java.util.concurrent.CompletableFuture;

/**
 * The outstanding operations of a worker. Each is the number that the call which began it returned. The number 0
 * stands for an operation that was done at once. You can ask about it like any other; it is {@link UcsStatus#OK}, and
 * needs no release.
 *
 * <p>An operation that is done keeps its status, length and tag until {@link #release}. Release every number that was
 * not 0, once. A number that was released, or is of another worker, is refused.
 *
 * <p>Confined to the thread of its worker. Nothing here blocks or allocates.
 */
public final class UcpRequests {

    /**
     * What a call returns if you asked for {@link UcpOperationOption#ONLY_AT_ONCE} and it could not be done at once.
     */
    public static final long NOT_BEGUN = -1;

    private final OwnerThread owner;
    private final Operations operations;
    private final AsyncRequests async;
    private final PolledOperations polled;

    UcpRequests(OwnerThread owner, Operations operations, AsyncRequests async, PolledOperations polled) {
        this.owner = owner;
        this.operations = operations;
        this.async = async;
        this.polled = polled;
    }

    /**
     * Whether an operation has ended, successfully or not: {@code ucp_request_check_status}. It ends inside
     * {@link UcpWorker#progress()}, so call both in a loop.
     *
     * @param request what the call that began it returned
     * @return whether its status is final and its buffer is yours again
     * @throws IllegalArgumentException if there is no such operation on this worker
     */
    @HotPath
    public boolean isDone(long request) {
        return statusCode(request) != Operations.IN_PROGRESS;
    }

    /**
     * The status of an operation. It reports a failure of the operation, which throws no exception.
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
     * The length of the message that a receive got, {@code ucp_tag_recv_info_t::length}, or of its part of a stream,
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
        return operations.lengthOf(slot(request));
    }

    /**
     * The tag of the message that a receive got: {@code ucp_tag_recv_info_t::sender_tag}.
     *
     * @param request what the receive returned
     * @return the sender's tag; 0 unless the status is {@link UcsStatus#OK}
     * @throws IllegalArgumentException if there is no such operation on this worker
     */
    @HotPath
    public long senderTag(long request) {
        if (request == 0) {
            return 0;
        }
        owner.check();
        return operations.senderTagOf(slot(request));
    }

    /**
     * The number that an atomic operation fetched: what the peer's memory held before it.
     *
     * @param request what the operation returned
     * @return the number, sign-extended if it has 32 bits; 0 unless the status is {@link UcsStatus#OK}
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
     * Asks UCX to end an operation early: {@code ucp_request_cancel}. A receive that has not matched its message
     * becomes {@link UcsStatus#CANCELED}, with some transports only after some progress. Anything else goes on: UCX
     * cannot cancel a send.
     *
     * @param request what the call that began it returned, also if it carries
     *     {@linkplain UcpPayload#userData user data}; if it has ended already, nothing happens
     * @throws IllegalArgumentException if there is no such operation on this worker
     */
    @HotPath
    public void cancel(long request) {
        if (request == 0) {
            return;
        }
        owner.check();
        operations.cancel(request < 0 ? polled(request) : slot(request));
    }

    private RequestSlot polled(long request) {
        RequestSlot slot = polled.find(request);
        if (slot == null) {
            throw new IllegalArgumentException("no operation of this worker that carries user data has the number 0x"
                    + Long.toHexString(request) + ": it was polled already, or belongs to another worker");
        }
        return slot;
    }

    /**
     * Releases an operation that has ended, which makes room for another.
     *
     * @param request what the call that began it returned; invalid from now on, unless it is 0
     * @throws IllegalArgumentException if there is no such operation on this worker, for example because it
     *     was released
     * @throws IllegalStateException if it has not ended, so that UCX may still use its buffer
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
     * Returns a future of an operation, for operations that have no method for that. {@link UcpWorker#progress()}
     * completes the future on the worker's thread, with a {@link dev.isthmus.UcxException} if the operation fails.
     * It allocates.
     *
     * <p>This holds for every future of an operation. It completes when UCX has ended the operation, and not before;
     * then the buffer is yours again. Cancelling or completing it, or a timeout ({@code orTimeout},
     * {@code completeOnTimeout}), asks UCX to {@link #cancel} the operation, from any thread, and returns at once. If
     * UCX cancels the operation, the future completes as you asked. Otherwise it completes as the operation does, which
     * for a send may take until its endpoint fails or is closed. A dependent future, such as {@code thenApply} returns,
     * is a plain one: if you cancel that, or it times out, UCX still uses the buffer.
     *
     * <p>Closing the worker completes the remaining futures. UCX may then still access the buffer of an operation that
     * it could not cancel; the exception says so.
     *
     * <p>UCX does not report the end of an operation that was begun without a future, so each progress that did
     * something polls some of these operations. Methods whose name ends in Async have no such cost.
     *
     * @param request what the call that began it returned; no longer valid after this, as Isthmus releases it
     * @return completed when the operation is done
     * @throws IllegalArgumentException if there is no such operation on this worker, or it has a future already
     */
    public CompletableFuture<Void> whenDone(long request) {
        owner.check();
        return request == 0 ? CompletableFuture.completedFuture(null) : async.futureOf(slot(request));
    }

    /**
     * What UCX reports about an operation: {@code ucp_request_query}. It allocates, and is meant for finding faults.
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
     * How many operations were begun and not released, whether or not they are done. Those that carry user data count
     * until they are polled; implicit ones do not count.
     *
     * @return the number
     */
    public int outstanding() {
        owner.check();
        return operations.inUse() - operations.implicit();
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
