// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.internal.ucx.Libucp;

/** The ends of all that a worker consists of, in their order: first on the Java side, then C's worker, then memory. */
final class WorkerDestruction {

    private final WorkerCore worker;
    private final LoopedWorker looped; // null if the program progresses it
    private final WakeupDescriptor wakeup; // null without the feature
    private final PendingOperations pending;
    private final AsyncRequests async;
    private final TagOperations tags;
    private final StreamOperations streams;
    private final UcpActiveMessages active; // null without the feature
    private final ConnectionRequests connections;
    private final GenericDatatype datatype;

    WorkerDestruction(
            WorkerCore worker,
            LoopedWorker looped,
            WakeupDescriptor wakeup,
            PendingOperations pending,
            AsyncRequests async,
            TagOperations tags,
            StreamOperations streams,
            UcpActiveMessages active,
            ConnectionRequests connections,
            GenericDatatype datatype) {
        this.worker = worker;
        this.looped = looped;
        this.wakeup = wakeup;
        this.pending = pending;
        this.async = async;
        this.tags = tags;
        this.streams = streams;
        this.active = active;
        this.connections = connections;
        this.datatype = datatype;
    }

    /** All endpoints are closed: ends everything that needs no other party. */
    void endLocalOperations() {
        pending.cancelReceives();
        if (active != null) {
            active.close();
        }
        tags.dropAll();
    }

    /**
     * Destroys everything that is left.
     *
     * @param inC also C's worker; otherwise that and its context are left behind, as UCX would end the process
     */
    void destroy(boolean inC) {
        if (looped != null) {
            looped.unregister();
        }
        if (wakeup != null) {
            wakeup.shut();
        }
        tags.dropAll(); // those that were taken since
        boolean abandoned = !inC;
        abandoned |= !streams.endLoans(); // another worker reads it
        abandoned |= active != null && !active.endLoans();
        async.recordEnded(); // with the numbers fetched from remote memory
        pending.abandonRemoteMemory();
        if (!abandoned) {
            connections.destroyRetired();
            UcpCall.run(Libucp.WORKER_DESTROY, worker.handle());
            datatype.destroy();
            abandoned = pending.count(null) > 0; // their buffers may still be registered with the context
            pending.release();
            async.recordEnded();
            worker.arena().close();
        } else {
            pending.release();
            async.recordEnded();
        }
        if (abandoned) {
            worker.context().abandon();
        }
    }
}
