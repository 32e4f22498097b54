// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import dev.isthmus.perf.tools.PerftestException;
import dev.isthmus.verbs.QueuePairType;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.SharedReceiveQueue;

/**
 * The receiving end of send_bw: takes messages, and posts a receive for each as long as more will come. Allocates
 * nothing; {@link #take} is one turn of its loop.
 */
final class BandwidthReceiver extends BandwidthEnd {

    private final SharedReceiveQueue shared; // null without
    private final ReceiveRequest[][] receives;
    private final int ahead;
    private final boolean alone;
    private long received;

    BandwidthReceiver(Endpoint end, Requests requests, Phases phases, BandwidthClock clock) {
        super(end, end.receiveQueue, phases, clock);
        alone = !end.plan.sends();
        shared = end.shared;
        receives = new ReceiveRequest[pairs.length][];
        for (int i = 0; i < pairs.length; i++) {
            receives[i] = requests.receives(i);
        }
        int depth = end.plan.queues().rxDepth;
        ahead = shared == null ? depth : depth / pairs.length;
    }

    /** Posts the receives for the first messages, before the peer may send. */
    void postReceives() throws PerftestException {
        for (int i = 0; i < pairs.length; i++) {
            for (int k = 0; k < ahead; k++) {
                postReceive(i);
            }
        }
    }

    /** Runs it alone, to its end. */
    void run(CompletionWaiter waiter) throws PerftestException {
        while (!isDone()) {
            turn(waiter);
        }
        clock.end();
    }

    private void turn(CompletionWaiter waiter) throws PerftestException {
        if (take() > 0) {
            waiter.busy();
        } else if (waiter.idle()) {
            throw waiter.silent(silence());
        }
    }

    private String silence() {
        return "no message from the peer after " + received
                + (perPair == Long.MAX_VALUE ? "" : " of " + total)
                + (pairs[0].type() == QueuePairType.RC ? "" : " (some may be lost)");
    }

    /** Whether everything has arrived, or the time is up. */
    boolean isDone() {
        return perPair == Long.MAX_VALUE ? phases.isEnd() : received >= total;
    }

    /** Whether a message has arrived. */
    boolean hasBegun() {
        return received > 0;
    }

    /** Takes messages; returns how many. */
    int take() throws PerftestException {
        int n = queue.poll(done);
        if (n > 0 && received == 0) {
            begin();
        }
        for (int i = 0; i < n; i++) {
            if (!done.isSuccess(i)) {
                throw CompletionWaiter.failed("receive", received, done, i);
            }
            received++;
            if (phases.isSampling()) {
                sampled++;
            }
            int pair = (int) done.wrId(i);
            if (posted[pair] < perPair) {
                postReceive(pair);
            }
        }
        return n;
    }

    /** Time begins with the first message, unless this end also sends. */
    private void begin() {
        if (alone) {
            clock.begin();
        }
        phases.start();
    }

    private void postReceive(int i) throws PerftestException {
        ReceiveRequest[] ring = receives[i];
        int at = place[i];
        if (!(shared == null ? pairs[i].tryPost(ring[at]) : shared.tryPost(ring[at]))) {
            throw new PerftestException("the receive queue of queue pair " + i + " is full at message " + received);
        }
        posted[i]++;
        place[i] = at + 1 == ring.length ? 0 : at + 1;
    }
}
