// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.direct;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.isthmus.perf.cli.Main;
import dev.isthmus.testbed.ChildJvm;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Both ways on the simulated card, as a report of a machine with a card has them. */
@Tag("connectx")
class DirectCommandTest {

    @TempDir
    private Path folder;

    @Test
    void shouldCompareBothWaysInAReport() throws Exception {
        String name = folder.resolve("mine").toString();
        ChildJvm.Result result =
                new ChildJvm().run(Main.class, "report", "--quick", "--without", "doctor,info,demo", "--out", name);
        assertEquals(0, result.status(), result::output);
        JsonNode sections = new ObjectMapper()
                .readTree(folder.resolve("mine.json").toFile())
                .get("sections");
        assertEquals(1, sections.size());
        JsonNode section = sections.get(0);
        assertEquals("direct", section.get("name").textValue());
        String text = section.get("text").textValue();
        assertTrue(text.contains(" operations have the same completions and the same memory in both ways."), text);
        assertTrue(text.contains("empty poll"), text);
        JsonNode data = section.get("data");
        assertEquals("mlx5_0", data.get("device").textValue());
        assertEquals(data.get("byLibmlx5"), data.get("direct"));
        assertTrue(data.get("direct").size() >= 30, data::toPrettyString);
        assertTrue(data.get("direct")
                .get("RC WRITE with a wrong key")
                .get(0)
                .textValue()
                .contains("1 REM_ACCESS_ERR"));
        assertEquals(
                data.get("nanosecondsByLibmlx5").size(),
                data.get("nanosecondsDirect").size());
    }
}
