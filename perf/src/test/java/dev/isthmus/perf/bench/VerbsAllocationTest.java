package dev.isthmus.perf.bench;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Of chains and full polls an iteration has too few to hide what JMH allocates: DataPathDeviceTest counts there. */
@Tag("device")
@Timeout(240)
class VerbsAllocationTest {

    @Test
    void shouldAllocateNothingWhenPostingAndPolling() throws Exception {
        Allocation.assertNone("VerbsBenchmark\\.postAndPoll$", 1, 2_000);
    }

    @Test
    void shouldAllocateNothingWhenAPollFindsNothing() throws Exception {
        Allocation.assertNone("VerbsBenchmark\\.emptyPoll$", 1, 100_000);
    }

    @Test
    void shouldAllocateNothingWhenPostingARequest() throws Exception {
        Allocation.assertNone("VerbsBenchmark\\.post$", 1, 2_000);
    }

    @Test
    void shouldAllocateNothingWhenPostingAReceive() throws Exception {
        Allocation.assertNone("VerbsBenchmark\\.postReceive$", 1, 2_000);
    }
}
