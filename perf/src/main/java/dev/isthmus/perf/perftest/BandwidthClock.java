// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.perftest;

/**
 * When messages were posted and completed, and what perftest makes of it. With a peak to look for it has one point of
 * time per message, otherwise two.
 */
final class BandwidthClock {

    private static final double MEBIBYTE = 0x100000;
    private static final double GIGABIT = 125_000_000;

    private final Plan plan;
    private final int bytes;
    private final int total;
    private final long[] posted;
    private final long[] completed;
    private long begin;
    private long end;

    BandwidthClock(Plan plan, int bytes) {
        this.plan = plan;
        this.bytes = bytes;
        total = plan.reporting().peak()
                ? Math.multiplyExact(plan.traffic().iterations(), plan.queues().pairs())
                : 0;
        posted = new long[total];
        completed = new long[total];
    }

    boolean keepsAll() {
        return total > 0;
    }

    void posted(long index) {
        posted[(int) index] = System.nanoTime();
    }

    /** Of messages that are signalled by another one only that is noted, and the last of all at the end. */
    void completed(long count) {
        completed[(int) Math.min(count, total) - 1] = System.nanoTime();
    }

    void begin() {
        begin = System.nanoTime();
    }

    void end() {
        end = System.nanoTime();
    }

    /** What a run of a number of messages comes to. */
    Bandwidth figures() {
        long messages = (long) plan.traffic().iterations() * plan.queues().pairs();
        if (!keepsAll()) {
            return figures(messages, end - begin, 0);
        }
        double peakNanos = shortest(
                posted, completed, plan.queues().postList(), plan.queues().cqMod());
        return figures(messages, completed[total - 1] - posted[0], bytes * 1e9 / peakNanos / unit());
    }

    /** What a run of some time comes to. */
    Bandwidth figures(long messages, long nanos, double peak) {
        double seconds = nanos / 1e9;
        return new Bandwidth(
                bytes, messages, peak, messages * (double) bytes / seconds / unit(), messages / seconds / 1e6);
    }

    private double unit() {
        return plan.reporting().gbits() ? GIGABIT : MEBIBYTE;
    }

    /**
     * The shortest time per message between any post and any later completion that was signalled: perftest's peak. It
     * works in whole cycles; these are fractions of nanoseconds.
     */
    static double shortest(long[] posted, long[] completed, int postList, int cqMod) {
        int count = posted.length;
        double best = perMessage(posted, completed, 0, 0);
        for (int i = 0; i < count; i += postList) {
            for (int j = (i / cqMod + 1) * cqMod - 1; j < count; j += cqMod) {
                best = Math.min(best, perMessage(posted, completed, i, j));
            }
            if (count % cqMod != 0) {
                best = Math.min(best, perMessage(posted, completed, i, count - 1));
            }
        }
        return best;
    }

    private static double perMessage(long[] posted, long[] completed, int from, int to) {
        return completed[to] == 0 ? Double.MAX_VALUE : (completed[to] - posted[from]) / (double) (to - from + 1);
    }
}
