// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What comes before a run, with a clock that only runs of points move. */
@Tag("unit")
class WarmUpTest {

    private static final Comparison.Options OPTIONS = new Comparison.Options(3, 1, 10);
    private static final Point POINT = new Point(Way.JAVA_UCX, Benchmark.PING_PONG, 64, 1);

    private static final Point IN_C = new Point(Way.C_UCX, Benchmark.PING_PONG, 64, 1);

    /** The first run takes a minute before it measures, like a JVM that loads its classes. */
    private static final double START_SECONDS = 60;

    private final Deque<Double> averages = new ArrayDeque<>();
    private double seconds;
    private int runs;
    private boolean stopped;

    /** A run whose round trips take the times that a test gives; the last time is repeated. */
    private Measured run(Point point, long iterations, double wanted) {
        double micros = averages.size() > 1 ? averages.pop() : averages.getFirst();
        seconds += iterations * micros / 1e6 + (runs == 0 ? START_SECONDS : 0);
        runs++;
        return Measured.times(micros, micros, micros, 2, iterations);
    }

    private WarmUp warmUp(Comparison.Options options, Pace pace) {
        return new WarmUp(options, pace, this::run, () -> stopped, () -> (long) (seconds * 1e9));
    }

    private boolean warmUp(Pace pace, Point point, double... micros) {
        for (double each : micros) {
            averages.add(each);
        }
        try {
            return warmUp(OPTIONS, pace).run(point);
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldNotCountTheTimeThatAProgramNeedsToStart() {
        assertTrue(warmUp(new Pace(), POINT, 400, 200, 100), "the minute is longer than the time for the warm-up");
        assertTrue(seconds < START_SECONDS + 2, seconds + " s");
    }

    @Test
    void shouldGiveUpWhenTheTimeIsOver() {
        double[] restless =
                List.of(400, 200, 100, 50, 100, 200, 400, 200, 100, 50, 100, 200, 400, 200, 100, 50).stream()
                        .mapToDouble(each -> each)
                        .toArray();
        double[] all = new double[10 * restless.length];
        for (int i = 0; i < all.length; i++) {
            all[i] = restless[i % restless.length];
        }
        assertFalse(warmUp(new Pace(), POINT, all));
        assertTrue(seconds > START_SECONDS + 10 && seconds < START_SECONDS + 12, seconds + " s");
    }

    @Test
    void shouldOnlyLearnThePaceOfWhatCompilesNothing() {
        var pace = new Pace();
        assertTrue(warmUp(pace, IN_C, 100));
        assertTrue(pace.isKnown(IN_C, 1));
        int looks = runs;
        assertTrue(warmUp(pace, IN_C, 100));
        assertEquals(looks, runs, "it is known");
    }

    @Test
    void shouldWarmEachPointOfAJvmUpOnceIfItIsToldSo() throws Exception {
        averages.add(100.0);
        WarmUp once =
                warmUp(new Comparison.Options(List.of(), 3, 1, 10, OptionalLong.of(100), false, true), new Pace());
        assertTrue(once.run(IN_C));
        assertEquals(0, runs, "a program in C starts anew each time");
        assertTrue(once.run(POINT));
        int slices = runs;
        assertTrue(slices >= WarmUp.Steady.SLICES, slices + " runs");
        assertTrue(once.run(POINT));
        assertEquals(slices, runs, "it is warm");
        assertTrue(once.run(new Point(Way.JAVA_UCX, Benchmark.PING_PONG, 4096, 1)));
        assertTrue(runs >= 2 * WarmUp.Steady.SLICES, runs + " runs");
    }

    @Test
    void shouldHaveSlicesThatSaySomething() {
        assertEquals(2, WarmUp.sliceSeconds(10));
        assertEquals(0.2, WarmUp.sliceSeconds(0.3), "a fifth of it would be too short");
        assertEquals(0.05, WarmUp.sliceSeconds(0.05), "none is longer than a run");
    }

    @Test
    void shouldEndWhenItIsToStop() {
        stopped = true;
        assertFalse(warmUp(new Pace(), POINT, 100));
        assertEquals(0, runs);
    }
}
