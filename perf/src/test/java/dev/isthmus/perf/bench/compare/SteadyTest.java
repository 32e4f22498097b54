// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.perf.common.Spent;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** When a program is warm, and how many messages that takes. */
@Tag("unit")
class SteadyTest {

    private static WarmUp.Steady of(double... figures) {
        var steady = new WarmUp.Steady();
        for (double figure : figures) {
            steady.add(figure, 0.2, 0);
        }
        return steady;
    }

    @Test
    void shouldNotBeSteadyBeforeThereAreEnoughSlices() {
        assertFalse(of().isSteady());
        assertFalse(of(10, 10).isSteady());
        assertTrue(of(10, 10, 10).isSteady());
    }

    @Test
    void shouldNotBeSteadyWhileTheFiguresFall() {
        assertFalse(of(100, 60, 40).isSteady());
        assertFalse(of(60, 40, 38).isSteady());
        assertTrue(of(100, 60, 40, 38, 39).isSteady());
    }

    @Test
    void shouldNotBeSteadyWhileCompilersAreAtWork() {
        var steady = of(10, 10);
        steady.add(10, 0.2, 50);
        assertFalse(steady.isSteady());
        steady.add(10, 0.2, 10);
        steady.add(10, 0.2, 0);
        assertFalse(steady.isSteady(), "the busy slice is one of the last three");
        steady.add(10, 0.2, 0);
        assertTrue(steady.isSteady());
    }

    @Test
    void shouldAskForAsManyMessagesAsTheTimeTakes() {
        var pace = new Pace();
        var point = new Point(Way.C_UCX, Benchmark.ONE_WAY, 8, 1);
        assertFalse(pace.isKnown(point, 1));
        long first = pace.iterations(point, 1);
        pace.learn(point, first, Measured.rate(1_000_000, first));
        assertFalse(pace.isKnown(point, 1), "a hundred messages say little of a million");
        long second = pace.iterations(point, 1);
        assertTrue(second > first && second < 1_000_000, "" + second);
        pace.learn(point, 500_000, Measured.rate(800_000, 500_000));
        assertTrue(pace.isKnown(point, 1));
        assertEquals(800_000, pace.iterations(point, 1));
        pace.learn(point, 100_000, Measured.rate(800_000, 100_000));
        assertFalse(pace.isKnown(point, 1), "an eighth of a second may be a bad one");
        assertTrue(Pace.isShort(Measured.rate(1_000_000, 400_000), 400_000, 1));
        assertFalse(Pace.isShort(Measured.rate(1_000_000, 600_000), 600_000, 1));
        pace.learn(point, 20, Measured.rate(0.5, 20));
        assertEquals(20, pace.iterations(point, 1), "a run has some messages, however long they take");
    }

    @Test
    void shouldAskForAsManyMessagesAsTheTimeTakesWithoutPauses() {
        var pace = new Pace();
        var trips = new Point(Way.JAVA_UCX, Benchmark.PING_PONG, 8, 1);
        long first = pace.sliceIterations(trips, 0.2);
        assertEquals(pace.iterations(trips, 0.2), first, "nothing is known");
        pace.learn(trips, 1000, Measured.times(200, 50, 10_000, 2, 1000));
        assertEquals(1000, pace.iterations(trips, 0.2), "pauses are part of a run");
        assertEquals(4000, pace.sliceIterations(trips, 0.2));
        pace.learn(trips, 1000, Measured.times(5000, 50, 10_000, 2, 1000));
        assertEquals(200, pace.sliceIterations(trips, 0.2), "a slice is not to take minutes");
        pace.learn(trips, 10, Measured.times(50, 50, 50, 2, 10));
        assertEquals(300, pace.sliceIterations(trips, 0.2), "the first messages say little");
        var rate = new Point(Way.JAVA_UCX, Benchmark.ONE_WAY, 8, 1);
        pace.learn(rate, 10_000, Measured.rate(100_000, 10_000));
        assertEquals(20_000, pace.sliceIterations(rate, 0.2), "a rate has no median");
    }

