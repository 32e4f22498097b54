package dev.isthmus.perf.bench;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("ucx")
@Tag("host")
@Timeout(240)
class UcxAllocationTest {

    @Test
    void shouldAllocateNothingInProgress() throws Exception {
        Allocation.assertNone("UcxBenchmark\\.idleProgress$", 2, 100_000);
    }

    @Test
    void shouldAllocateNothingForATaggedMessage() throws Exception {
        Allocation.assertNone("UcxBenchmark\\.tagExchange$", 2, 10_000);
    }
}
