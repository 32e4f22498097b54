package dev.isthmus.perf.compare;

import java.util.HashMap;
import java.util.Map;

/** How many messages of each point take how long, by what was measured of it so far. */
final class Pace {

    /** Tells the tools' least number, which is 5, from a run that is worth its name. */
    private static final long LEAST = 20;

    /** What a tool takes at most. */
    private static final long MOST = 50_000_000;

    /** Of which nothing is known: some milliseconds, or one second of the slowest. */
    private static final long UNKNOWN_SMALL = 100;

    private static final int SMALL_BYTES = 8192;

    /** The first messages are slow: one look is not to ask for a thousand times as many. */
    private static final double GROWTH = 30;

    private record Known(double perSecond, long most) {}

    private final Map<Point, Known> known = new HashMap<>();

    /** How many messages of each connection, or round trips, to ask for so that it takes so long. */
    long iterations(Point point, double seconds) {
        Known pace = known.get(point);
        if (pace == null) {
            return point.bytes() <= SMALL_BYTES ? UNKNOWN_SMALL : LEAST;
        }
        return Math.clamp(Math.round(pace.perSecond() * seconds), LEAST, Math.min(MOST, pace.most()));
    }

    /** Whether the next answer of {@link #iterations} can be relied on. */
    boolean isKnown(Point point, double seconds) {
        Known pace = known.get(point);
        return pace != null && pace.perSecond() * seconds <= pace.most();
    }

    void learn(Point point, long iterations, Measured measured) {
        // Messages of all connections and directions together: each has its part of them.
        double each = point.connections() * (eachWay(point.benchmark()) ? 2 : 1);
        known.put(point, new Known(measured.messagesPerSecond() / each, (long) (iterations * GROWTH)));
    }

    private static boolean eachWay(Benchmark benchmark) {
        return benchmark == Benchmark.BOTH_WAYS || benchmark == Benchmark.PING_PONG;
    }
}
