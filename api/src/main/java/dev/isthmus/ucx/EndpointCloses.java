// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The endpoints of a worker that are being closed while the worker goes on. For the worker's thread. */
final class EndpointCloses {

    private final UcpWorker worker;
    private final ArrayList<EndpointClose> closes = new ArrayList<>();
    private int endings; // in total

    EndpointCloses(UcpWorker worker) {
        this.worker = worker;
    }

    /** Adds a close. */
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
