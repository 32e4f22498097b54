// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import dev.isthmus.perf.tools.PerftestException;
import dev.isthmus.verbs.CompletionChannel;
import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.WorkCompletions;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * What a loop does when a queue is empty: it polls, or sleeps until events, but never for longer than a peer may
 * be silent.
 */
abstract class CompletionWaiter {

    /** How many empty polls there are between two readings of the clock. */
    private static final int POLLS_BETWEEN_CHECKS = 1 << 16;

    /** C would wait forever, or for two minutes. */
    private final long silenceNanos;

    private int polls;
    private long since;

    private CompletionWaiter(int silenceSeconds) {
        silenceNanos = TimeUnit.SECONDS.toNanos(silenceSeconds);
    }

    /** A waiter for an end's queues, which may be polled or have events. */
    static CompletionWaiter of(Endpoint end, Phases phases) {
        return end.channel == null ? polling(end, phases) : new Events(end.plan.place().silenceSeconds, end.channel);
    }

    /** A waiter that only polls. */
    static CompletionWaiter polling(Endpoint end, Phases phases) {
        return new Polling(end.plan.place().silenceSeconds, phases);
    }

    /** Waits until there are completions, and takes them; returns 0 if the run's time is up. */
    abstract int await(CompletionQueue queue, WorkCompletions into, String silence) throws PerftestException;

    /**
     * Waits a moment for any queue; the caller then polls again. Returns true if the peer has been silent for too long.
     */
    abstract boolean idle() throws PerftestException;

    /** Notes that something has arrived. */
    final void busy() {
        polls = 0;
        since = 0;
    }

    /** Notes that nothing has arrived; returns true if that has been so for too long. */
    final boolean checkClock() {
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
    final PerftestException silent(String silence) {
        return new PerftestException(silence + " for " + TimeUnit.NANOSECONDS.toSeconds(silenceNanos)
                + " s: are test, size (-s) and iterations (-n) the same on both ends? If it is merely slow, --silence"
                + " waits longer");
    }

    private static final class Polling extends CompletionWaiter {
        private final Phases phases;

        Polling(int silenceSeconds, Phases phases) {
            super(silenceSeconds);
            this.phases = phases;
        }

        @Override
        int await(CompletionQueue queue, WorkCompletions into, String silence) throws PerftestException {
            int n = queue.poll(into);
            while (n == 0 && !phases.isEnd()) {
                if (checkClock()) {
                    throw silent(silence);
                }
                n = queue.poll(into);
            }
            busy();
            return n;
        }

        @Override
        boolean idle() {
            return checkClock();
        }
    }

    private static final class Events extends CompletionWaiter {
        private final Duration silence;
        private final CompletionChannel channel;

        Events(int silenceSeconds, CompletionChannel channel) {
            super(silenceSeconds);
            silence = Duration.ofSeconds(silenceSeconds);
            this.channel = channel;
        }

        @Override
        int await(CompletionQueue queue, WorkCompletions into, String silence) throws PerftestException {
            int n = queue.poll(into);
            while (n == 0) {
                if (idle()) {
                    throw silent(silence);
                }
                n = queue.poll(into);
            }
            return n;
        }

        /** Both queues were armed at first, and each is again once its event has come. */
        @Override
        boolean idle() throws PerftestException {
            try {
                CompletionQueue ready = channel.await(silence);
                if (ready != null) {
                    ready.requestNotify(false);
                }
                return ready == null;
            } catch (InterruptedException e) {
                throw CmChannel.interrupted(e);
            }
        }
    }

    /** What went wrong with a completion. */
    static PerftestException failed(String what, long index, WorkCompletions completions, int which) {
        return new PerftestException(what + " " + index + " failed: " + completions.status(which) + " ("
                + completions.statusCode(which) + "), vendor error 0x"
                + Integer.toHexString(completions.vendorError(which))
                + "; are test, size (-s) and iterations (-n) the same on both ends?");
    }
}
