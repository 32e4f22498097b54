// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.cli.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.isthmus.perf.cli.Main;
import dev.isthmus.testbed.ChildJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A report of the machine that the tests run on, made as a user makes it. */
@Tag("device")
@Tag("extended") // it starts several of the suite's commands, each of which has a test of its own
class ReportCommandTest {

    @Test
    void shouldReportWhatADeviceDoes(@TempDir Path folder) throws Exception {
        Path name = folder.resolve("mine");
        // On emulated processors the comparison takes ten minutes; isthmus demo has tests of its own.
        ChildJvm.Result result =
                new ChildJvm().run(Main.class, "report", "--without", "demo", "--out", name.toString());
        assertTrue(result.output().contains("Nothing was sent."), result::output);
        JsonNode report =
                new ObjectMapper().readTree(folder.resolve("mine.json").toFile());
        JsonNode sections = report.get("sections");
        assertEquals(
                List.of("doctor", "info", "direct"),
                List.of(
                        sections.get(0).get("name").textValue(),
                        sections.get(1).get("name").textValue(),
                        sections.get(2).get("name").textValue()));
        assertEquals(3, sections.size());
        JsonNode doctor = sections.get(0);
        assertEquals("VERBS", doctor.get("data").get(1).get("part").textValue(), doctor::toPrettyString);
        JsonNode info = sections.get(1);
        assertEquals(0, info.get("status").intValue(), info::toPrettyString);
        String text = info.get("text").textValue();
        String device = System.getenv("ISTHMUS_DEVICES").split(" ", 2)[0];
        assertTrue(text.contains(device) && text.contains("[address]"), text); // without GUIDs and GIDs
        JsonNode direct = sections.get(2);
        assertEquals(0, direct.get("status").intValue(), direct::toPrettyString);
        assertTrue(
                direct.get("text").textValue().contains("is not direct, because its device is driven by "),
                direct::toPrettyString);
        String page = Files.readString(folder.resolve("mine.html"));
        String json = Files.readString(folder.resolve("mine.json"));
        for (String each : List.of(page, json)) {
            String address = System.getenv("ISTHMUS_ADDRESSES").split(" ", 2)[0];
            assertFalse(each.contains(address + " ") || each.contains(address + "\""), address);
            assertFalse(each.contains(folder.toString()), "a path");
            assertTrue(each.contains(device));
        }
    }
}
