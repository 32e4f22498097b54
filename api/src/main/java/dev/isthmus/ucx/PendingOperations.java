// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

/**
 * Looks through all operations of a worker for whatever waits for their end: closes, arenas, and a thread that is about
 * to sleep. For the worker's thread.
 */
final class PendingOperations {

    private final Operations operations;
    private final AsyncRequests async;
    private final PolledOperations polled;

    PendingOperations(Operations operations, AsyncRequests async, PolledOperations polled) {
        this.operations = operations;
        this.async = async;
        this.polled = polled;
        operations.holds().setQuery(this::settle);
    }

    // Asks UCX about each operation.
    private boolean anyEndedUnreported() {
        boolean any = false;
        RequestSlot[] all = operations.all();
        // Other classes look after those with a future or user data.
        int left = operations.inUse() - async.pending() - polled.pending();
        for (int i = 0; left > 0 && i < all.length; i++) {
            RequestSlot slot = all[i];
            if (slot.isTaken() && slot.future == null && !slot.hasUserData) {
                left--;
                any |= slot.status == Operations.IN_PROGRESS && operations.hasEnded(slot);
            }
        }
        return any;
    }

    /** Whether an operation has ended without the program knowing it yet, or having polled it. */
    boolean anyToReport() {
        return anyEndedUnreported() || polled.any();
    }

    /** Releases the buffers of all operations that have ended. */
    private void settle() {
        anyEndedUnreported();
        polled.settle();
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
     * How many operations have not ended: those of an endpoint, or all if it is null. Receives of streams do not count,
     * as the close of their endpoint ends them.
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
     * One of those that have not ended, for waiting until none is left.
     *
     * @param from what the last call returned, or 0, so that not every call asks about all
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

    /** Whether a send of the endpoint has not ended. A flush does not count: a send may overtake it. */
    boolean anySend(UcpEndpoint endpoint) {
        for (RequestSlot slot : operations.all()) {
            boolean sends = RequestSlot.countsBytes(slot.kind) && slot.kind != RequestSlot.FLUSH;
            if (sends && slot.endpoint == endpoint && isPending(slot, endpoint)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Whether an operation has not ended that UCX may keep in a list of an endpoint with error handling {@code PEER}:
     * its own endpoint, or one that UCX has created at a peer's request.
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
        // It is not always known which endpoint the fetch of an active message uses.
        boolean any = endpoint == null || (slot.kind == RequestSlot.AM_RECEIVE && slot.endpoint == null);
        boolean counts = slot.isTaken() && slot.kind != RequestSlot.STREAM_RECEIVE;
        return counts && (any || slot.endpoint == endpoint) && !operations.hasEnded(slot);
    }

    /** Cancels every receive. */
    void cancelReceives() {
        for (RequestSlot slot : operations.all()) {
            if (slot.isTaken() && slot.kind == RequestSlot.TAG_RECEIVE) {
                operations.cancel(slot);
            }
        }
    }

    /** The worker is being destroyed, and with it the remaining keys. */
    void abandonRemoteMemory() {
        for (RequestSlot slot : operations.all()) {
            if (slot.remote != null) {
                slot.remote.abandon();
                slot.remote = null;
            }
        }
    }

    /**
     * The worker is destroyed. The program may use the buffers of operations that did not end, except those that a
     * peer in the middle of a transfer may still write to. Registered memory that such an operation uses is not
     * returned to C.
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
                slot.releaseArenas();
                if (slot.payload != null) {
                    slot.payload.release();
                }
            }
        }
        operations.holds().end();
    }
}
