// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf;

import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;

/**
 * When the round trips of a connection are to begin: at fixed times, whatever became of the earlier ones. How long one took
 * counts from when it should have begun, so that one that had to wait for others took longer. They come back in the order
 * in which they began. One thread may begin them while another ends them; whoever starts it makes that visible to both.
 * Allocates nothing once it has seen the longest.
 */
public final class Timetable {

    /** A second has no more round trips. */
    public static final long MOST = 10_000_000;

    private static final int DIGITS = 3;
    private static final double NANOS = 1e9;

    /** The part of all round trips that are the last of them. */
    private static final double LAST_PART = 0.1;

    /** The part of a run's time by which its last round trips may come later than others, and the rate was kept. */
    private static final double MOST_LATE = 0.01;

    /** Nanoseconds by which a thread may sleep for longer than it asked for. */
    private static final long OVERSLEPT = 200_000;

    private final LongSupplier clock;
    private final double gap;
    private final double offset;
    private final long count;
    private final Histogram times = new Histogram(DIGITS);
    private long start;
    private long begun; // of who begins them
    private long ended; // of who ends them
    private long last;
    private long late = Long.MAX_VALUE;

    /**
     * For one connection of several, which take turns.
     *
     * @param clock nanoseconds
     * @param perSecond how many round trips begin in a second, of all connections together
     * @param connection which one it is, from 0
     * @param connections how many there are
     * @param count how many round trips this one has
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
     * @param perSecond as measured
     * @return two digits of it, from 1 to {@link #MOST}
     */
    public static long rounded(double perSecond) {
        double unit = Math.pow(10, Math.floor(Math.log10(Math.max(1, perSecond))) - 1);
        return Math.clamp(Math.round(Math.round(perSecond / unit) * unit), 1, MOST);
    }

    /**
     * From when on the connections take turns.
     *
     * @param nanos by the clock
     */
    public void start(long nanos) {
        start = nanos;
    }

    private long due(long index) {
        return start + Math.round(offset + index * gap);
    }

    /**
     * Whether the next is to begin.
     *
     * @return false, too, when all have begun
     */
    public boolean isDue() {
        return begun < count && clock.getAsLong() - due(begun) >= 0;
    }

    /** The next begins. */
    public void begin() {
        begun++;
    }

    /**
     * Waits until the next is to begin, and begins it.
     *
     * @return false when all have begun, or the thread is interrupted
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

    /**
     * How many are under way, for a thread that both begins and ends them.
     *
     * @return how many have begun and not ended
     */
    public long underWay() {
        return begun - ended;
    }

    /** The oldest is back. */
    public void end() {
        last = clock.getAsLong();
        long time = last - due(ended);
        times.recordValue(time);
        if (ended >= count - LAST_PART * count) {
            late = Math.min(late, time);
        }
        ended++;
    }

    /**
     * Whether all are back.
     *
     * @return whether as many have ended as there are
     */
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
     * How many came back in a second.
     *
     * @return the rate that they were to have, or less when it could not be kept
     */
    public double perSecond() {
        return perSecond(ended, gap, (double) (last - due(0)), (double) times.getMinValue(), (double) late);
    }

    /**
     * How many round trips came back in a second, of any program that begins them at fixed times. It has kept its rate if
     * they did not come later and later: even the quickest of the last would be late. A pause makes some late, wherever it is.
     *
     * @param count how many there were
     * @param gap nanoseconds from one to the next
     * @param taken nanoseconds from when the first should have begun until the last was back
     * @param least the time of the quickest of all, nanoseconds
     * @param late the time of the quickest of the last tenth, nanoseconds
     * @return the rate that they were to have, or less when it could not be kept
     */
    public static double perSecond(long count, double gap, double taken, double least, double late) {
        double wanted = count * gap;
        return count * NANOS / (late - least > MOST_LATE * wanted ? Math.max(wanted, taken) : wanted);
    }
}
