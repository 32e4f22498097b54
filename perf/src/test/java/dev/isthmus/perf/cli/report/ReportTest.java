// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.cli.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.isthmus.perf.cli.Main;
import dev.isthmus.testbed.ChildJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A report made where there is no checkout. */
@Tag("unit")
class ReportTest {

    @TempDir
    private Path folder;

    private ChildJvm.Result report(String... options) {
        return new ChildJvm().options("-Disthmus.home=" + folder).run(Main.class, options);
    }

    @Test
    void shouldSayWhyInstructionsWereNotCounted() throws Exception {
        String name = folder.resolve("mine").toString();
        ChildJvm.Result result =
                report("report", "--without", "doctor,info,demo,direct", "--instructions", "--out", name);
        assertEquals(1, result.status(), result::output);
        assertTrue(result.output().contains("exit status 1"), result::output);
        JsonNode sections = new ObjectMapper()
                .readTree(folder.resolve("mine.json").toFile())
                .get("sections");
        assertEquals(1, sections.size());
        assertEquals("instructions", sections.get(0).get("name").textValue());
        String reason = "there is no testbed/testbed in this folder or above it";
        assertTrue(sections.get(0).get("text").textValue().contains(reason), sections::toPrettyString);
        assertTrue(Files.readString(folder.resolve("mine.html")).contains(reason));
    }

    @Test
    void shouldShowFindingsAsText() throws Exception {
        String name = folder.resolve("mine").toString();
        ChildJvm.Result result = report("report", "--without", "info,demo,direct", "--out", name);
        assertTrue(result.output().contains("Nothing was sent."), result::output);
        JsonNode doctor = new ObjectMapper()
                .readTree(folder.resolve("mine.json").toFile())
                .get("sections")
                .get(0);
        assertEquals("JVM", doctor.get("data").get(0).get("part").textValue(), doctor::toPrettyString);
        assertTrue(doctor.get("text").textValue().startsWith("Java: works\n  "), doctor::toPrettyString);
        assertTrue(Files.readString(folder.resolve("mine.html")).contains("<pre>Java: works\n  "));
    }

    @Test
    void shouldNameTheFormThatAsksForItsFile() throws Exception {
        String name = folder.resolve("mine").toString();
        ChildJvm.Result result = report("report", "--without", "doctor,info,demo,direct", "--out", name);
        assertEquals(0, result.status(), result::output);
        assertTrue(
                result.output().contains("attach the JSON file to an issue of the kind \"A device\""), result::output);
        String form = Files.readString(
                Path.of(System.getProperty("isthmus.home", ".."), ".github", "ISSUE_TEMPLATE", "device.yml"));
        assertTrue(form.startsWith("name: A device\n") && form.contains("The JSON file that `./isthmus report"), form);
    }
}
