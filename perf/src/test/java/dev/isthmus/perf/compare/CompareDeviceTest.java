// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whole comparisons between this machine's RDMA devices, narrow ones: each JVM takes its time to start there. */
@Tag("interop")
@Timeout(900)
class CompareDeviceTest {

    private static final String SHORT = " --bytes 64 --rounds 1 --seconds 0.05 --warm-up 0.1";

    /** The base transport header and the invariant checksum, which every packet has over whatever link. */
    private static final int HEADERS = 12 + 4;

    /** C's UCX does not tell of how many messages it had; sockets take the loopback interface where nobody told them not to. */
    private static final Set<Way> UNCOUNTED = EnumSet.of(Way.C_UCX, Way.NIO_BLOCKING, Way.NIO_NON_BLOCKING, Way.C_TCP);

    @TempDir
    private Path folder;

    @Test
    void shouldMeasureOneSidedOperationsAndPingPongInEveryWay() throws Exception {
        try (var comparison = new TypedComparison(folder)) {
            List<Run> runs = comparison.measureHere("--benchmarks one-sided,ping-pong" + SHORT);
            Set<Way> ways = runs.stream().map(run -> run.point().way()).collect(Collectors.toSet());
            assertEquals(EnumSet.allOf(Way.class), ways);
            assertEquals(6 + 9 + 3, runs.size());
            for (Run run : runs) {
                if (!UNCOUNTED.contains(run.point().way())) {
                    assertTrue(run.overheadBytesPerMessage().orElse(0) >= HEADERS, run.toString());
                }
            }
        }
    }

    @Test
    void shouldMeasureConnectionsInBothDirectionsAndGoOnAfterAPause() throws Exception {
        try (var comparison = new TypedComparison(folder)) {
            List<Run> runs = comparison.measureWithAPause("--benchmarks both-ways,ping-pong --connections 2"
                    + " --ways c-verbs-send,java-verbs-send" + SHORT);
            assertEquals(4, runs.size());
        }
    }
}
