// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

/**
 * Events delivered once UCX returns: ended futures, failed endpoints, connection requests, exceptions of active message
 * handlers, deferred and unfinished closes. Callbacks record them while UCX runs. Used on the worker's thread.
 */
final class PendingEvents {

    private final WorkerCore worker;
    private final WorkerCallbacks callbacks;
    private final WorkerProgress progress;
    private final PendingOperations pending;
    private final AsyncRequests async;
    private final EndpointFailures failures;
    private final EndpointCloses closes;
    private final ConnectionRequests connections;
    private final WorkerClose close;

    PendingEvents(
            WorkerCore worker,
            WorkerCallbacks callbacks,
            WorkerProgress progress,
            PendingOperations pending,
            AsyncRequests async,
            EndpointFailures failures,
            EndpointCloses closes,
            ConnectionRequests connections,
            WorkerClose close) {
        this.worker = worker;
        this.callbacks = callbacks;
        this.progress = progress;
        this.pending = pending;
        this.async = async;
        this.failures = failures;
        this.closes = closes;
        this.connections = connections;
        this.close = close;
    }

    /**
     * Delivers all events. If a handler throws, the remaining events are delivered next time.
     *
     * @return whether there is something left to do
     */
    boolean deliver(boolean somethingHappened) {
        progress.progressed();
        callbacks.runDeferred();
        if (async.any()) {
            async.sweep(somethingHappened);
        }
        if (closes.any()) {
            closes.advance();
        }
        if (failures.any()) {
            failures.deliver();
        }
        if (connections.any()) {
            connections.deliver();
        }
        callbacks.rethrow();
        if (close.advance()) {
            return false;
        }
        boolean closing = closes.any() || worker.isClosing();
        return closing
                || async.any()
                || failures.any()
                || connections.any()
                || callbacks.any()
                || progress.isCounting();
    }

    /** A number that changes whenever a future or a close ends. */
    int endings() {
        return async.endings() + closes.endings();
    }

    /**
     * Whether the program would miss something if its thread slept now: UCX ends a few operations without counting that
     * as progress.
     */
    boolean anyUndelivered() {
        return pending.anyToReport() || (worker.isDeliveryRequested() && any());
    }

    /** Whether {@link #deliver} has something to do. Pending futures and waiting closes do not count. */
    private boolean any() {
        return callbacks.any()
                || failures.any()
                || connections.any()
                || closes.canAdvance()
                || close.canAdvance()
                || async.anyDone();
    }
}
