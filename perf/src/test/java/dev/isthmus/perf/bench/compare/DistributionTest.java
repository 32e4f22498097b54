// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a distribution keeps of the times of all operations. */
@Tag("unit")
class DistributionTest {

    @TempDir
    private Path dir;

    /** From one microsecond on. */
    private static Distribution upTo(int micros) {
        return Distribution.ofMicros(
                IntStream.rangeClosed(1, micros).mapToDouble(i -> i).toArray());
    }

    @Test
    void shouldHaveTheLeastTimeThatSoManyDidNotExceed() {
        Distribution thousand = upTo(1000);
        assertEquals(999, thousand.micros(99.9), 1);
        assertEquals(500, thousand.micros(50), 0.5);
        assertEquals(1000, thousand.micros(100), 1);
        assertEquals(1, thousand.micros(0), 0.001);
        assertEquals(500.5, thousand.averageMicros(), 0.5);
    }

    @Test
    void shouldHaveAllOperationsOfSeveral() {
        Distribution all = Distribution.together(List.of(upTo(10), upTo(1000)));
        assertEquals(1010, all.count());
        assertEquals(495, all.micros(50), 0.5);
    }

    @Test
    void shouldStayWhenMoreIsCounted() {
        var counting = new Histogram(3);
        counting.recordValue(1000);
        Distribution one = Distribution.of(counting);
        counting.recordValue(1000);
        assertEquals(1, one.count());
    }

    @Test
    void shouldCountATimeThatABrokenClockMadeNegativeAsNone() {
        Distribution two = Distribution.ofMicros(-1, 1);
        assertEquals(2, two.count());
        assertEquals(0, two.micros(0));
    }

    @Test
    void shouldBeReadFromWhatItWrites() {
        Distribution some = Distribution.ofMicros(0, 1.5, 20, 3e6);
        assertEquals(some, Distribution.decode(some.encode()));
        assertThrows(IllegalArgumentException.class, () -> Distribution.decode("HISTFAAAACx42pNpmSz"));
        assertThrows(IllegalArgumentException.class, () -> Distribution.decode("no base64"));
        assertThrows(IllegalArgumentException.class, () -> Distribution.decode(""));
    }

    /** HdrHistogram's own reader reads it as a line of its log. */
    @Test
    void shouldBeEncodedAsInALogOfHdrHistogram() throws Exception {
        Path log = dir.resolve("log.hlog");
        Files.writeString(
                log,
                "#[Histogram log format version 1.3]\n0.000,1.000,1.000,"
                        + upTo(1000).encode() + "\n");
        try (var reader = new HistogramLogReader(log.toFile())) {
            var read = (Histogram) reader.nextIntervalHistogram();
            assertEquals(1000, read.getTotalCount());
            assertEquals(999_000, (double) read.getValueAtPercentile(99.9), 1000);
        }
    }

    @Test
    void shouldHavePercentilesAsDeepAsThereAreOperations() {
        assertEquals(
                List.of("0", "50", "80", "90", "95", "98", "99", "99.5", "99.8", "99.9"),
                List.copyOf(upTo(1000).percentiles().keySet()));
        assertEquals(998, upTo(1000).percentiles().get("99.8"), 1);
        assertEquals(1, upTo(1000).percentiles().get("0"), 1e-3);
        assertEquals(List.of("0", "50", "80"), List.copyOf(upTo(9).percentiles().keySet()));
        assertEquals(Map.of(), upTo(0).percentiles());
    }
}
