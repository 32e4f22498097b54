// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.OwnerThread;
import dev.isthmus.internal.ucx.Ucp;

/** Flushes and fences of one worker and its endpoints: checks and calls. */
final class OrderOperations {

    private final WorkerCore parent;
    private final OwnerThread owner;
    private final Operations operations;
    private final PolledOperations polled;
    private final WorkerCallbacks callbacks;
    private final long worker;

    OrderOperations(WorkerCore parent, Operations operations, PolledOperations polled, WorkerCallbacks callbacks) {
        this.parent = parent;
        this.owner = parent.owner();
        this.operations = operations;
        this.polled = polled;
        this.callbacks = callbacks;
        this.worker = parent.handle();
    }

    /** {@code ucp_ep_flush_nbx}, on an open endpoint of this thread. */
    @HotPath
    long flush(UcpEndpoint endpoint, long ep) {
        long result = Ucp.endpointFlush(ep, operations.next());
        return result == 0 ? operations.flushedAtOnce() : operations.take(record(result, RequestSlot.FLUSH, endpoint));
    }

    /** {@code ucp_ep_flush_nbx} with user data. */
    @HotPath
    long flush(UcpEndpoint endpoint, long ep, long userData) {
        polled.reserve();
        long result = Ucp.endpointFlush(ep, polled.parameters(false));
        return result == 0
                ? operations.flushedAtOnce()
                : polled.track(record(result, RequestSlot.FLUSH, endpoint), userData);
    }

    /** {@code ucp_worker_flush_nbx}. */
    @HotPath
    long flush() {
        owner.check();
        long result = Ucp.workerFlush(worker, operations.next());
        return result == 0
                ? operations.flushedAtOnce()
                : operations.take(record(result, RequestSlot.WORKER_FLUSH, null));
    }

    /** {@code ucp_worker_flush_nbx} with user data. */
    @HotPath
    long flush(long userData) {
        owner.check();
        polled.reserve();
        long result = Ucp.workerFlush(worker, polled.parameters(false));
        return result == 0
                ? operations.flushedAtOnce()
                : polled.track(record(result, RequestSlot.WORKER_FLUSH, null), userData);
    }

    /** {@code ucp_worker_fence}. */
    @HotPath
    void fence() {
        owner.check();
        callbacks.refuseInside("a fence");
        int status = Ucp.workerFence(worker);
        operations.touch();
        if (status != 0) {
            throw UcxFailure.of(status, "ucp_worker_fence", parent.toString());
        }
    }

    @HotPath
    private RequestSlot record(long result, byte kind, UcpEndpoint endpoint) {
        return operations.recordBuffer(result, kind, endpoint, null, 0, null);
    }
}
