// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class LastTimesTest {

    private final LastTimes times = new LastTimes();

    private void add(double... some) {
        for (double nanos : some) {
            times.add(nanos);
        }
    }

    @Test
    void shouldRoundAnIndexDownAsUcxPerftestDoes() {
        add(40, 10, 30, 20);
        assertEquals(20, times.percentile(50)); // index 3 * 0.5 = 1.5 of 10 20 30 40
        assertEquals(30, times.percentile(99));
        assertEquals(40, times.percentile(100));
    }

    @Test
    void shouldKeepTheLastTwoThousandAndFortyEight() {
        for (int i = 0; i < 10_000; i++) {
            add(i);
        }
        assertEquals(10_000 - 2048, times.percentile(0));
        assertEquals(10_000 - 2048 + 1023, times.percentile(50)); // index 2047 * 0.5
        assertEquals(10_000 - 2048 + 2044, times.percentile(99.9)); // index 2047 * 0.999
    }

    @Test
    void shouldBeNoNumberOfNone() {
        add(1);
        times.clear();
        assertEquals(Double.NaN, times.percentile(50));
    }
}
