// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whole comparisons of what every machine has, typed as a user does, over the loopback interface. */
@Tag("unit")
@Tag("extended")
class CompareHereTest {

    private static final String SHORT = " --devices none --bytes 64 --seconds 0.1 --warm-up 0.2";

    @TempDir
    private Path folder;

    @Test
    void shouldKeepTheTimesOfAllOperationsAndWhatTheyCostTheProcessors() throws Exception {
        try (var comparison = new TypedComparison(folder)) {
            List<Run> runs = comparison.measureHere(
                    "--ways nio-blocking,nio-non-blocking --benchmarks one-way,ping-pong --rounds 2" + SHORT);
            for (Run run : runs) {
                assertTrue(run.processorMicrosPerMessage().orElse(0) > 0, run.toString());
                assertEquals(
                        run.point().benchmark() == Benchmark.PING_PONG,
                        run.times().isPresent(),
                        run.toString());
            }
        }
    }

    @Test
    void shouldBeginRoundTripsAtARateThatIsGiven() throws Exception {
        try (var comparison = new TypedComparison(folder)) {
            List<Run> runs = comparison.measureHere("--ways nio-blocking,nio-non-blocking,netty-tcp"
                    + " --benchmarks fixed-rate --rates 200,500 --connections 1,2 --rounds 1" + SHORT);
            assertEquals(3 * 2 * 2, runs.size());
            for (Run run : runs) {
                assertEquals((double) run.point().rate(), run.offeredPerSecond().orElseThrow());
                assertTrue(run.messagesPerSecond() <= 2.001 * run.point().rate(), "more than began: " + run);
                assertTrue(run.command().contains(" --rates " + run.point().rate()), run.command());
                assertEquals(!run.isBehind(), run.times().isPresent(), run.toString());
            }
            // On a machine that does nothing else, all do.
            assertTrue(runs.stream().anyMatch(run -> !run.isBehind()), runs.toString());
        }
    }

    @Test
    void shouldTakeHalfOfWhatAWayReachesForItsRateInAllRounds() throws Exception {
        try (var comparison = new TypedComparison(folder)) {
            List<Run> runs =
                    comparison.measureHere("--ways nio-non-blocking --benchmarks fixed-rate --rounds 2" + SHORT);
            assertEquals(2, runs.size());
            double rate = runs.getFirst().offeredPerSecond().orElseThrow();
            assertTrue(rate > 10, "a round trip takes less than a tenth of a second: " + rate);
            assertEquals(rate, runs.getLast().offeredPerSecond().orElseThrow());
            assertEquals(0, runs.getFirst().point().rate());
        }
    }

    @Test
    void shouldTellOfARateThatIsTooMuchAndNotOfItsTimes() throws Exception {
        try (var comparison = new TypedComparison(folder)) {
            Run run = comparison
                    .measureHere("--ways nio-non-blocking --benchmarks fixed-rate --rates 10000000 --rounds 1" + SHORT)
                    .getFirst();
            assertTrue(run.isBehind(), run.toString());
            assertFalse(run.averageMicros().isPresent() || run.times().isPresent(), run.toString());
            assertTrue(comparison.output().contains("could not keep up with their rate:\n  nio-non-blocking"));
        }
    }
}
