// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class RunTest {

    private static final Run RUN = MadeUp.run(new Point(Way.C_UCX, Benchmark.ONE_WAY, 64, 1), 1, 2, 10, "");

    @Test
    void shouldBeBehindARateThatItDidNotReach() {
        Point point = new Point(Way.NIO_BLOCKING, Benchmark.FIXED_RATE, 64, 1, 1000);
        Run kept = MadeUp.offered(MadeUp.run(point, 1, 2, 1995, ""), 1000);
        Run behind = MadeUp.offered(MadeUp.run(point, 2, 2, 1902, ""), 1000);
        assertFalse(kept.isBehind() || kept.isDoubtful());
        assertTrue(behind.isBehind() && behind.isDoubtful());
    }

    @Test
    void shouldBeDoubtfulIfItWasNotSteadyOrNotTogether() {
        assertFalse(MadeUp.doubtful(RUN, true, 0.95).isDoubtful());
        assertTrue(MadeUp.doubtful(RUN, true, 0.79).isDoubtful());
        assertTrue(MadeUp.doubtful(RUN, false, 0.9).isDoubtful());
    }
}
