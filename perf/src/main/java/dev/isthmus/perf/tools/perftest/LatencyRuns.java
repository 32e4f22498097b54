// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import dev.isthmus.perf.tools.PerftestException;

/** The runs of a latency test, with the handshakes that each kind of test has around them. */
final class LatencyRuns {

    private final Endpoint end;
    private final PerftestSession session;
    private final HandshakeData handshake;
    private final Observer observer;

    LatencyRuns(Endpoint end, PerftestSession session, HandshakeData handshake, Observer observer) {
        this.end = end;
        this.session = session;
        this.handshake = handshake;
        this.observer = observer;
    }

    void run() throws PerftestException {
        boolean fetches = end.plan.test().verb().isFetch();
        if (fetches && !end.plan.isClient()) {
            session.finish(handshake.mine(), handshake.patience()); // the device answers by itself
            return;
        }
        observer.columns();
        for (int bytes : Sizes.of(end.plan)) {
            run(bytes);
        }
        if (end.plan.test() == PerfTest.WRITE_LAT) { // it has no handshake at its end
            session.awaitPeerEnd(handshake.patience());
        } else {
            session.finish(handshake.mine(), handshake.patience());
        }
    }

    private void run(int bytes) throws PerftestException {
        var requests = new Requests(end, handshake.theirs(), bytes);
        var phases = new Phases(end.plan.traffic());
        boolean client = end.plan.isClient();
        switch (end.plan.test().verb()) {
            case SEND -> {
                var loop = new SendLoop(end, requests, phases);
                loop.postReceives();
                session.handShake(handshake.mine(), handshake.patience());
                report(bytes, loop.run(client), loop.sampled(), phases);
            }
            case WRITE -> {
                var loop = new WriteLoop(end, requests, phases, bytes);
                report(bytes, loop.run(client), loop.sampled(), phases);
            }
            default -> {
                var loop = new FetchLoop(end, requests, phases);
                report(bytes, loop.run(), loop.sampled(), phases);
            }
        }
    }

    private void report(int bytes, long[] posted, long sampled, Phases phases) {
        if (end.plan.traffic().isTimed()) {
            observer.timedLatency(bytes, sampled, phases.nanos());
        } else {
            observer.latency(bytes, posted);
        }
    }
}
