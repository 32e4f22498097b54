// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import java.util.HashMap;
import java.util.Map;

/** How many messages of each point take how long, judging by what was measured of it so far. */
final class Pace {

    /** More than the tools' minimum, which is 5, so that a run is worth its name. */
    static final long LEAST = 20;

    /** The most that a tool accepts. */
    static final long MOST = 50_000_000;

    /** While nothing is known: some milliseconds, or one second of the slowest. */
    private static final long UNKNOWN_SMALL = 100;

    private static final int SMALL_BYTES = 8192;

    /** The first messages are slow, so one look must not ask for a thousand times as many. */
    private static final double GROWTH = 30;

    /** How many times as long a run may be as the one that shows its pace. */
    private static final double TRUST = 5;

    /**
     * The fraction of the intended length below which a run was begun at a wrong pace, for example because the machine
     * was busy for a moment.
     */
    private static final double LEAST_PART = 0.5;

    /**
     * How many times as long as its messages a slice may take because of pauses: a busy machine must not make it
     * last minutes.
     */
    private static final double PAUSES = 5;

    /**
     * What is known of a point.
     *
     * @param perSecond by the mean, pauses included
     * @param typicalPerSecond by the median, if there is one
     */
    private record Known(double perSecond, double typicalPerSecond, long iterations) {

        private long most() {
            return Math.min(MOST, (long) (iterations * GROWTH));
        }

        private boolean tells(double wanted) {
            return Math.min(MOST, wanted) <= iterations * TRUST;
        }
    }

    private final Map<Point, Known> known = new HashMap<>();

    /** How many messages of each connection, or round trips, take this long. */
    long iterations(Point point, double seconds) {
        Known pace = known.get(point);
        if (pace == null) {
            long unknown = point.bytes() <= SMALL_BYTES ? UNKNOWN_SMALL : LEAST;
            double most = point.rate() * seconds / point.connections();
            return point.rate() == 0 ? unknown : Math.clamp(Math.round(most), LEAST, unknown);
        }
        return Math.clamp(Math.round(pace.perSecond() * seconds), LEAST, pace.most());
    }

    /**
     * The same for a slice of a program that is compiled while it runs. Compiling makes it pause: judged by the mean of
     * its first messages, it would be asked for so few that compiling would never finish.
     */
    long sliceIterations(Point point, double seconds) {
        Known pace = known.get(point);
        if (pace == null) {
            return iterations(point, seconds);
        }
        double perSecond = Math.min(pace.typicalPerSecond(), PAUSES * pace.perSecond());
        return Math.clamp(Math.round(perSecond * seconds), LEAST, pace.most());
    }

    /** Messages, or round trips, of each connection in a second; 0 if nothing is known. */
    double perSecond(Point point) {
        Known pace = known.get(point);
        return pace == null ? 0 : pace.perSecond();
    }

    /** Whether the next answer of {@link #iterations} is reliable. */
    boolean isKnown(Point point, double seconds) {
        Known pace = known.get(point);
        return pace != null && pace.tells(pace.perSecond() * seconds);
    }

    /** Whether a run took so much less time than intended that its figure says little. */
    static boolean isShort(Measured measured, long iterations, double seconds) {
        return measured.seconds() < LEAST_PART * seconds && iterations < MOST;
    }

    void learn(Point point, long iterations, Measured measured) {
        // These are messages of all connections and directions together: each has its share of them.
        double each = point.connections() * (eachWay(point.benchmark()) ? 2 : 1);
        double perSecond = measured.messagesPerSecond() / each;
        boolean oneByOne = point.benchmark() != Benchmark.FIXED_RATE
                && !Double.isNaN(measured.times().typicalMicros());
        double typical = !oneByOne ? perSecond : 1e6 / measured.times().typicalMicros();
        known.put(point, new Known(perSecond, typical, iterations));
    }

    private static boolean eachWay(Benchmark benchmark) {
        return benchmark == Benchmark.BOTH_WAYS || benchmark.isRoundTrip();
    }
}
