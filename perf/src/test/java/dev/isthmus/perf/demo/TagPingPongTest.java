package dev.isthmus.perf.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class TagPingPongTest {

    @Test
    void shouldTakeTheMedianAndTheMeanOfHalfTheRoundTrips() {
        // A stamp after each batch: 3 batches of slow round trips, 10 us there and back, then 7 of 2 us.
        long[] times = new long[1 + 10];
        for (int i = 1; i < times.length; i++) {
            times[i] = times[i - 1] + TagPingPong.BETWEEN_STAMPS * (i <= 3 ? 10_000L : 2_000L);
        }
        Latency latency = TagPingPong.latency(times);
        assertEquals(1.0, latency.medianMicros(), 1e-9);
        assertEquals((3 * 5.0 + 7 * 1.0) / 10, latency.averageMicros(), 1e-9);
    }
}
