// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.cli.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.perf.common.Machine;
import dev.isthmus.perf.common.Side;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("unit")
class DemoReportTest {

    private static final List<DemoReport.Sample> SAMPLES = List.of(
            new DemoReport.Sample("verbs", 8, Side.C, 1, 30.5, 31),
            new DemoReport.Sample("verbs", 8, Side.JAVA, 1, 33.55, 34));

    private static final DemoReport REPORT = new DemoReport(
            "2026-11-21T08:00:00Z",
            Map.of(
                    "verbs",
                    new Machine("the testbed", "Linux 6.1", "a CPU", 2, "a JDK", Map.of("perftest", "6.06"), 24.4)),
            DuelResult.of(SAMPLES),
            SAMPLES,
            List.of(new DemoReport.Failure("ucx", "the ucx part ended with status 1", false)));

    @TempDir
    Path folder;

    @Test
    void shouldBeReadBackFromJson() throws IOException {
        Path file = folder.resolve("result.json");
        REPORT.write(file);
        assertEquals(REPORT, DemoReport.JSON.readValue(file.toFile(), DemoReport.class));
    }

    @Test
    void shouldReplaceAnOlderFileAndLeaveNothingElse() throws IOException {
        Path file = folder.resolve("result.json");
        Files.writeString(file, "older");
        REPORT.write(file);
        assertEquals(
                1.1,
                DemoReport.JSON
                        .readTree(file.toFile())
                        .at("/comparisons/0/ratio")
                        .asDouble(),
                1e-9);
        try (var files = Files.list(folder)) {
            assertEquals(List.of(file), files.toList());
        }
    }

    @Test
    void shouldLeaveNothingWhenItCannotBeWritten() throws IOException {
        Path taken = Files.createDirectory(folder.resolve("taken"));
        Files.writeString(taken.resolve("file"), "so that it cannot be replaced");
        assertThrows(IOException.class, () -> REPORT.write(taken));
        try (var files = Files.list(folder)) {
            assertEquals(List.of(taken), files.toList());
        }
    }

    @Test
    void shouldShowFiguresRatioSpreadAndWhere() {
        List<String> lines = DemoTable.format(REPORT).lines().toList();
        assertEquals(
                "half a round trip, usec    bytes         C      Java  Java/C   C rounds          Java rounds",
                lines.get(0).stripTrailing());
        assertEquals(
                "verbs RC send                  8    30.500    33.550   1.100   30.500..30.500    33.550..33.550",
                lines.get(1).stripTrailing());
        assertTrue(lines.get(3).contains("2026-11-21T08:00:00Z"), lines.get(3));
        assertEquals(
                "verbs RC send: the testbed; Linux 6.1; 2 x a CPU; a JDK; perftest 6.06; System.nanoTime() takes 24 ns",
                lines.get(6));
        assertEquals(
                "UCX tag, shared memory: not measured completely, because the ucx part ended with status 1",
                lines.get(7));
    }

    @Test
    void shouldPassEventsAsLines() throws IOException {
        var event = new Event(null, SAMPLES.getFirst(), null, null);
        String line = DemoReport.JSON.writeValueAsString(event);
        assertFalse(line.contains("\n") || line.contains("null"), line);
        assertEquals(event, Event.parse(line).orElseThrow());
        assertTrue(Event.parse("{\"no\": such thing").isEmpty());
        assertTrue(Event.parse("libibverbs: Warning: something").isEmpty());
    }
}
