// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Closes the endpoints of a worker, and has those that are being closed while the worker goes on. For the worker's
 * thread.
 */
final class EndpointCloses {

    private final WorkerCore worker;
    private final WorkerCallbacks callbacks;
    private final PendingOperations pending;
    private final StreamOperations streams;
    private final WorkerProgress progress;
    private final ArrayList<EndpointClose> closes = new ArrayList<>();
    private int endings; // in total

    EndpointCloses(
            WorkerCore worker,
            WorkerCallbacks callbacks,
            PendingOperations pending,
            StreamOperations streams,
            WorkerProgress progress) {
        this.worker = worker;
        this.callbacks = callbacks;
        this.pending = pending;
        this.streams = streams;
        this.progress = progress;
    }

    /** The close of an endpoint, which {@link #await} or {@link #add} runs. */
    EndpointClose of(UcpEndpoint endpoint) {
        return new EndpointClose(worker, pending, streams, progress, endpoint);
    }

    /** Whether a close must be {@linkplain #defer deferred}, as UCX is in the middle of a callback. */
    boolean mustDefer() {
        return callbacks.isInside();
    }

    /** Begins a close once UCX has returned. */
    void defer(Runnable begin) {
        callbacks.defer(begin);
    }

    /** Waits until a close has ended; in a turn of the worker's loop, leaves it to progress. */
    void await(EndpointClose close) {
        if (worker.mayWait()) {
            close.await();
        } else {
            add(close);
        }
    }

    /** Leaves a close to progress. */
    void add(EndpointClose close) {
        if (!close.advance() && !closes.contains(close)) {
            closes.add(close);
            worker.requestDelivery();
        }
    }

    boolean any() {
        return !closes.isEmpty();
    }

    /** Whether {@link #advance} has something to do. */
    boolean canAdvance() {
        boolean any = false;
        for (EndpointClose close : closes) {
            any |= !close.isWaiting();
        }
        return any;
    }

    /** Takes each close as far as possible. The program's reaction to an ended one may call this again. */
    void advance() {
        for (EndpointClose close : List.copyOf(closes)) {
            close.advance();
        }
        int before = closes.size();
        closes.removeIf(EndpointClose::hasEnded);
        endings += before - closes.size();
    }

    /** A number that changes whenever a close ends. */
    int endings() {
        return endings;
    }

    /** Waits for all closes, as the worker is about to be destroyed. */
    void await() {
        for (EndpointClose close : List.copyOf(closes)) {
            close.await();
        }
        closes.removeIf(EndpointClose::hasEnded);
    }

    /** Sets a deadline for all closes. */
    void endBy(long nanoTime) {
        for (EndpointClose close : closes) {
            close.endBy(nanoTime);
        }
    }

    /** How long nothing needs to be done, at most the given time, if nothing else happens on the worker. */
    Duration atMost(Duration timeout) {
        Duration most = timeout;
        for (EndpointClose close : closes) {
            Duration left = Duration.ofNanos(close.nanosLeft());
            most = left.compareTo(most) < 0 ? left : most;
        }
        return most;
    }
}
