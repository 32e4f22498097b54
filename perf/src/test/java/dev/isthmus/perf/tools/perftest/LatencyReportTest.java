// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Compares with what {@code ib_send_lat -U} printed in the testbed: each iteration's time, then its columns. */
@Tag("unit")
class LatencyReportTest {

    private static String recorded() throws IOException {
        try (var in = LatencyReportTest.class.getResourceAsStream("ib_send_lat-unsorted.txt")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** The times of posts of messages that took as long as the lines "1, 33.25" say. */
    private static long[] posted(List<String> lines) {
        var times =
                lines.stream().filter(line -> line.matches("\\d+, [0-9.e+]+")).toList();
        long[] posted = new long[times.size() + 1];
        for (int i = 0; i < times.size(); i++) {
            double micros = Double.parseDouble(times.get(i).split(", ", 2)[1]);
            posted[i + 1] = posted[i] + Math.round(2_000 * micros);
        }
        return posted;
    }

    @Test
    void shouldComputeAndPrintWhatTheCProgramPrintsForTheSameTimes() throws IOException {
        List<String> lines = recorded().lines().toList();
        long[] posted = posted(lines);
        assertEquals(200, posted.length);
        String row = lines.get(lines.size() - 2);
        assertEquals(row, LatencyReport.row(64, 200, LatencyStatistics.of(PerfTest.SEND_LAT, posted)));
    }

    @Test
    void shouldHaveTheHeadsOfTheCProgram() throws IOException {
        List<String> lines = recorded().lines().toList();
        assertEquals(LatencyReport.COLUMNS, lines.get(lines.size() - 3));
        assertEquals(LatencyReport.RULE, lines.getLast());
    }

    @Test
    void shouldReadTheRowOfTheCProgram() throws IOException {
        LatencyStatistics read = LatencyReport.parse(recorded());
        LatencyStatistics computed = LatencyStatistics.of(
                PerfTest.SEND_LAT, posted(recorded().lines().toList()));
        assertEquals(computed.typical(), read.typical(), 0.005);
        assertEquals(computed.p999(), read.p999(), 0.005);
        assertEquals(computed.min(), read.min(), 0.005);
    }

    @Test
    void shouldReadItsOwnRow() {
        var figures = new LatencyStatistics(1.25, 9.5, 2.25, 2.5, 0.25, 8.5, 9.25);
        String output = "anything\n" + LatencyReport.COLUMNS + "\n" + LatencyReport.row(8, 1000, figures) + "\n";
        assertEquals(figures, LatencyReport.parse(output));
    }

    @Test
    void shouldSayWhatWasPrintedInsteadOfFigures() {
        var e = assertThrows(IllegalArgumentException.class, () -> LatencyReport.parse("Couldn't connect\n"));
        assertTrue(e.getMessage().contains("Couldn't connect"));
    }
}
