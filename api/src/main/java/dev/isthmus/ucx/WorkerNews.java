// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.internal.ucx.Ucp;
import java.util.ArrayList;

/**
 * What a worker has to tell the program apart from results of calls: ended futures, failed endpoints, connection
 * requests, exceptions of active message handlers, deferred closes, and closes that take a while. Callbacks record
 * these while UCX runs; the program is told once UCX has returned. For the worker's thread.
 */
final class WorkerNews {

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
    private long turn;
    private Throwable thrown; // by the program, in a callback that had to return to C

    WorkerNews(
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
     * Tells everything. If the program throws, the rest is told the next time.
     *
     * @return whether there is something left to do
     */
    boolean tell(boolean somethingHappened) {
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
            failures.tell();
        }
        if (connections.any()) {
            connections.tell();
        }
        if (hasThrown()) {
            active.tell();
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
        parent.needAttention();
    }

    /** Notes that C's part of a progress is done. */
    void progressed() {
        if (!unordered.isEmpty()) {
            turn++;
            while (!unordered.isEmpty() && unordered.getLast().isOver()) {
                unordered.removeLast();
            }
        }
    }

    /** A number that changes whenever C has progressed, while a connection is being established. */
    long turn() {
        return callbacks.isInside() ? ++turn : turn; // C may have progressed between two callbacks
    }

    /** Records an exception of a callback, for the next progress. */
    @SuppressWarnings("ReferenceEquality") // a throwable cannot suppress itself
    void failed(Throwable t) {
        if (thrown == null) {
            thrown = t;
        } else if (thrown != t) {
            thrown.addSuppressed(t);
        }
        parent.needAttention();
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

    /** Whether {@link #tell} has something to do. Pending futures and waiting closes do not count. */
    boolean any() {
        return callbacks.any()
                || failures.any()
                || connections.any()
                || thrown != null
                || hasThrown()
                || closes.anyToAdvance()
                || close.isToAdvance()
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
    void settle() {
        if (!callbacks.isInside()) {
            Ucp.workerProgress(worker);
            operations.touch();
            progressed();
        }
    }

    /** Progresses without telling the program anything; returns false if the time is up. */
    boolean progressUntil(long deadline) {
        Ucp.workerProgress(worker);
        operations.touch();
        progressed();
        return System.nanoTime() - deadline < 0;
    }
}
