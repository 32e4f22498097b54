// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.TestDeadlines;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whole comparisons between this machine's RDMA devices, but small ones, because each JVM needs time to start there.
 */
@Tag("interop")
@Tag("extended")
@Timeout(TestDeadlines.LONGEST_TEST_SECONDS)
class CompareDeviceTest {

    private static final String SHORT = " --bytes 64 --rounds 1 --seconds 0.05 --warm-up 0.1";

    /** The base transport header and the invariant checksum, which every packet has over whatever link. */
    private static final int HEADERS = 12 + 4;

    /** These need no device: {@link CompareTest} measures them. */
    private static final EnumSet<Way> ELSEWHERE =
            EnumSet.of(Way.JUCX, Way.NIO_BLOCKING, Way.NIO_NON_BLOCKING, Way.C_TCP, Way.NETTY_TCP, Way.NETTY_EPOLL);

    private static final Set<Way> ONE_SIDED = EnumSet.of(
            Way.C_VERBS_WRITE, Way.C_VERBS_READ, Way.JAVA_VERBS_WRITE, Way.JAVA_VERBS_READ, Way.C_UCX, Way.JAVA_UCX);

    /** These have one-sided operations only. */
    private static final Set<Way> READS = EnumSet.of(Way.C_VERBS_READ, Way.JAVA_VERBS_READ);

    /** These report no single times. */
    private static final Set<Way> UNTIMED = EnumSet.of(Way.C_UCX, Way.C_SOCKETS, Way.JAVA_SOCKETS);

    @TempDir
    private Path folder;

    @Test
    void shouldMeasureOneSidedOperationsInEveryWay() throws Exception {
        assertMeasured(Benchmark.ONE_SIDED, ONE_SIDED);
    }

    @Test
    void shouldMeasurePingPongInEveryWay() throws Exception {
        Set<Way> ways = EnumSet.complementOf(ELSEWHERE);
        ways.removeAll(READS);
        assertMeasured(Benchmark.PING_PONG, ways);
    }

    /** Of all ways that need a device, these and no others are measured, once each. */
    private void assertMeasured(Benchmark benchmark, Set<Way> expected) throws Exception {
        String names = EnumSet.complementOf(ELSEWHERE).stream().map(Way::id).collect(Collectors.joining(","));
        try (var comparison = new TypedComparison(folder)) {
            List<Run> runs = comparison.measureHere("--benchmarks " + benchmark.id() + " --ways " + names + SHORT);
            assertEquals(expected, runs.stream().map(run -> run.point().way()).collect(Collectors.toSet()));
            assertEquals(expected.size(), runs.size());
            for (Run run : runs) {
                assertEquals(benchmark, run.point().benchmark());
                boolean timed = !UNTIMED.contains(run.point().way());
                assertEquals(timed, run.times().isPresent() || isUntimedWrite(run), run.toString());
                if (run.point().way() != Way.C_UCX) { // which does not say how many messages it had
                    assertTrue(run.overheadBytesPerMessage().orElse(0) >= HEADERS, run.toString());
                }
            }
        }
    }

    /** perftest reports no time of a single write, and without a compiler for a loop of ours there is nothing else. */
    private static boolean isUntimedWrite(Run run) {
        return VerbsTool.isSingleWrite(run.point()) && run.p999Micros().isEmpty();
    }

    @Test
    void shouldBeginRoundTripsAtAFixedRateInCAndInJava() throws Exception {
        try (var comparison = new TypedComparison(folder)) {
            List<Run> runs = comparison.measureHere(
                    "--benchmarks fixed-rate --rates 100" + " --ways c-verbs-send,java-verbs-send" + SHORT);
            assertEquals(2, runs.size());
            for (Run run : runs) {
                assertEquals(100, run.offeredPerSecond().orElseThrow());
                assertEquals(!run.isBehind(), run.times().isPresent(), run.toString());
            }
        }
    }

    @Test
    void shouldMeasureConnectionsInBothDirectionsAndGoOnAfterAPause() throws Exception {
        try (var comparison = new TypedComparison(folder)) {
            List<Run> runs = comparison.measureWithAPause("--benchmarks both-ways,ping-pong --connections 2"
                    + " --thread-per-connection --ways c-verbs-send,java-verbs-send" + SHORT);
            assertEquals(4, runs.size());
            for (Run run : runs) {
                assertTrue(
                        run.overlap().isPresent(),
                        run + " was of one thread"); // so also what was measured after the pause
            }
        }
    }
}
