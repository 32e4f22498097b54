// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.isthmus.perf.demo.Machine;
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

    private final Figures figures = new Figures(Cell.ALL.getFirst());

    CompareReportTest() {
        Stream.of(1.0, 9.0, 2.0).forEach(value -> figures.add(Contender.Name.C, value));
        Stream.of(2.0, 4.0).forEach(value -> figures.add(Contender.Name.JAVA, value));
        figures.fail(Contender.Name.JUCX, "no reason");
    }

    @Test
    void shouldCompareMedians() {
        assertEquals(2, figures.median(Contender.Name.C).orElseThrow());
        assertEquals(3, figures.median(Contender.Name.JAVA).orElseThrow());
        assertEquals(1.5, figures.ratio(Contender.Name.JAVA).orElseThrow());
        assertTrue(figures.ratio(Contender.Name.JUCX).isEmpty());
    }

    @Test
    void shouldSayWhatFailed() {
        String table = CompareReport.table(List.of(figures), MACHINE, "2026-01-01");
        assertTrue(
                table.contains("shm-tag-lat-8           usec      2.000      3.000     failed     1.50        -"),
                table);
        assertTrue(table.contains("shm-tag-lat-8, JUCX: no reason"), table);
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
        var none = new Figures(Cell.ALL.getLast());
        String table = CompareReport.table(List.of(none), MACHINE, "2026-01-01");
        assertTrue(table.lines().anyMatch(line -> line.matches(none.cell().title() + " +MB/s( +-){5}")), table);
        JsonNode json = new ObjectMapper().readTree(CompareReport.json(List.of(none), MACHINE, "2026-01-01", false));
        assertFalse(json.get("complete").asBoolean(true));
    }

    @Test
    void shouldReadTheFiguresOfALine() throws IOException {
        String line = "    20000      0.205    18.863    69.881        0.40       0.11       53015       14310";
        Cell latency = Cell.ALL.getFirst();
        assertEquals(0.205, Contender.figure(latency, line));
        assertEquals(0.11, Contender.figure(new Cell(latency.transport(), "tag", 8, true), line));
        assertThrows(IOException.class, () -> Contender.figure(latency, "a b c d e f g h"));
        assertThrows(IOException.class, () -> Contender.figure(latency, ""));
    }

    @Test
    void shouldHaveEveryCell() {
        assertEquals(32, Cell.ALL.size());
        for (Cell cell : Cell.ALL) {
            assertEquals(cell.bandwidth(), !cell.test().isPingPong(), cell.title());
        }
    }
}
