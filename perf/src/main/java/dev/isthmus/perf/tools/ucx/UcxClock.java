// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import java.util.Optional;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;

/**
 * Measures a run's time. If each message is awaited, it reads the clock after each of them at both ends, as
 * {@code ucx_perftest} does; otherwise once for every {@value #BLOCK} messages. {@code System.nanoTime()} waits for the
 * processor's pending instructions, which C's reading of the time-stamp counter does not, so it would distort the time
 * of messages that are not awaited. Allocates nothing while it runs, except for a report once a second.
 */
final class UcxClock {

    private static final int BLOCK = 32;

    private static final double NANOS = 1e9;
    private static final long REPORT_NANOS = 1_000_000_000L;

    private final UcxPlan plan;
    private final Consumer<UcxResult> report;
    private final LastTimes times = new LastTimes();
    private final Histogram all; // null if nobody wants them, or single messages are not waited for
    private long begin;
    private long now;
    private long reportedAt;
    private long done;
    private long reported;

    UcxClock(UcxPlan plan, Optional<Histogram> all, Consumer<UcxResult> report) {
        this.plan = plan;
        this.report = report;
        this.all = plan.test().isLatency() ? all.orElse(null) : null;
    }

    /** Messages between two readings of the clock. */
    int block() {
        return plan.test().isLatency() ? 1 : BLOCK;
    }

    void start() {
        start(System.nanoTime());
    }

    /** Begins with this many readings already taken. */
    void start(long time, long taken) {
        start(time);
        times.clear(taken);
    }

    void start(long time) {
        begin = time;
        now = time;
        reportedAt = time;
        times.clear();
        if (all != null) {
            all.reset();
        }
        done = 0;
        reported = 0;
    }

    /** Notes that some messages are done; returns the time. */
    long stamp(int count) {
        long time = System.nanoTime();
        stamp(count, time);
        return time;
    }

    void stamp(int count, long time) {
        times.add((double) (time - now) / count);
        if (all != null) {
            all.recordValue(time - now);
        }
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
