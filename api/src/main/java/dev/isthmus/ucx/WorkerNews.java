// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.internal.ucx.Ucp;
import java.util.ArrayList;

/**
 * What a worker has to tell the program besides what its calls return: futures that are done, endpoints that failed,
 * connection requests, what handlers of active messages threw, closes that were put off, and closes that take their time.
 * Callbacks note these while UCX runs; they are told when it has returned. On the worker's thread.
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
    private final ArrayList<Establishment> unordered = new ArrayList<>(); // the last of them is being made
    private long turn;
    private Throwable thrown; // by the program's part of a callback that had to return to C

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
     * Tells all of it. An exception of the program's leaves the rest to the next time.
     *
     * @return whether there is something to look at again
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

    /** Counts progresses from now on, until the connection is made. */
    void add(Establishment connection) {
        unordered.add(connection);
        parent.needAttention();
    }

    /** C's part of a progress is done. */
    void progressed() {
        if (!unordered.isEmpty()) {
            turn++;
            while (!unordered.isEmpty() && unordered.getLast().isOver()) {
                unordered.removeLast();
            }
        }
    }

    /** The same number as the last time if C has not progressed since, while a connection is being made. */
    long turn() {
        return callbacks.isInside() ? ++turn : turn; // C may have progressed between two callbacks
    }

    /** Notes what a callback threw, for the next progress. */
    @SuppressWarnings("ReferenceEquality") // a throwable that is thrown again cannot be suppressed by itself
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

    /** Whether {@link #tell} has something to do, futures apart that are not done, and closes that wait. */
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
     * To be called when C has closed sockets, and before it opens some. UCX may have noted an event of one by its number,
     * to look at it with the next progress; if there is another socket of that number by then, it takes the event for
     * that one's, and an assertion of UCX ends the process.
     */
    void settle() {
        if (!callbacks.isInside()) {
            Ucp.workerProgress(worker);
            operations.touch();
            progressed();
        }
    }

    /** Progresses without telling anyone; false when the time is over. */
    boolean progressUntil(long deadline) {
        Ucp.workerProgress(worker);
        operations.touch();
        progressed();
        return System.nanoTime() - deadline < 0;
    }
}
