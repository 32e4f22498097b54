// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.internal.ucx.Ucp;

/**
 * Looks through all operations of a worker, for what waits until some have ended: closes, arenas, and a thread that is about
 * to sleep. On the worker's thread.
 */
final class PendingOperations {

    private final Operations operations;
    private final AsyncRequests async;
    private final long worker;
    private PolledOperations polled; // null until there is one

    PendingOperations(Operations operations, AsyncRequests async, long worker) {
        this.operations = operations;
        this.async = async;
        this.worker = worker;
        operations.holds().askBy(this::settle);
    }

    void polled(PolledOperations those) {
        polled = those;
    }

    /** Whether an operation has ended that the program has not been told of. UCX is asked for each of them. */
    boolean anyEndedUntold() {
        boolean any = false;
        RequestSlot[] all = operations.all();
        // Those with a future or user data are looked at elsewhere.
        int left = operations.inUse() - async.pending() - (polled == null ? 0 : polled.pending());
        for (int i = 0; left > 0 && i < all.length; i++) {
            RequestSlot slot = all[i];
            if (slot.isTaken() && slot.future == null && !slot.hasUserData) {
                left--;
                any |= slot.status == Operations.IN_PROGRESS && operations.hasEnded(slot);
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
        for (RequestSlot slot : operations.all()) {
            any |= slot.isTaken() && slot.kind == RequestSlot.WORKER_FLUSH && !operations.hasEnded(slot);
        }
        return any;
    }

    /**
     * How many operations have not ended: those of an endpoint, or all when it is null. Receives of streams do not count:
     * the close of their endpoint ends them.
     */
    int count(UcpEndpoint endpoint) {
        int count = 0;
        for (RequestSlot slot : operations.all()) {
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
    int next(UcpEndpoint endpoint, int from) {
        RequestSlot[] all = operations.all();
        for (int i = 0; i < all.length; i++) {
            int index = from + i < all.length ? from + i : from + i - all.length;
            if (isPending(all[index], endpoint)) {
                return index;
            }
        }
        return -1;
    }

    /** Whether a send of the endpoint has not ended. A flush is none: nothing is wrong with a send that overtakes it. */
    boolean anySend(UcpEndpoint endpoint) {
        for (RequestSlot slot : operations.all()) {
            boolean sends = RequestSlot.counts(slot.kind) && slot.kind != RequestSlot.FLUSH;
            if (sends && slot.endpoint == endpoint && isPending(slot, endpoint)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Whether one has not ended that UCX may keep in a list of an endpoint with error handling {@code PEER}: its own, or one
     * that UCX has made for a peer, as the peer said.
     */
    boolean anyTracked() {
        boolean any = false;
        for (RequestSlot slot : operations.all()) {
            boolean untracked = slot.endpoint != null && slot.endpoint.errorHandling() == UcpErrorHandling.NONE;
            any |= !untracked && isPending(slot, null);
        }
        return any;
    }

    private boolean isPending(RequestSlot slot, UcpEndpoint endpoint) {
        // Of an active message that is fetched it is not always known which endpoint that uses.
        boolean any = endpoint == null || (slot.kind == RequestSlot.AM_RECEIVE && slot.endpoint == null);
        boolean counts = slot.isTaken() && slot.kind != RequestSlot.STREAM_RECEIVE;
        return counts && (any || slot.endpoint == endpoint) && !operations.hasEnded(slot);
    }

    /** Cancels every receive. */
    void cancelReceives() {
        for (RequestSlot slot : operations.all()) {
            if (slot.isTaken() && slot.kind == RequestSlot.TAG_RECEIVE && !operations.hasEnded(slot)) {
                Ucp.requestCancel(worker, slot.address);
            }
        }
        operations.touch();
    }

    /** The worker goes: what is left of keys goes with it. */
    void forgetRemoteMemory() {
        for (RequestSlot slot : operations.all()) {
            if (slot.remote != null) {
                slot.remote.leave();
                slot.remote = null;
            }
        }
    }

    /**
     * The worker has gone. The buffers of operations that did not end are the program's again, but for those that a peer in
     * the middle of a transfer may still write to. Registered memory that such an operation uses is not given back to C.
     */
    void release() {
        for (RequestSlot slot : operations.all()) {
            UcpMemory memory = slot.memory;
            if (memory != null && operations.hasEnded(slot)) {
                memory.release();
            } else if (memory != null) {
                memory.abandon();
            }
            slot.memory = null;
        }
        for (RequestSlot slot : operations.all()) {
            if (slot.isTaken() && !operations.hasEnded(slot) && !slot.isWriting()) {
                slot.letGo();
                if (slot.payload != null) {
                    slot.payload.letGo();
                }
            }
        }
        operations.holds().end();
    }
}
