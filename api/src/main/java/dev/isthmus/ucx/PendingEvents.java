// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.internal.ucx.Ucp;
import java.util.ArrayList;

/**
 * Events delivered once UCX returns: ended futures, failed endpoints, connection requests, exceptions of active message
 * handlers, deferred and unfinished closes. Callbacks record them while UCX runs. Used on the worker's thread.
 */
final class PendingEvents {

    private final long worker;
    private final Operations operations;
    private final WorkerCallbacks callbacks;
    private final EndpointFailures failures;
    private final ConnectionRequests connections;
    private final UcpWorker parent;
    private final AsyncRequests async;
    private final UcpActiveMessages active; // null without the feature
    private final EndpointCloses closes;
    private final WorkerClose close;
    private final ArrayList<Establishment> unordered = new ArrayList<>(); // the last one is being established
    private long progresses;
    private Throwable thrown; // by the program, in a callback that had to return to C

    PendingEvents(
            UcpWorker parent,
            Operations operations,
            AsyncRequests async,
            UcpActiveMessages active,
            WorkerCallbacks callbacks,
            EndpointFailures failures,
            ConnectionRequests connections,
            WorkerClose close) {
        this.parent = parent;
        this.worker = parent.handle();
        this.operations = operations;
        this.callbacks = callbacks;
        this.failures = failures;
        this.connections = connections;
        this.async = async;
        this.closes = new EndpointCloses(parent);
        this.active = active;
        this.close = close;
    }

    /**
     * Delivers all events. If a handler throws, the remaining events are delivered next time.
     *
     * @return whether there is something left to do
     */
    boolean deliver(boolean somethingHappened) {
        progressed();
        callbacks.runDeferred();
        if (thrown != null) {
            rethrow();
        }
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
        if (hasThrown()) {
            active.rethrow();
        }
        if (close.advance()) {
            return false;
        }
        boolean closing = closes.any() || close.isUnderWay();
        return closing
                || async.any()
                || failures.any()
                || connections.any()
                || callbacks.any()
                || thrown != null
                || !unordered.isEmpty();
    }

    /** A number that changes whenever a future or a close ends. */
    int endings() {
        return async.endings() + closes.endings();
    }

    /** Counts progresses from now on, until the connection is established. */
    void add(Establishment connection) {
        unordered.add(connection);
        parent.requestDelivery();
    }

    /** Notes that C's part of a progress is done. */
    void progressed() {
        if (!unordered.isEmpty()) {
            progresses++;
            while (!unordered.isEmpty() && unordered.getLast().isOver()) {
                unordered.removeLast();
            }
        }
    }

    /** A number that changes whenever C has progressed, while a connection is being established. */
    long progresses() {
        return callbacks.isInside() ? ++progresses : progresses; // C may have progressed between two callbacks
    }

    /** Records an exception of a callback, for the next progress. */
    @SuppressWarnings("ReferenceEquality") // a throwable cannot suppress itself
    void addFailure(Throwable t) {
        if (thrown == null) {
            thrown = t;
        } else if (thrown != t) {
            thrown.addSuppressed(t);
        }
        parent.requestDelivery();
    }

    private void rethrow() {
        Throwable t = thrown;
        thrown = null;
        switch (t) {
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> throw new IllegalStateException("a callback of " + parent + " failed", t);
        }
    }

    EndpointCloses closes() {
        return closes;
    }

    /** Whether {@link #deliver} has something to do. Pending futures and waiting closes do not count. */
    boolean any() {
        return callbacks.any()
                || failures.any()
                || connections.any()
                || thrown != null
                || hasThrown()
                || closes.canAdvance()
                || close.canAdvance()
                || async.anyDone();
    }

    private boolean hasThrown() {
        return active != null && active.any();
    }

    /**
     * Called after C has closed sockets, and before it opens some. UCX may have recorded an event of a socket by its
     * number, for the next progress. If another socket has that number by then, UCX attributes the event to that one,
     * and an assertion of UCX ends the process.
     */
    void drainSocketEvents() {
        if (!callbacks.isInside()) {
            Ucp.workerProgress(worker);
            operations.touch();
            progressed();
        }
    }

    /** Progresses without delivering events; returns false if the time is up. */
    boolean progressUntil(long deadline) {
        Ucp.workerProgress(worker);
        operations.touch();
        progressed();
        return System.nanoTime() - deadline < 0;
    }
}
