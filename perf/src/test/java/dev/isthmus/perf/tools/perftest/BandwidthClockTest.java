// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** perftest's bandwidth figures, and its rows as {@code ib_*_bw} printed them in the testbed. */
@Tag("unit")
class BandwidthClockTest {

    private static BandwidthClock clock(String flags) {
        return new BandwidthClock(Plan.of(PerfTest.WRITE_BW, flags.split(" ", -1)), 1 << 20);
    }

    @Test
    void shouldFindTheShortestTimePerMessageBetweenAPostAndALaterCompletion() {
        long[] posted = {1000, 1100, 1200, 1300};
        long[] completed = {2000, 2100, 2150, 2600};
        // from the second post to the third completion 525 each; from the first to the third 383
        assertEquals(1600 / 4.0, BandwidthClock.shortest(posted, completed, 1, 4), 1e-9);
        assertEquals(1150 / 3.0, BandwidthClock.shortest(posted, completed, 1, 1), 1e-9);
    }

    @Test
    void shouldOnlyLookAtCompletionsThatWereSignalledAndAtTheLast() {
        long[] posted = {1000, 1010, 1020, 1030, 1040};
        long[] completed = {0, 1500, 0, 1600, 1610};
        assertEquals(610 / 5.0, BandwidthClock.shortest(posted, completed, 1, 2), 1e-9);
    }

    @Test
    void shouldOnlyLookAtPostsOfWholeLists() {
        long[] posted = {1000, 0, 2000, 0};
        long[] completed = {0, 1900, 0, 2100};
        assertEquals(100 / 2.0, BandwidthClock.shortest(posted, completed, 2, 2), 1e-9);
    }

    @Test
    void shouldTellMebibytesAndMillionsOfMessages() {
        Bandwidth figures = clock("-N").figures(500, 1_000_000_000L, 0);
        assertEquals(500.0, figures.average(), 1e-9);
        assertEquals(0.0005, figures.messageRate(), 1e-12);
    }

    @Test
    void shouldTellGigabits() {
        Bandwidth figures = clock("-N --report_gbits").figures(125, 1_048_576_000L, 0);
        assertEquals(1.0, figures.average(), 1e-9);
    }

    @Test
    void shouldKeepAPointOfTimePerMessageOnlyForAPeak() {
        assertTrue(clock("-n 100").keepsAll());
        assertFalse(clock("-n 100 -N").keepsAll());
        assertFalse(clock("-D 4").keepsAll());
    }

    @Test
    void shouldMeasureAWholeRun() {
        BandwidthClock clock = clock("-n 5 -s 64");
        for (int i = 0; i < 5; i++) {
            clock.posted(i);
            clock.completed(i + 1);
        }
        Bandwidth figures = clock.figures();
        assertEquals(5, figures.iterations());
        assertTrue(figures.peak() >= figures.average() && figures.average() > 0, figures.toString());
    }

    @Test
    void shouldPrintTheRowsOfTheCPrograms() {
        assertEquals(
                " 65536      20               8.92               8.92   \t\t   0.000143",
                BandwidthReport.row(new Bandwidth(65536, 20, 8.921, 8.919, 0.000143), false));
        assertEquals(
                " 8          20               0.11               0.01   \t\t   0.001841",
                BandwidthReport.row(new Bandwidth(8, 20, 0.11, 0.01, 0.001841), false));
        assertEquals(
                " 512        20           0.010116            0.004143            0.001012",
                BandwidthReport.row(new Bandwidth(512, 20, 0.010116, 0.004143, 0.001012), true));
        assertEquals(
                " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]",
                BandwidthReport.columns(false));
        assertEquals(
                " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]",
                BandwidthReport.columns(true));
    }

    @Test
    void shouldPrintMoreDigitsOfFewGigabits() {
        assertTrue(BandwidthReport.isPrecise(new Bandwidth(8, 20, 0, 0.09, 0), true));
        assertFalse(BandwidthReport.isPrecise(new Bandwidth(8, 20, 0, 0.11, 0), true));
        assertFalse(BandwidthReport.isPrecise(new Bandwidth(8, 20, 0, 0.09, 0), false));
    }

    @Test
    void shouldRefuseAReportThatIsNone() {
        assertThrows(IllegalArgumentException.class, () -> new Bandwidth(-1, 1, 1, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> new Bandwidth(1, -1, 1, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> new Bandwidth(1, 1, Double.NaN, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> new Bandwidth(1, 1, 1, Double.POSITIVE_INFINITY, 1));
        assertThrows(IllegalArgumentException.class, () -> new Bandwidth(1, 1, 1, 1, -0.5));
    }

    @ParameterizedTest
    @CsvSource({
        "37.2205, 37.2205",
        "10134.1, 10134.12",
        "319.96, 319.96",
        "0.5, 0.5",
        "1e+06, 1000000",
        "1.23457e+06, 1234567",
        "999999, 999999",
        "1e-05, 0.00001",
        "0.0001, 0.0001",
        "100, 100",
        "0, 0"
    })
    void shouldPrintNumbersAsTheGOfC(String printed, double value) {
        assertEquals(printed, CFormat.general(value));
    }
}
