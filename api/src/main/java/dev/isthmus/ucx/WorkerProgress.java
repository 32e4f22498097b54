// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.internal.ucx.Ucp;
import java.util.ArrayList;

/**
 * Progresses a worker without delivering events, for closes and for what opens and closes connections. Counts all
 * progresses while a connection is being established. For the worker's thread.
 */
final class WorkerProgress {

    private final WorkerCore worker;
    private final Operations operations;
    private final WorkerCallbacks callbacks;
    private final ArrayList<Establishment> unordered = new ArrayList<>(); // the last one is being established
    private long progresses;

    WorkerProgress(WorkerCore worker, Operations operations, WorkerCallbacks callbacks) {
        this.worker = worker;
        this.operations = operations;
        this.callbacks = callbacks;
    }

    /**
     * Called after C has closed sockets, and before it opens some. UCX may have recorded an event of a socket by its
     * number, for the next progress. If another socket has that number by then, UCX attributes the event to that one,
     * and an assertion of UCX ends the process.
     */
    void drainSocketEvents() {
        if (!callbacks.isInside()) {
            progress();
        }
    }

    /** Progresses; returns false if the time is up. */
    boolean progressUntil(long deadline) {
        progress();
        return System.nanoTime() - deadline < 0;
    }

    private void progress() {
        Ucp.workerProgress(worker.handle());
        operations.touch();
        progressed();
    }

    /** Whether the caller may wait by {@link #progressUntil}. */
    boolean mayWait() {
        return !callbacks.isInside() && worker.mayWait();
    }

    /** Counts progresses from now on, until the connection is established. */
    void add(Establishment connection) {
        unordered.add(connection);
        worker.requestDelivery();
    }

    /** Whether a connection is being established whose progresses count. */
    boolean isCounting() {
        return !unordered.isEmpty();
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
    long count() {
        return callbacks.isInside() ? ++progresses : progresses; // C may have progressed between two callbacks
    }
}
