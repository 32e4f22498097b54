package dev.isthmus.perf.ucx;

import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Takes a run's time, once for each {@value #BLOCK} messages: {@code System.nanoTime()} waits for what the processor has
 * begun, so asked for after each message it would cost several times what reading the time-stamp counter costs C. A
 * percentile is therefore one of the means of blocks. Allocates nothing while it runs, but to report once a second.
 */
final class UcxClock {

    /** Messages between two looks at the clock. */
    static final int BLOCK = 32;

    private static final int QUEUE = 2048;
    private static final double NANOS = 1e9;
    private static final long REPORT_NANOS = 1_000_000_000L;

    private final UcxPlan plan;
    private final Consumer<UcxResult> report;
    private final double[] queue = new double[QUEUE];
    private long stamps; // a run without an end has more than an int counts in an hour or two
    private long begin;
    private long now;
    private long reportedAt;
    private long done;
    private long reported;

    UcxClock(UcxPlan plan, Consumer<UcxResult> report) {
        this.plan = plan;
        this.report = report;
    }

    void start() {
        start(System.nanoTime());
    }

    /** Begins with so many looks at the clock already taken. */
    void start(long time, long taken) {
        start(time);
        stamps = taken;
    }

    void start(long time) {
        begin = time;
        now = time;
        reportedAt = time;
        stamps = 0;
        done = 0;
        reported = 0;
    }

    /** Some messages are done. */
    void stamp(int count) {
        stamp(count, System.nanoTime());
    }

    void stamp(int count, long time) {
        queue[(int) (stamps++ & (QUEUE - 1))] = (double) (time - now) / count;
        now = time;
        done += count;
        if (time - reportedAt >= REPORT_NANOS) {
            report.accept(result());
            reportedAt = time;
            reported = done;
        }
    }

    /** The last message has arrived. */
    void stop() {
        now = System.nanoTime();
    }

    UcxResult result() {
        double factor = plan.test().isPingPong() ? 2 : 1;
        double all = (now - begin) / NANOS;
        double since = (now - reportedAt) / NANOS;
        long recent = done - reported;
        return new UcxResult(
                done,
                percentile() / NANOS / factor,
                since / recent / factor,
                all / done / factor,
                recent * plan.bytes() / since * factor,
                done * plan.bytes() / all * factor,
                recent / since * factor,
                done / all * factor);
    }

    private double percentile() {
        int count = (int) Math.min(stamps, QUEUE);
        if (count == 0) {
            return Double.NaN;
        }
        double[] sorted = Arrays.copyOf(queue, count);
        Arrays.sort(sorted);
        return sorted[(int) ((count - 1) * (plan.percentile() / 100))];
    }
}
