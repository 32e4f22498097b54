// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import dev.isthmus.perf.tools.PerftestException;
import dev.isthmus.verbs.SendRequest;

/**
 * The sending end of a bandwidth test: keeps the send queues of all queue pairs full. One send of several is signaled,
 * and its completion stands for all of them, as in perftest. Allocates nothing; {@link #post} and {@link #reap} are one
 * turn of its loop.
 */
final class BandwidthSender extends BandwidthEnd {

    private final SendRequest[][] signaled;
    private final SendRequest[][] unsignaled;
    private final SendRequest[] chains; // null when sends are posted one by one
    private final long[] completed;
    private final int depth;
    private final int step;
    private final int signalEvery;
    private final boolean keepsAll;
    private final BurstPacer pace; // null without a limit
    private long totalPosted;
    private long totalCompleted;

    BandwidthSender(Endpoint end, Requests requests, Phases phases, BandwidthClock clock, int bytes) {
        super(end, end.sendQueue, phases, clock);
        Queues queues = end.plan.queues();
        completed = new long[pairs.length];
        signaled = new SendRequest[pairs.length][];
        unsignaled = new SendRequest[pairs.length][];
        chains = queues.postList > 1 ? new SendRequest[pairs.length] : null;
        for (int i = 0; i < pairs.length; i++) {
            if (chains == null) {
                signaled[i] = requests.sends(i, true);
                unsignaled[i] = requests.sends(i, false);
            } else {
                chains[i] = requests.chain(i);
            }
        }
        depth = queues.txDepth;
        step = queues.postList;
        signalEvery = queues.cqMod;
        keepsAll = clock.keepsAll();
        pace = end.plan.traffic().rate.map(rate -> new BurstPacer(rate, bytes)).orElse(null);
    }

    /** Runs it alone, to its end. */
    void run(CompletionWaiter waiter) throws PerftestException {
        phases.start();
        while (!isDone()) {
            turn(waiter);
        }
    }

    private void turn(CompletionWaiter waiter) throws PerftestException {
        post();
        if (reap() > 0) {
            waiter.busy();
        } else if (totalCompleted < totalPosted && (pace == null || isStuck()) && waiter.idle()) {
            throw waiter.silent("the peer acknowledges nothing");
        }
    }

    /** Whether everything is sent and completed, or the time is up. */
    boolean isDone() {
        return perPair == Long.MAX_VALUE ? phases.isEnd() : totalCompleted >= total && totalPosted >= total;
    }

    /** Posts as much as fits. */
    void post() throws PerftestException {
        for (int i = 0; i < pairs.length; i++) {
            if (pace != null && !pace.mayBegin()) {
                continue;
            }
            while (posted[i] < perPair
                    && posted[i] - completed[i] + step <= depth
                    && (pace == null || pace.isInBurst())
                    && !phases.isEnd()) {
                if (keepsAll) {
                    clock.posted(totalPosted);
                }
                if (chains == null) {
                    postOne(i);
                } else {
                    postChain(i);
                }
                if (pace != null) {
                    pace.sent(step);
                }
            }
        }
    }

    /** Whether this waits for completions rather than for the next burst. */
    private boolean isStuck() {
        for (int i = 0; i < pairs.length; i++) {
            if (posted[i] < perPair && posted[i] - completed[i] + step <= depth) {
                return false;
            }
        }
        return true;
    }

    private void postOne(int i) throws PerftestException {
        long number = ++posted[i];
        boolean signals = number % signalEvery == 0 || number == perPair;
        SendRequest[] ring = signals ? signaled[i] : unsignaled[i];
        int at = place[i];
        if (!pairs[i].tryPost(ring[at])) {
            throw full(i);
        }
        place[i] = at + 1 == ring.length ? 0 : at + 1;
        totalPosted++;
    }

    private void postChain(int i) throws PerftestException {
        if (pairs[i].tryPostChain(chains[i]) != null) {
            throw full(i);
        }
        posted[i] += step;
        totalPosted += step;
    }

    private PerftestException full(int pair) {
        return new PerftestException("the send queue of queue pair " + pair + " is full at message " + posted[pair]);
    }

    /** Takes completions; returns how many. */
    int reap() throws PerftestException {
        int n = queue.poll(done);
        for (int i = 0; i < n; i++) {
            if (!done.isSuccess(i)) {
                throw CompletionWaiter.failed("send", totalCompleted, done, i);
            }
            int pair = (int) done.wrId(i);
            long count = Math.min(signalEvery, perPair - completed[pair]); // the last one may stand for fewer
            completed[pair] += count;
            totalCompleted += count;
            if (keepsAll) {
                clock.completed(totalCompleted);
            }
            if (phases.isSampling()) {
                sampled += count;
            }
        }
        return n;
    }

    /**
     * A limit that the sender itself keeps, by gaps between bursts.
     *
     * @param rate how much per second
     * @param units g for gigabits, M for mebibytes, p for messages
     * @param burst messages without a gap
     */
    record RateLimit(double rate, String units, int burst) {

        /** From the beginning of one burst to that of the next. */
        long gapNanos(int bytes) {
            double messages = switch (units) {
                case "g" -> rate * 1e9 / (8.0 * bytes);
                case "M" -> rate * (1 << 20) / bytes;
                default -> rate;
            };
            return (long) (1e9 * burst / messages);
        }
    }

    /** Bursts with gaps between them. */
    private static final class BurstPacer {
        private final long gapNanos;
        private final int burst;
        private long next = System.nanoTime();
        private int left;

        BurstPacer(RateLimit rate, int bytes) {
            gapNanos = rate.gapNanos(bytes);
            burst = rate.burst();
        }

        boolean mayBegin() {
            if (left <= 0) {
                long now = System.nanoTime();
                if (now - next < 0) {
                    return false;
                }
                next = now + gapNanos;
                left = burst;
            }
            return true;
        }

        boolean isInBurst() {
            return left > 0;
        }

        void sent(int messages) {
            left -= messages;
        }
    }
}
