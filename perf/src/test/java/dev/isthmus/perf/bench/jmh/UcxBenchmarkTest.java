// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.jmh;

import dev.isthmus.testbed.TestDeadlines;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("ucx")
@Tag("host")
@Tag("extended")
@Timeout(TestDeadlines.LONGEST_TEST_SECONDS)
class UcxBenchmarkTest {

    /** In a JVM of its own, to keep JUCX apart from other tests. */
    @Test
    void shouldCallInEachWay() throws Exception {
        BenchmarkRun.all(1, 4, CallBenchmark.class);
    }

    @Test
    void shouldArmAndExchangeWithAndWithoutPendingReceives() throws Exception {
        BenchmarkRun.all(0, 4, UcxPendingBenchmark.class);
    }

    @Test
    void shouldConnectOverEachTransport() throws Exception {
        BenchmarkRun.all(0, 3, UcxConnectionBenchmark.class);
    }

    @Test
    void shouldAcquireFromEachPool() throws Exception {
        BenchmarkRun.all(0, 7, BufferBenchmark.class);
    }

    @Test
    void shouldStartWithEachKindOfWhatIsKept() throws Exception {
        BenchmarkRun.all(0, StartBenchmark.Kept.values().length, StartBenchmark.class);
    }
}
