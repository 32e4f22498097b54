// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Optional;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class UcxClockTest {

    @Test
    void shouldCountTheTimesOfAllThatAreWaitedForSinceTheBeginning() {
        var times = new Histogram(3);
        var clock = new UcxClock(UcxPlans.of("-t tag_lat host"), Optional.of(times), result -> {});
        clock.start(0);
        clock.stamp(1, 500_000); // of a warm-up
        clock.start(1_000_000);
        for (int i = 1; i <= 3000; i++) {
            clock.stamp(1, 1_000_000 + 1000L * i);
        }
        clock.stamp(1, 1_000_000 + 1000L * 3020);
        assertEquals(3001, times.getTotalCount(), "more than the last");
        assertEquals(1000, (double) times.getValueAtPercentile(99.9), 1);
        assertEquals(20_000, (double) times.getMaxValue(), 20);

        var none = new Histogram(3);
        var bandwidth = new UcxClock(UcxPlans.of("-t tag_bw host"), Optional.of(none), result -> {});
        bandwidth.start(0);
        bandwidth.stamp(32, 1000);
        assertEquals(0, none.getTotalCount(), "nobody waits for these");
    }

    @Test
    void shouldGoOnWhenARunHasHadMoreThanTwoThousandMillionLooks() {
        var clock = new UcxClock(UcxPlans.of("-t tag_bw -n 0 host"), Optional.empty(), result -> {});
        clock.start(0, Integer.MAX_VALUE - 1L);
        for (int i = 1; i <= 5000; i++) {
            clock.stamp(1, 1000L * i);
        }
        UcxResult result = clock.result();
        assertEquals(5000, result.iterations());
        assertEquals(1e-6, result.percentile(), 1e-12);
    }

    @Test
    void shouldBeLookedAtAfterEachMessageThatIsWaitedFor() {
        for (String test : List.of("tag_lat", "ucp_get", "ucp_fadd", "ucp_cswap", "stream_lat", "ucp_am_lat")) {
            assertEquals(
                    1, new UcxClock(UcxPlans.of("-t " + test + " host"), Optional.empty(), result -> {}).block(), test);
        }
        assertEquals(32, new UcxClock(UcxPlans.of("-t tag_bw host"), Optional.empty(), result -> {}).block());
    }
}
