// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import dev.isthmus.perf.tools.PerftestException;
import java.util.List;

/** The runs of a latency test, with the handshakes that each kind of test has around them. */
record LatencyRuns(Endpoint end, PerftestSession session, List<PerftestDestination> theirs, Observer observer) {

    void run() throws PerftestException {
        boolean fetches = end.plan.test().verb().isFetch();
        if (fetches && !end.plan.isClient()) {
            session.finish(); // the device answers by itself
            return;
        }
        observer.columns();
        for (int bytes : end.plan.sizes()) {
            run(bytes);
        }
        if (end.plan.test() == PerfTest.WRITE_LAT) { // it has no handshake at its end
            session.awaitPeerEnd();
        } else {
            session.finish();
        }
    }

    private void run(int bytes) throws PerftestException {
        var requests = new Requests(end, theirs, bytes);
        var phases = new Phases(end.plan.traffic());
        LatencyLoop loop = switch (end.plan.test().verb()) {
            case SEND -> {
                var sends = new SendLoop(end, requests, phases);
                sends.postReceives();
                session.handShake();
                yield sends;
            }
            case WRITE -> new WriteLoop(end, requests, phases, bytes);
            default -> new FetchLoop(end, requests, phases);
        };
        if (end.plan.traffic().isTimed()) {
            loop.runForSomeTime(end.plan.isClient());
            observer.timedLatency(bytes, loop.sampled, phases.nanos());
        } else {
            loop.run(end.plan.isClient());
            observer.latency(bytes, loop.posted);
        }
    }
}
