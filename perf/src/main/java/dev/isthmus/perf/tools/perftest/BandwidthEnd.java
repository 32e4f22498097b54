// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.WorkCompletions;

/** What both directions of a bandwidth test have. */
abstract class BandwidthEnd {

    private static final int POLL_BATCH = 16;

    final QueuePair[] pairs;
    final CompletionQueue queue;
    final WorkCompletions done = WorkCompletions.allocate(POLL_BATCH);
    final long[] posted;
    final int[] place;
    final long perPair;
    final long total;
    final Phases phases;
    final BandwidthClock clock;

    /** How many completed while measuring, in a run with a duration. */
    long sampled;

    BandwidthEnd(Endpoint end, CompletionQueue queue, Phases phases, BandwidthClock clock) {
        this.queue = queue;
        this.phases = phases;
        this.clock = clock;
        pairs = new QueuePair[end.plan.queues().pairs];
        for (int i = 0; i < pairs.length; i++) {
            pairs[i] = end.pair(i);
        }
        posted = new long[pairs.length];
        place = new int[pairs.length];
        perPair = end.plan.traffic().isTimed() ? Long.MAX_VALUE : end.plan.traffic().iterations;
        total = (long) end.plan.traffic().iterations * pairs.length;
    }
}
