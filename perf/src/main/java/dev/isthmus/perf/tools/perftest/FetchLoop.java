// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import dev.isthmus.perf.tools.PerftestException;
import dev.isthmus.verbs.SendRequest;

/** The loop of read_lat and atomic_lat: posts one request and awaits its completion. Allocates nothing. */
final class FetchLoop extends LatencyLoop {

    private final SendRequest request;

    FetchLoop(Endpoint end, Requests requests, Phases phases) {
        super(end, phases);
        request = requests.send(0, 0, true);
    }

    @Override
    void run(boolean client) throws PerftestException {
        for (int i = 0; i < posted.length; i++) {
            posted[i] = System.nanoTime();
            fetch();
        }
    }

    @Override
    void runForSomeTime(boolean client) throws PerftestException {
        phases.start();
        while (!phases.isEnd()) {
            if (fetch() && phases.isSampling()) {
                sampled++;
            }
        }
    }

    private boolean fetch() throws PerftestException {
        if (!qp.tryPost(request)) {
            throw new PerftestException("the send queue is full");
        }
        if (sendQueue.poll(sent) == 0 && waiter.await(sendQueue, sent, "no answer from the peer") == 0) {
            return false; // the time is up
        }
        if (!sent.isSuccess(0)) {
            throw CompletionWaiter.failed("request", sampled, sent, 0);
        }
        return true;
    }
}
