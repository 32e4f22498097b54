// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.perftest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class PercentilesTest {

    @Test
    void shouldBeTheLeastThatSoManyAreNotAbove() {
        double[] thousand = IntStream.rangeClosed(1, 1000).asDoubleStream().toArray();
        assertEquals(999, Percentiles.of(thousand, 99.9));
        assertEquals(500, Percentiles.of(thousand, 50));
        assertEquals(1000, Percentiles.of(thousand, 100));
        double[] one = {7};
        assertEquals(7, Percentiles.of(one, 0.1));
    }

    @Test
    void shouldBeThatOfHdrHistogram() {
        double[] sorted = IntStream.range(0, 1234).mapToDouble(i -> i + 1).toArray();
        var histogram = new Histogram(5); // precise to each of them
        for (double value : sorted) {
            histogram.recordValue((long) value);
        }
        for (double percentile : new double[] {0.1, 1, 50, 90, 99, 99.9, 99.99, 100}) {
            assertEquals((double) histogram.getValueAtPercentile(percentile), Percentiles.of(sorted, percentile));
        }
    }

    @Test
    void shouldTakeAllMessagesOfARun() {
        long[] posted = {0, 4_000, 10_000, 12_000, 20_000};
        assertEquals(4, Percentiles.of(PerfTest.SEND_LAT, posted, 99.9)); // half of 8 us, which perftest leaves out
        assertEquals(8, Percentiles.of(PerfTest.READ_LAT, posted, 99.9));
    }
}
