// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.jmh;

import dev.isthmus.testbed.Allocated;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is measured allocates not a byte; measured without JMH, which does allocate. */
@Tag("ucx")
@Tag("host")
class UcxAllocationTest {

    private static void assertNone(String transports, int operations, Consumer<UcxBenchmark> operation) {
        var benchmark = new UcxBenchmark();
        benchmark.transports = transports;
        benchmark.open();
        try {
            Allocated.assertNone(() -> {
                for (int i = 0; i < operations; i++) {
                    operation.accept(benchmark);
                }
            });
        } finally {
            benchmark.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"self", "posix,self"})
    void shouldAllocateNothingInProgress(String transports) {
        assertNone(transports, 100_000, UcxBenchmark::idleProgress);
    }

    @ParameterizedTest
    @ValueSource(strings = {"self", "posix,self"})
    void shouldAllocateNothingForATaggedMessage(String transports) {
        assertNone(transports, 10_000, UcxBenchmark::tagExchange);
    }
}
