// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.instructions;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.isthmus.perf.common.Side;
import dev.isthmus.perf.common.WholeFile;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("unit")
class CountsReportTest {

    @Test
    void shouldHaveTheFiguresOfTheSidesThatWereCounted(@TempDir Path folder) throws Exception {
        var count = new RowCounts(Suite.VERBS.rows().getFirst());
        count.put(Side.C, new RowCounts.Figure(52, 0));
        count.put(Side.JAVA, new RowCounts.Figure(87.1, 0.5));
        Path file = folder.resolve("counts.json");
        WholeFile.writeJson(file, new InstructionsCommand.CountsReport("Linux 6.1", List.of(count)));
        var json = new ObjectMapper();
        String expected = """
                {"machine": "Linux 6.1", "rows": [{"row": "%s", "figures": {
                  "C": {"instructions": 52.0, "bytes": 0.0}, "JAVA": {"instructions": 87.1, "bytes": 0.5}}}]}
                """.formatted(count.title());
        assertEquals(json.readTree(expected), json.readTree(file.toFile()));
    }
}
