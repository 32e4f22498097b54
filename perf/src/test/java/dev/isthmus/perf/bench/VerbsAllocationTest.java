package dev.isthmus.perf.bench;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("device")
@Timeout(240)
class VerbsAllocationTest {

    @Test
    void shouldAllocateNothingWhenPostingAndPolling() throws Exception {
        Allocation.assertNone("VerbsBenchmark\\.postAndPoll$", 1);
    }

    @Test
    void shouldAllocateNothingWhenAPollFindsNothing() throws Exception {
        Allocation.assertNone("VerbsBenchmark\\.emptyPoll$", 1);
    }
}
