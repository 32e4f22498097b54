// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import dev.isthmus.perf.tools.PerftestException;
import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.WorkCompletions;

/** A latency test's loop, at either end: what all of them have. What a message takes is in methods of each loop. */
abstract class LatencyLoop {

    final QueuePair qp;
    final CompletionQueue sendQueue;
    final WorkCompletions sent = WorkCompletions.allocate(1);
    final Phases phases;
    final CompletionWaiter waiter;

    /** The time of each post in nanoseconds; none in a run with a duration. */
    final long[] posted;

    /** How many messages there were while measuring, in a run with a duration. */
    long sampled;

    LatencyLoop(Endpoint end, Phases phases) {
        qp = end.pair(0);
        sendQueue = end.sendQueue;
        posted = new long[end.plan.traffic().iterations];
        this.phases = phases;
        waiter = new CompletionWaiter(end, phases);
    }

    /** Runs for a number of messages. */
    abstract void run(boolean client) throws PerftestException;

    /** Runs until the phases end. */
    abstract void runForSomeTime(boolean client) throws PerftestException;
}
