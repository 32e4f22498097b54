// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class LatencyStatisticsTest {

    /** The times of posts of messages with these one-way times, in microseconds. */
    private static long[] postedAfter(double... oneWayMicros) {
        long[] posted = new long[oneWayMicros.length + 1];
        posted[0] = 1_000_000;
        for (int i = 0; i < oneWayMicros.length; i++) {
            posted[i + 1] = posted[i] + Math.round(oneWayMicros[i] * 2_000);
        }
        return posted;
    }

    @Test
    void shouldHalveRoundTripsAndDropTheTwoLongest() {
        // Sorted: 10 11 12 13 | 50 90. The two at the end are out; the shorter of them is what C calls t_max.
        var figures = LatencyStatistics.of(PerfTest.SEND_LAT, postedAfter(13, 10, 90, 12, 50, 11));
        assertEquals(10, figures.min());
        assertEquals(50, figures.max());
        assertEquals(11.5, figures.typical());
        assertEquals(11.5, figures.average());
        // ceil(4 * 0.99) = 4: the shorter of the dropped two.
        assertEquals(50, figures.p99());
        assertEquals(50, figures.p999());
    }

    @Test
    void shouldTakeTheMiddleOneOfAnOddCount() {
        assertEquals(
                12,
                LatencyStatistics.of(PerfTest.SEND_LAT, postedAfter(13, 10, 90, 12, 50))
                        .typical());
    }

    @Test
    void shouldTruncateDistancesInTheDeviationAsCDoes() {
        // Mean of 10 11 12 13 is 11.5: distances 1.5 0.5 -0.5 -1.5 become 1 0 0 -1, so sqrt(2 / 4).
        var figures = LatencyStatistics.of(PerfTest.SEND_LAT, postedAfter(10, 11, 12, 13, 50, 90));
        assertEquals(Math.sqrt(0.5), figures.deviation());
    }

    @Test
    void shouldFindPercentilesByTheirIndexInTheSortedTimes() {
        double[] oneWay = LongStream.rangeClosed(1, 1002).asDoubleStream().toArray();
        var figures = LatencyStatistics.of(PerfTest.SEND_LAT, postedAfter(oneWay));
        // Of 1000 values that count, indexes 990 and 999 from 0: the 991st and the 1000th.
        assertEquals(991, figures.p99());
        assertEquals(1000, figures.p999());
        assertEquals(1001, figures.max());
        assertEquals(500.5, figures.typical());
    }

    @Test
    void shouldNotChangeTheTimes() {
        long[] posted = postedAfter(5, 4, 3, 2, 1);
        long[] before = posted.clone();
        LatencyStatistics.of(PerfTest.SEND_LAT, posted);
        assertArrayEquals(before, posted);
    }

    @Test
    void shouldRefuseTooFewIterations() {
        assertThrows(IllegalArgumentException.class, () -> LatencyStatistics.of(PerfTest.SEND_LAT, new long[4]));
    }
}
