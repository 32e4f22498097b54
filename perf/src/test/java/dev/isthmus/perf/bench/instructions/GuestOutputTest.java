// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.instructions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.perf.common.Side;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class GuestOutputTest {

    private static final Row ROW = Suite.VERBS.rows().getFirst();

    private final List<RowCounts> complete = new ArrayList<>();
    private final GuestOutput output = new GuestOutput(Map.of(Suite.VERBS, List.of(ROW)), complete::add);

    @Test
    void shouldTakeTheBestBlockOfEachSide() throws IOException {
        output.take("fact Linux 6");
        output.take("begin VERBS C");
        output.take("clock 0 1.004 1.001");
        output.take(ROW.spec() + " 0 12.5 10.5 11");
        assertEquals(List.of(), complete);
        assertEquals("verbs in Java: warms up", output.take("begin VERBS JAVA"));
        assertEquals("verbs in Java: 1 of 1 rows", output.take(ROW.spec() + " 16.00 22 21 24"));
        RowCounts count = complete.getFirst();
        assertEquals(10.5, count.instructions(Side.C));
        assertEquals(21, count.instructions(Side.JAVA));
        assertEquals(16, count.of(Side.JAVA).orElseThrow().bytes());
        assertEquals(2, count.ratio(Side.C));
        assertEquals(List.of("Linux 6"), output.facts());
        output.checkComplete();
    }

    @Test
    void shouldRefuseAClockThatDoesNotCountInstructions() throws IOException {
        output.take("begin VERBS C");
        var failure = assertThrows(IOException.class, () -> output.take("clock 0 0.31 0.35"));
        assertTrue(failure.getMessage().contains("0.31 ns"), failure.getMessage());
    }

    @Test
    void shouldRefuseWhatIsNoRow() throws IOException {
        assertThrows(IOException.class, () -> output.take("Hello"));
        output.take("begin VERBS C");
        assertThrows(IOException.class, () -> output.take("Segmentation fault"));
    }

    @Test
    void shouldMissARowThatASideDidNotCount() throws IOException {
        output.take("begin VERBS C");
        output.take(ROW.spec() + " 0 12.5");
        var failure = assertThrows(IOException.class, output::checkComplete);
        assertTrue(failure.getMessage().contains(ROW.title() + " in Java"), failure.getMessage());
    }

    @Test
    void shouldHaveRowsThatAreToldApart() {
        for (Suite suite : Suite.values()) {
            for (Row row : suite.rows()) {
                assertEquals(
                        1,
                        suite.rows().stream()
                                .filter(other -> other.spec().equals(row.spec()))
                                .count());
            }
        }
        List<String> titles = List.of(Suite.values()).stream()
                .flatMap(suite -> suite.rows().stream())
                .map(Row::title)
                .toList();
        assertEquals(titles.size(), titles.stream().collect(Collectors.toSet()).size(), titles.toString());
        assertEquals(VerbsRow.ALL.getFirst(), VerbsRow.of(ROW.spec()));
    }
}
