// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.perf.process.JavaChild;
import dev.isthmus.testbed.TestDeadlines;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whole comparisons, typed as a user does, over the loopback interface. */
@Tag("ucx")
@Tag("system-ucx")
@Tag("host")
@Tag("extended")
@Timeout(TestDeadlines.LONGEST_TEST_SECONDS)
class CompareTest {

    @TempDir
    private Path folder;

    @Test
    void shouldMeasureEveryWay() throws Exception {
        try (var comparison = new TypedComparison(folder)) {
            List<Run> runs = comparison.measure(
                    "--devices none --ways c-ucx,java-ucx,jucx,nio-blocking,nio-non-blocking,c-tcp"
                            + ",netty-tcp,netty-epoll --bytes 64 --benchmarks one-way,ping-pong --rounds 1 --seconds 0.05 --warm-up 0.5");
            Set<Way> ways = runs.stream().map(run -> run.point().way()).collect(Collectors.toSet());
            assertEquals(
                    Set.of(
                            Way.C_UCX,
                            Way.JAVA_UCX,
                            Way.JUCX,
                            Way.NIO_BLOCKING,
                            Way.NIO_NON_BLOCKING,
                            Way.C_TCP,
                            Way.NETTY_TCP,
                            Way.NETTY_EPOLL),
                    ways);
            assertEquals(16, runs.size());
            for (Run run : runs) { // what nobody waits for has no time
                boolean waits = run.point().benchmark() == Benchmark.PING_PONG;
                assertTrue(waits || run.times().isEmpty(), run.toString());
            }
            assertTrue(comparison.output().contains("16 runs"), comparison.output());
        }
    }

    @Test
    void shouldKeepTheTimesOfAllOperationsOfUcxAndBeginThemAtAFixedRate() throws Exception {
        try (var comparison = new TypedComparison(folder)) {
            List<Run> runs = comparison.measure("--devices none --ways c-ucx,java-ucx,jucx --bytes 64,64K"
                    + " --benchmarks ping-pong,fixed-rate --rates 200 --rounds 1 --seconds 0.1 --warm-up 0.5");
            assertEquals(3 * 2 + 2, runs.size());
            for (Run run : runs) {
                boolean known = run.point().way() != Way.C_UCX && !run.isBehind();
                assertEquals(known, run.times().isPresent(), run.toString());
                assertEquals(
                        run.point().way() != Way.C_UCX,
                        run.processorMicrosPerMessage().isPresent(),
                        run.toString());
            }
        }
    }

    @Test
    void shouldRepeatRunsByTheCommandsThatItReports() throws Exception {
        try (var comparison = new TypedComparison(folder)) {
            List<Run> runs = comparison.measure("--devices none --ways c-ucx,java-ucx,jucx,nio-blocking --bytes 64"
                    + " --benchmarks ping-pong --rounds 1 --seconds 0.05 --warm-up 0.5");
            assertEquals(4, runs.size());
            for (Run run : runs) {
                if (run.point().way() == Way.C_UCX) {
                    assertEquals(List.of(), run.jvmFlags());
                    String printed = comparison.byHand(run);
                    assertTrue(
                            new UcxTool(List.of("ucx_perftest"))
                                            .read(run.point(), 100, printed)
                                            .times()
                                            .averageMicros()
                                    > 0,
                            printed);
                } else {
                    Run again = comparison.repeat(run);
                    assertEquals(run.point(), again.point());
                    assertEquals(run.command(), again.command());
                    assertTrue(run.jvmFlags().containsAll(JavaChild.options()), run.toString());
                    assertEquals(withoutFolder(run.jvmFlags()), withoutFolder(again.jvmFlags()));
                }
            }
        }
    }

    /** Without the folder for reports of crashing JVMs, which differs between comparisons. */
    private static List<String> withoutFolder(List<String> flags) {
        return flags.stream().filter(flag -> !flag.startsWith("-XX:ErrorFile=")).toList();
    }

    @Test
    void shouldKeepWhatItMeasuredWhenItIsTerminatedAndGoOn() throws Exception {
        try (var comparison = new TypedComparison(folder)) {
            List<Run> runs = comparison.measureWithAPause("--devices none --ways c-ucx,nio-blocking --bytes 64"
                    + " --benchmarks ping-pong --rounds 4 --seconds 0.3 --warm-up 1");
            assertEquals(8, runs.size());
        }
    }

    @Test
    void shouldTellForHowLongConnectionsWereMeasuredTogether() throws Exception {
        try (var comparison = new TypedComparison(folder)) {
            List<Run> runs = comparison.measure("--devices none --ways c-ucx,java-ucx --bytes 64"
                    + " --benchmarks both-ways --connections 2 --rounds 4 --seconds 1 --warm-up 1");
            assertEquals(8, runs.size());
            // Programs in C need no warm-up, but on a busy machine those of some rounds may run at different times.
            assertTrue(together(runs, Way.C_UCX) > 0.5, runs.toString());
            assertTrue(together(runs, Way.JAVA_UCX) > 0, runs.toString());
        }
    }

    /** The best of the rounds. */
    private static double together(List<Run> runs, Way way) {
        return runs.stream()
                .filter(run -> run.point().way() == way)
                .mapToDouble(run -> run.overlap().orElseThrow())
                .max()
                .orElseThrow();
    }

    @Test
    void shouldMakeARunOnceMoreWhoseJvmHasCrashed() throws Exception {
        try (var comparison = new TypedComparison(folder)) {
            List<Run> runs = comparison.measureWithACrash("--devices none --ways nio-blocking --bytes 64"
                    + " --benchmarks ping-pong --rounds 4 --seconds 0.5 --warm-up 1");
            assertEquals(4, runs.size());
        }
    }
}
