// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("unit")
class SummaryTest {

    private static final Point POINT = new Point(Way.C_UCX, Benchmark.ONE_WAY, 64, 1);

    @Test
    void shouldHaveTheMedianOfAnOddAndOfAnEvenNumberOfRuns() {
        assertEquals(Optional.of(new Spread(2, 1, 9)), Spread.of(9, 1, 2));
        assertEquals(Optional.of(new Spread(3, 1, 9)), Spread.of(9, 1, 2, 4));
        assertEquals(Optional.of(new Spread(7, 7, 7)), Spread.of(7));
        assertEquals(Optional.empty(), Spread.of());
    }

    /**
     * Each interval is that of the table for the sign test: it leaves out as many runs as keep the error at 5 %
     * or less.
     */
    @ParameterizedTest
    @CsvSource({"6, 1, 6", "8, 1, 8", "9, 2, 8", "11, 2, 10", "12, 3, 10", "20, 6, 15", "30, 10, 21", "2000, 956, 1045"
    })
    void shouldTellBetweenWhatTheMedianOfMoreRunsIs(int runs, double low, double high) {
        double[] values = IntStream.rangeClosed(1, runs).mapToDouble(i -> i).toArray();
        Spread spread = Spread.of(values).orElseThrow();
        assertEquals(Optional.of(new Spread.Range(low, high)), spread.interval());
    }

    @Test
    void shouldNotBeSureOfTheMedianOfFewRuns() {
        Spread spread = Spread.of(5, 1, 2, 3, 4).orElseThrow();
        assertEquals(new Spread(3, 1, 5), spread);
    }

    @Test
    void shouldHaveNoTimesOfRatesThatCouldNotBeKept() {
        Point point = new Point(Way.NIO_BLOCKING, Benchmark.FIXED_RATE, 64, 1, 1000);
        Run kept = MadeUp.offered(MadeUp.run(point, 1, 2, 1995, ""), 1000);
        Run behind = MadeUp.offered(MadeUp.run(point, 2, 2, 1902, ""), 1000);
        assertFalse(kept.isBehind());
        assertTrue(behind.isBehind());
        List<Summary> all = Summary.of(List.of(kept, behind));
        assertEquals(1, all.getFirst().count(Run::isBehind));
        assertTrue(all.getFirst().isDoubtful());
        String table = TerminalTable.format(all);
        assertTrue(table.contains("""
                These could not keep up with their rate:
                  Java NIO, blocking, round trips at a fixed rate, 64 B, 1,000/s:
                    1 of 2 runs; of 1,000 round trips a second as few as 951 came back
                """), table);
        assertTrue(table.contains("round trips at a fixed rate, 1,000/s: average time"), table);
    }

    @Test
    void shouldSummarizeEachFigureOfEachPoint() {
        Run second = new Run(
                POINT,
                2,
                OptionalDouble.empty(),
                OptionalDouble.of(10),
                OptionalDouble.of(8),
                30,
                300,
                OptionalDouble.empty(),
                OptionalDouble.empty(),
                true,
                OptionalDouble.empty(),
                OptionalDouble.empty(),
                Optional.empty(),
                "the last command",
                List.of());
        Run other = MadeUp.run(new Point(Way.C_UCX, Benchmark.ONE_WAY, 8, 1), 1, 1, 1, "");
        List<Summary> all = Summary.of(List.of(MadeUp.run(POINT, 1, 2, 10, "a command"), other, second));
        assertEquals(
                List.of(other.point(), POINT), all.stream().map(Summary::point).toList());
        Summary summary = all.getLast();
        assertEquals(2, summary.runs().size());
        assertEquals(Optional.of(new Spread(2, 2, 2)), Quantity.AVERAGE.of(summary));
        assertEquals(Optional.of(new Spread(7, 4, 10)), Quantity.MEDIAN.of(summary));
        assertEquals(7, summary.median(Quantity.MEDIAN));
        assertEquals(Optional.of(new Spread(7, 6, 8)), Quantity.P999.of(summary));
        assertEquals(Optional.of(new Spread(20, 10, 30)), Quantity.MESSAGES.of(summary));
        assertEquals(Optional.of(new Spread(470, 300, 640)), Quantity.BYTES.of(summary));
        assertEquals(Optional.empty(), Quantity.OVERHEAD.of(summary));
        assertEquals("the last command", summary.runs().getLast().command());
    }

    @Test
    void shouldDoubtRunsThatWereNotSteadyOrNotTogether() {
        Run first = MadeUp.doubtful(MadeUp.run(POINT, 1, 2, 10, ""), true, 0.95);
        Run second = MadeUp.doubtful(MadeUp.run(POINT, 2, 2, 10, ""), true, 0.79);
        Run third = MadeUp.doubtful(MadeUp.run(POINT, 3, 2, 10, ""), false, 0.9);
        assertFalse(Summary.of(List.of(first)).getFirst().isDoubtful());
        assertTrue(Summary.of(List.of(first, second)).getFirst().isDoubtful());
        assertTrue(Summary.of(List.of(first, third)).getFirst().isDoubtful());
        List<Summary> all = Summary.of(List.of(first, second, third));
        assertEquals(Optional.of(new Spread(0.9, 0.79, 0.95)), Quantity.OVERLAP.of(all.getFirst()));
        assertFalse(TerminalTable.format(Summary.of(List.of(first))).contains("*"));
        String table = TerminalTable.format(all);
        assertTrue(table.contains("        10.0*\n"), table);
        assertTrue(table.contains("\n* of runs that began before"), table);
    }

    @Test
    void shouldPrintNumbersForPeople() {
        assertEquals("0", Numbers.figure(0));
        assertEquals("0.123", Numbers.figure(0.1234));
        assertEquals("1.23", Numbers.figure(1.234));
        assertEquals("12,345", Numbers.figure(12345.4));
        assertEquals("123 k", Numbers.figure(123456));
        assertEquals("1.23 M", Numbers.figure(1.234e6));
        assertEquals(
                List.of("1 B", "512 B", "1 KiB", "1.5 KiB", "512 KiB", "1 MiB"),
                List.of(1L, 512L, 1024L, 1536L, 1L << 19, 1L << 20).stream()
                        .map(Numbers::bytes)
                        .toList());
    }
}
