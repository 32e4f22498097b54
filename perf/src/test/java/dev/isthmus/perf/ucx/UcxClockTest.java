// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class UcxClockTest {

    @Test
    void shouldGoOnWhenARunHasHadMoreThanTwoThousandMillionLooks() {
        var clock = new UcxClock(UcxPlans.of("-t tag_bw -n 0 host"), result -> {});
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
            assertEquals(1, new UcxClock(UcxPlans.of("-t " + test + " host"), result -> {}).block(), test);
        }
        assertEquals(32, new UcxClock(UcxPlans.of("-t tag_bw host"), result -> {}).block());
    }
}
