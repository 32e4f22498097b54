// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.ucx;

import java.util.function.Consumer;

/**
 * Takes a run's time: where each message is waited for, after each of them at both ends, as {@code ucx_perftest} does, and
 * otherwise once for each {@value #BLOCK}. {@code System.nanoTime()} waits for what the processor has begun, so it costs
 * several times what reading the time-stamp counter costs C, which would be most of what a message costs that nobody
 * waits for. Allocates nothing while it runs, but to report once a second.
 */
final class UcxClock {

    private static final int BLOCK = 32;

    private static final double NANOS = 1e9;
    private static final long REPORT_NANOS = 1_000_000_000L;

    private final UcxPlan plan;
    private final Consumer<UcxResult> report;
    private final LastTimes times = new LastTimes();
    private long begin;
    private long now;
    private long reportedAt;
    private long done;
    private long reported;

    UcxClock(UcxPlan plan, Consumer<UcxResult> report) {
        this.plan = plan;
        this.report = report;
    }

    /** Messages between two looks at the clock. */
    int block() {
        return plan.test().isLatency() ? 1 : BLOCK;
    }

    void start() {
        start(System.nanoTime());
    }

    /** Begins with so many looks at the clock already taken. */
    void start(long time, long taken) {
        start(time);
        times.clear(taken);
    }

    void start(long time) {
        begin = time;
        now = time;
        reportedAt = time;
        times.clear();
        done = 0;
        reported = 0;
    }

    /** Some messages are done. */
    void stamp(int count) {
        stamp(count, System.nanoTime());
    }

    void stamp(int count, long time) {
        times.add((double) (time - now) / count);
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
                times.percentile(plan.percentile()) / NANOS / factor,
                since / recent / factor,
                all / done / factor,
                recent * plan.bytes() / since * factor,
                done * plan.bytes() / all * factor,
                recent / since * factor,
                done / all * factor);
    }
}
