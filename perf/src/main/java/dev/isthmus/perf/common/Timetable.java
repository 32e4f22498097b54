// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.common;

import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;

/**
 * The times at which the round trips of a connection begin: fixed ones, whatever became of the earlier round trips. The
 * time of a round trip counts from when it should have begun, so one that had to wait for others took longer. Round
 * trips return in the order in which they began. One thread may begin them while another ends them; whoever starts it
 * makes that visible to both. Allocates nothing once it has seen the longest.
 */
public final class Timetable {

    /** The most round trips in a second. */
    public static final long MOST = 10_000_000;

    private static final int DIGITS = 3;
    private static final double NANOS = 1e9;

    /** The fraction of all round trips that counts as the last ones. */
    private static final double LAST_PART = 0.1;

    /**
     * The rate counts as kept if the last round trips are later than others by no more than this fraction of the
     * run's time.
     */
    private static final double MAX_LATE = 0.01;

    /** By how many nanoseconds a thread may oversleep. */
    private static final long OVERSLEPT = 200_000;

    private final LongSupplier clock;
    private final double gap;
    private final double offset;
    private final long count;
    private final Histogram times = new Histogram(DIGITS);
    private long start;
    private long begun; // used by the thread that begins them
    private long ended; // used by the thread that ends them
    private long last;
    private long late = Long.MAX_VALUE;

    /**
     * Creates the timetable of one of several connections, which take turns.
     *
     * @param clock nanoseconds
     * @param perSecond how many round trips begin in a second, on all connections together
     * @param connection which connection, from 0
     * @param connections how many there are
     * @param count how many round trips this connection has
     */
    public Timetable(LongSupplier clock, long perSecond, int connection, int connections, long count) {
        this.clock = clock;
        this.gap = NANOS * connections / perSecond;
        this.offset = NANOS * connection / perSecond;
        this.count = count;
    }

    /**
     * Rounds a rate.
     *
     * @return the rate with two significant digits, from 1 to {@link #MOST}
     */
    public static long rounded(double perSecond) {
        double unit = Math.pow(10, Math.floor(Math.log10(Math.max(1, perSecond))) - 1);
        return Math.clamp(Math.round(Math.round(perSecond / unit) * unit), 1, MOST);
    }

    /** Sets when the connections begin to take turns. */
    public void start(long nanos) {
        start = nanos;
    }

    private long due(long index) {
        return start + Math.round(offset + index * gap);
    }

    /**
     * Whether the next round trip is due.
     *
     * @return false also if all have begun
     */
    public boolean isDue() {
        return begun < count && clock.getAsLong() - due(begun) >= 0;
    }

    /** Notes that the next round trip begins. */
    public void begin() {
        begun++;
    }

    /**
     * Waits until the next round trip is due, and begins it.
     *
     * @return false if all have begun, or the thread is interrupted
     */
    public boolean awaitNext() {
        if (begun == count) {
            return false;
        }
        while (!isDue()) {
            if (Thread.currentThread().isInterrupted()) {
                return false;
            }
            long left = due(begun) - clock.getAsLong();
            if (left > OVERSLEPT) {
                LockSupport.parkNanos(left - OVERSLEPT);
            } else {
                Thread.onSpinWait();
            }
        }
        begin();
        return true;
    }

    /** How many are under way, for a thread that both begins and ends them. */
    public long underWay() {
        return begun - ended;
    }

    /** Notes that the oldest round trip has returned. */
    public void end() {
        last = clock.getAsLong();
        long time = last - due(ended);
        times.recordValue(time);
        if (ended >= count - LAST_PART * count) {
            late = Math.min(late, time);
        }
        ended++;
    }

    /** Whether all have returned. */
    public boolean isOver() {
        return ended == count;
    }

    /**
     * How long they took.
     *
     * @return nanoseconds, each from when it should have begun
     */
    public Histogram times() {
        return times;
    }

    /**
     * How many returned in a second.
     *
     * @return the intended rate, or less if it could not be kept
     */
    public double perSecond() {
        return perSecond(ended, gap, (double) (last - due(0)), (double) times.getMinValue(), (double) late);
    }

    /**
     * How many round trips returned in a second, for any program that begins them at fixed times. It has kept its rate
     * unless they returned later and later: then even the quickest of the last ones is late. A pause makes some late
     * wherever it occurs, but does not count.
     *
     * @param count how many there were
     * @param gap nanoseconds from one to the next
     * @param taken nanoseconds from when the first should have begun until the last had returned
     * @param least the time of the quickest of all, nanoseconds
     * @param late the time of the quickest of the last tenth, nanoseconds
     * @return the intended rate, or less if it could not be kept
     */
    public static double perSecond(long count, double gap, double taken, double least, double late) {
        double wanted = count * gap;
        return count * NANOS / (late - least > MAX_LATE * wanted ? Math.max(wanted, taken) : wanted);
    }
}
