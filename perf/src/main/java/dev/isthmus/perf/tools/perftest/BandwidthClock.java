// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

/**
 * Records when messages were posted and completed, and computes perftest's figures from that. To find a peak it records
 * a point in time for each message, otherwise only two.
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
        total = plan.reporting().peak ? Math.multiplyExact(plan.traffic().iterations, plan.queues().pairs) : 0;
        posted = new long[total];
        completed = new long[total];
    }

    boolean keepsAll() {
        return total > 0;
    }

    void posted(long index) {
        posted[(int) index] = System.nanoTime();
    }

    /** Records only messages that are signaled themselves, and the last one of all. */
    void completed(long count) {
        completed[(int) Math.min(count, total) - 1] = System.nanoTime();
    }

    void begin() {
        begin = System.nanoTime();
    }

    void end() {
        end = System.nanoTime();
    }

    /** The figures of a run with a number of messages. */
    Bandwidth figures() {
        long messages = (long) plan.traffic().iterations * plan.queues().pairs;
        if (!keepsAll()) {
            return figures(messages, end - begin, 0);
        }
        double peakNanos = shortest(posted, completed, plan.queues().postList, plan.queues().cqMod);
        return figures(messages, completed[total - 1] - posted[0], bytes * 1e9 / peakNanos / unit());
    }

    /** The figures of a run with a duration. */
    Bandwidth figures(long messages, long nanos, double peak) {
        double seconds = nanos / 1e9;
        return new Bandwidth(
                bytes, messages, peak, messages * (double) bytes / seconds / unit(), messages / seconds / 1e6);
    }

    private double unit() {
        return plan.reporting().gbits ? GIGABIT : MEBIBYTE;
    }

    /**
     * The shortest time per message between any post and any later signaled completion: perftest's peak. perftest
     * computes in whole cycles, this method in fractions of nanoseconds.
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
