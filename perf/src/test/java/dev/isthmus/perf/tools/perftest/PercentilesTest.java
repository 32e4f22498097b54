// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class PercentilesTest {

    @Test
    void shouldTakeAllMessagesOfARun() {
        Histogram times = Percentiles.histogram(new long[] {0, 4_000, 10_000, 12_000, 20_000});
        assertEquals(4, times.getTotalCount());
        assertEquals(8_000, (double) times.getValueAtPercentile(99.9), 8); // which perftest leaves out
        assertEquals(4_000, (double) times.getValueAtPercentile(50), 4);
    }

    @Test
    void shouldCountATimeThatABrokenClockMadeNegativeAsNone() {
        assertEquals(0, Percentiles.histogram(new long[] {10, 3}).getMaxValue());
    }
}
