// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * What comes before a run: it goes on until it is known how long messages take, and until programs that are compiled
 * while they run are steady.
 */
final class WarmUp {

    /** The length of a slice, as a fraction of a run. */
    private static final double SLICE = 0.2;

    /**
     * Seconds: a shorter slice could consist of a single compilation, or of a moment in which another process had
     * the processor.
     */
    private static final double LEAST_SLICE = 0.2;

    /** How many times a point is run at most until it is known how long its messages take. */
    private static final int MAX_ATTEMPTS = 5;

    /** Runs a point. */
    @FunctionalInterface
    interface PointRun {
        Measured run(Point point, long iterations, double seconds) throws IOException, InterruptedException;
    }

    private final Comparison.Options options;
    private final Pace pace;
    private final PointRun runner;
    private final BooleanSupplier stops;
    private final LongSupplier clock;
    private final Map<Point, Boolean> warm = new HashMap<>();

    /**
     * For the runs of a comparison.
     *
     * @param runner runs a point; its pace is learnt here
     * @param stops whether the user wants everything to end
     * @param clock nanoseconds
     */
    WarmUp(Comparison.Options options, Pace pace, PointRun runner, BooleanSupplier stops, LongSupplier clock) {
        this.options = options;
        this.pace = pace;
        this.runner = runner;
        this.stops = stops;
        this.clock = clock;
    }

    /**
     * Warms a point up. Returns false if its JVMs do not become steady in time. The time begins when the pace is known:
     * before that, a JVM starts and loads classes, which does not count.
     */
    boolean run(Point point) throws IOException, InterruptedException {
        boolean compiles = !point.way().isC();
        if (options.warmsOnce() && (!compiles || warm.containsKey(point))) {
            return warm.getOrDefault(point, true);
        }
        if (!compiles) {
            learnPace(point, options.seconds());
            return true;
        }
        double seconds = sliceSeconds(options.seconds());
        learnPace(point, seconds);
        var steady = new Steady();
        long end = clock.getAsLong() + (long) (options.warmUpSeconds() * 1e9);
        while (!steady.isSteady() && clock.getAsLong() - end < 0 && !stops.getAsBoolean()) {
            Measured slice = slice(point, seconds);
            steady.add(slice.figure(), seconds, slice.spent().compileMillis());
        }
        warm.put(point, steady.isSteady());
        return steady.isSteady();
    }

    /** How long the slices before runs are. */
    static double sliceSeconds(double runSeconds) {
        return Math.max(runSeconds * SLICE, Math.min(runSeconds, LEAST_SLICE));
    }

    /**
     * Each attempt may be many times as long as the one before, so a few are enough, unless the machine is busy at times.
     */
    private void learnPace(Point point, double seconds) throws IOException, InterruptedException {
        for (int i = 0; i < MAX_ATTEMPTS && !pace.isKnown(point, seconds) && !stops.getAsBoolean(); i++) {
            slice(point, seconds);
        }
    }

    private Measured slice(Point point, double seconds) throws IOException, InterruptedException {
        long iterations = point.way().isC() ? pace.iterations(point, seconds) : pace.sliceIterations(point, seconds);
        Measured slice = runner.run(point, iterations, seconds);
        pace.learn(point, iterations, slice);
        return slice;
    }

    /**
     * Detects when a program that is compiled while it runs has become steady: the figures of the last slices are within a
     * tolerance of the smallest of them, and the compilers were all but idle meanwhile.
     */
    static final class Steady {

        /** How many slices must agree. */
        static final int SLICES = 3;

        /** By how much the largest may exceed the smallest. */
        static final double TOLERANCE = 0.08;

        /** The most of a slice's time that the compilers of both ends may have taken together. */
        static final double COMPILING = 0.1;

        private record Slice(double figure, double compiling) {}

        private final Deque<Slice> last = new ArrayDeque<>();

        /** Notes a slice: its figure, how long it took, and for how long compilers were at work. */
        void add(double figure, double seconds, long compileMillis) {
            if (last.size() == SLICES) {
                last.removeFirst();
            }
            last.addLast(new Slice(figure, compileMillis / (1e3 * seconds)));
        }

        boolean isSteady() {
            if (last.size() < SLICES) {
                return false;
            }
            double min = last.stream().mapToDouble(Slice::figure).min().orElseThrow();
            double max = last.stream().mapToDouble(Slice::figure).max().orElseThrow();
            return max <= min * (1 + TOLERANCE) && last.stream().allMatch(slice -> slice.compiling() <= COMPILING);
        }
    }
}
