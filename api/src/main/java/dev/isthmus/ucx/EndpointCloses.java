// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The endpoints of a worker that are being closed while it goes on. On the worker's thread. */
final class EndpointCloses {

    private final UcpWorker worker;
    private final ArrayList<EndpointClose> closes = new ArrayList<>();

    EndpointCloses(UcpWorker worker) {
        this.worker = worker;
    }

    /** Begins to look after a close. */
    void add(EndpointClose close) {
        if (!close.advance() && !closes.contains(close)) {
            closes.add(close);
            worker.needAttention();
        }
    }

    boolean any() {
        return !closes.isEmpty();
    }

    /** Whether {@link #advance} has something to do. */
    boolean anyToAdvance() {
        boolean any = false;
        for (EndpointClose close : closes) {
            any |= !close.isWaiting();
        }
        return any;
    }

    /** Takes each as far as it goes. What the program does when one has ended may come back here. */
    void advance() {
        for (EndpointClose close : List.copyOf(closes)) {
            close.advance();
        }
        closes.removeIf(EndpointClose::hasEnded);
    }

    /** Waits for all of them: the worker is about to go. */
    void await() {
        for (EndpointClose close : List.copyOf(closes)) {
            close.await();
        }
        closes.removeIf(EndpointClose::hasEnded);
    }

    /** All of them are to end by then. */
    void endBy(long nanoTime) {
        for (EndpointClose close : closes) {
            close.endBy(nanoTime);
        }
    }

    /** For how long nothing needs to be done at most, if no more happens on the worker than was asked for. */
    Duration atMost(Duration timeout) {
        Duration most = timeout;
        for (EndpointClose close : closes) {
            Duration left = Duration.ofNanos(close.nanosLeft());
            most = left.compareTo(most) < 0 ? left : most;
        }
        return most;
    }
}
