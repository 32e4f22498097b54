// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.isthmus.perf.Machine;
import dev.isthmus.perf.Side;
import dev.isthmus.perf.Turns;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class CompareReportTest {

    private static final Machine MACHINE =
            new Machine("here", "Linux", "a cpu", 2, "a jdk", Map.of("UCX", "1.13.1"), 24);

    private final Figures figures = new Figures(UcxCell.ALL.getFirst());

    CompareReportTest() {
        Stream.of(1.0, 9.0, 2.0).forEach(value -> figures.add(Side.C, value));
        Stream.of(2.0, 4.0).forEach(value -> figures.add(Side.JAVA, value));
        figures.fail(Side.JUCX, "no reason");
    }

    @Test
    void shouldCompareMedians() {
        assertEquals(2, figures.median(Side.C).orElseThrow());
        assertEquals(3, figures.median(Side.JAVA).orElseThrow());
        assertEquals(1.5, figures.ratio(Side.JAVA).orElseThrow());
        assertTrue(figures.ratio(Side.JUCX).isEmpty());
    }

    @Test
    void shouldSayWhatFailed() {
        String table = CompareReport.table(List.of(figures), MACHINE, "2026-01-01");
        assertTrue(
                table.contains("shm-tag-lat-8           usec      2.000      3.000     failed     1.50        -"),
                table);
        assertTrue(table.contains("shm-tag-lat-8, JUCX: no reason"), table);
        assertTrue(table.contains("Linux; 2 x a cpu; a jdk; UCX 1.13.1; System.nanoTime() takes 24 ns\n"), table);
    }

    @Test
    void shouldHoldEveryRound() throws IOException {
        String csv = CompareReport.csv(List.of(figures));
        assertEquals(6, csv.lines().count());
        assertTrue(csv.contains("shm-tag-lat-8,usec,C,2,9.0\n"), csv);
        JsonNode json = new ObjectMapper().readTree(CompareReport.json(List.of(figures), MACHINE, "2026-01-01", true));
        JsonNode cell = json.get("cells").get(0);
        assertEquals(1.5, cell.get("Java").get("byC").asDouble());
        assertEquals(3, cell.get("C").get("rounds").size());
        assertEquals("no reason", cell.get("JUCX").get("failure").asText());
    }

    @Test
    void shouldTellWhatWasNotMeasuredYetFromWhatFailed() throws IOException {
        var none = new Figures(UcxCell.ALL.getLast());
        String table = CompareReport.table(List.of(none), MACHINE, "2026-01-01");
        assertTrue(table.lines().anyMatch(line -> line.matches(none.cell().title() + " +MB/s( +-){5}")), table);
        JsonNode json = new ObjectMapper().readTree(CompareReport.json(List.of(none), MACHINE, "2026-01-01", false));
        assertFalse(json.get("complete").asBoolean(true));
    }

    @Test
    void shouldReadTheFiguresOfALine() throws IOException {
        String line = "    20000      0.205    18.863    69.881        0.40       0.11       53015       14310";
        UcxCell latency = UcxCell.ALL.getFirst();
        assertEquals(new Turns.Figure(0.205, 69.881), latency.figure(UcxPerftest.parse(line)));
        var bandwidth = new UcxCell(latency.transport(), "tag", 8, true, 1);
        assertEquals(0.11, bandwidth.figure(UcxPerftest.parse(line)).figure());
        assertThrows(IOException.class, () -> UcxPerftest.parse("a b c d e f g h"));
        assertThrows(IOException.class, () -> UcxPerftest.parse(""));
    }

    @Test
    void shouldHaveEveryCell() {
        assertEquals(32, UcxCell.ALL.size());
        for (UcxCell cell : UcxCell.ALL) {
            assertEquals(cell.bandwidth(), !cell.test().isPingPong(), cell.title());
        }
    }
}
