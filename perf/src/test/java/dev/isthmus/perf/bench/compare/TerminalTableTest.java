// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class TerminalTableTest {

    @Test
    void shouldPrintMediansInAHundredColumns() {
        List<Run> runs = MadeUp.points().stream()
                .flatMap(point -> MadeUp.runs(point).stream())
                .toList();
        String table = TerminalTable.format(Summary.of(runs));
        assertTrue(table.lines().allMatch(line -> line.length() <= 100), table);
        for (Way way : Way.values()) {
            assertTrue(table.contains(way.title()), way.title());
        }
        assertTrue(table.contains("one-sided latency: average time, µs\n"), table);
        assertTrue(table.contains("bi-directional throughput, 16 connections: messages/s\n"), table);
        String small = TerminalTable.format(Summary.of(MadeUp.runs(new Point(Way.C_UCX, Benchmark.ONE_WAY, 64, 1))));
        assertTrue(small.contains("        64 B\n"), small);
        assertTrue(small.contains("  C UCX                       "), small);
        assertEquals("Nothing was measured.\n", TerminalTable.format(List.of()));
    }
}
