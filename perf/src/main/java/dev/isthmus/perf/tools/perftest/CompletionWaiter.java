// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import dev.isthmus.perf.tools.PerftestException;
import dev.isthmus.verbs.CompletionChannel;
import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.WorkCompletions;
import java.time.Duration;

/**
 * What a loop does when a queue is empty: it polls, or sleeps until events, but never for longer than a peer may
 * be silent. C would wait forever, or for two minutes.
 */
final class CompletionWaiter {

    /** How many empty polls there are between two readings of the clock. */
    private static final int POLLS_BETWEEN_CHECKS = 1 << 16;

    private final Duration silence;
    private final long silenceNanos;
    private final CompletionChannel channel; // null when completions are polled for
    private final Phases phases;
    private int polls;
    private long since;

    CompletionWaiter(Endpoint end, Phases phases) {
        silence = Duration.ofSeconds(end.plan.place().silenceSeconds);
        silenceNanos = silence.toNanos();
        channel = end.channel;
        this.phases = phases;
    }

    /** Waits until there are completions, and takes them; returns 0 if the run's time is up. */
    int await(CompletionQueue queue, WorkCompletions into, String complaint) throws PerftestException {
        int n = queue.poll(into);
        while (n == 0 && !phases.isEnd()) {
            if (idle()) {
                throw silent(complaint);
            }
            n = queue.poll(into);
        }
        busy();
        return n;
    }

    /**
     * Waits a moment for any queue; the caller then polls again. Returns true if the peer has been silent for too long.
     */
    boolean idle() throws PerftestException {
        return channel == null ? checkClock() : !awaitEvent();
    }

    /** Both queues were armed at first, and each is again once its event has come. */
    private boolean awaitEvent() throws PerftestException {
        try {
            CompletionQueue ready = channel.await(silence);
            if (ready != null) {
                ready.requestNotify(false);
            }
            return ready != null;
        } catch (InterruptedException e) {
            throw CmChannel.interrupted(e);
        }
    }

    /** Notes that something has arrived. */
    void busy() {
        polls = 0;
        since = 0;
    }

    /** Notes that nothing has arrived; returns true if that has been so for too long. */
    boolean checkClock() {
        return ++polls == POLLS_BETWEEN_CHECKS && readClock();
    }

    private boolean readClock() {
        polls = 0;
        long now = System.nanoTime();
        if (since == 0) {
            since = now;
        }
        return now - since > silenceNanos;
    }

    /** The exception about a peer that has been silent for too long. */
    PerftestException silent(String complaint) {
        return new PerftestException(complaint + " for " + silence.toSeconds()
                + " s: are test, size (-s) and iterations (-n) the same on both ends? If it is merely slow, --silence"
                + " waits longer");
    }

    /** What went wrong with a completion. */
    static PerftestException failed(String what, long index, WorkCompletions completions, int which) {
        return new PerftestException(what + " " + index + " failed: " + completions.status(which) + " ("
                + completions.statusCode(which) + "), vendor error 0x"
                + Integer.toHexString(completions.vendorError(which))
                + "; are test, size (-s) and iterations (-n) the same on both ends?");
    }
}
