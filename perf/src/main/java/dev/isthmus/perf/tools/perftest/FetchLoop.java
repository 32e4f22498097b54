// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import dev.isthmus.perf.tools.PerftestException;
import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.WorkCompletions;

/** The loop of read_lat and atomic_lat: posts one request and awaits its completion. Allocates nothing. */
final class FetchLoop {

    private final QueuePair qp;
    private final CompletionQueue queue;
    private final WorkCompletions done = WorkCompletions.allocate(1);
    private final SendRequest request;
    private final boolean timed;
    private final Phases phases;
    private final CompletionWaiter waiter;
    private final long[] posted;
    private long sampled;

    FetchLoop(Endpoint end, Requests requests, Phases phases) {
        qp = end.pair(0);
        queue = end.sendQueue();
        request = requests.send(0, 0, true);
        timed = end.plan.traffic().isTimed();
        posted = new long[end.plan.traffic().iterations()];
        this.phases = phases;
        waiter = CompletionWaiter.of(end, phases);
    }

    /** Runs it; returns the time of each post in nanoseconds, or none for a run with a duration. */
    long[] run() throws PerftestException {
        if (timed) {
            phases.start();
            while (!phases.isEnd()) {
                if (fetch() && phases.isSampling()) {
                    sampled++;
                }
            }
        }
        for (int i = 0; i < posted.length; i++) {
            posted[i] = System.nanoTime();
            fetch();
        }
        return posted;
    }

    /** How many there were while measuring, in a run with a duration. */
    long sampled() {
        return sampled;
    }

    private boolean fetch() throws PerftestException {
        if (!qp.tryPost(request)) {
            throw new PerftestException("the send queue is full");
        }
        if (queue.poll(done) == 0 && waiter.await(queue, done, "no answer from the peer") == 0) {
            return false; // the time is up
        }
        if (!done.isSuccess(0)) {
            throw CompletionWaiter.failed("request", sampled, done, 0);
        }
        return true;
    }
}