    @Test
    void shouldCountRoundTripsAndMessagesOfEachConnection() {
        var pace = new Pace();
        var trips = new Point(Way.C_UCX, Benchmark.PING_PONG, 8, 1);
        pace.learn(trips, 10_000, Measured.times(10, 10, 10, 2, 10_000));
        assertEquals(100_000, pace.iterations(trips, 1));
        var both = new Point(Way.C_UCX, Benchmark.BOTH_WAYS, 8, 4);
        pace.learn(both, 10_000, Measured.rate(80_000, 80_000));
        assertEquals(10_000, pace.iterations(both, 1));
    }

    @Test
    void shouldAskForAsManyRoundTripsAsTheirRateHas() {
        var pace = new Pace();
        var point = new Point(Way.NIO_BLOCKING, Benchmark.FIXED_RATE, 8, 2, 60);
        assertEquals(30, pace.iterations(point, 1), "not a hundred, which would take three seconds");
        // A hundred times as long as the way for itself would take: the rate is what counts, not the times.
        pace.learn(point, 30, Measured.trips(Distribution.ofMicros(new double[30]), 30));
        assertEquals(15, pace.perSecond(point), 1e-9);
        pace.learn(point.at(4000), 100, Measured.trips(Distribution.ofMicros(new double[100]), 4000));
        assertEquals(2000, pace.iterations(point.at(4000), 1));
        assertEquals(400, pace.sliceIterations(point.at(4000), 0.2));
    }

    @Test
    void shouldPassFiguresOnAsALine() {
        Measured times = Measured.times(Distribution.ofMicros(10, 9, 20), 10, 2).withSpent(new Spent(7, 12_345));
        assertEquals(times, passedOn(times));
        Measured few = Measured.times(10, 9, 20, 2, 5000);
        assertEquals(few, passedOn(few));
        assertEquals(200_000, few.messagesPerSecond());
        assertEquals(10_000, few.messages());
        Measured rate = Measured.rate(1234.5, 100);
        assertEquals(rate, passedOn(rate));
        assertEquals(1e6 / 1234.5, rate.figure());
    }

    private static Measured passedOn(Measured measured) {
        return Agent.measured(RecordLine.of(measured));
    }

    @Test
    void shouldHaveNoTailOfFewOperations() {
        assertTrue(Double.isNaN(Measured.times(10, 9, 20, 2, 999).times().p999Micros()));
        assertEquals(20, Measured.times(10, 9, 20, 2, 1000).times().p999Micros());
    }

    @Test
    void shouldAddWhatConnectionsMeasuredTogether() {
        Measured together =
                Measured.together(List.of(Measured.times(10, 9, 20, 2, 1000), Measured.times(20, 19, 40, 2, 1000)));
        assertEquals(15, together.times().averageMicros());
        assertEquals(40, together.times().p999Micros());
        assertEquals(300_000, together.messagesPerSecond());
        assertEquals(4000, together.messages());
        assertEquals(0.02, together.seconds());
    }

    @Test
    void shouldTellForHowLongConnectionsWereMeasuredTogether() {
        assertEquals(1, overlap(10, 12, 10, 12), 1e-9);
        assertEquals(1 / 3.0, overlap(10, 12, 11, 13), 1e-9);
        assertEquals(0.5, overlap(10, 12, 11, 12), 1e-9);
        assertEquals(0, overlap(10, 11, 12, 13), 1e-9);
    }

    /** The overlap of two pairs, each with the seconds at which it begins and ends. */
    private static double overlap(double begin, double end, double otherBegin, double otherEnd) {
        return EndPair.overlap(List.of(ended(begin, end), ended(otherBegin, otherEnd)));
    }

    private static EndPair.Ended ended(double begin, double end) {
        return new EndPair.Ended(Measured.rate(1000 / (end - begin), 1000), (long) (end * 1e9));
    }
}
