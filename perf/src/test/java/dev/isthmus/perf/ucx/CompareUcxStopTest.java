// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.isthmus.perf.Main;
import dev.isthmus.perf.Side;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("ucx")
@Tag("system-ucx")
@Tag("host")
@Timeout(600)
class CompareUcxStopTest {

    private static final int SIGTERM = 15;
    /** One of each side. */
    private static final Pattern SOME_DONE = Pattern.compile("\\(([3-9]|[1-9][0-9]+) of [0-9]+ runs\\)");

    @TempDir
    private Path folder;

    /** As a terminal does: the signal goes to the command and to all that it has started, at the same time. */
    @Test
    void shouldKeepWhatWasMeasuredWhenItIsStopped() throws Exception {
        Path json = folder.resolve("json");
        Path csv = folder.resolve("csv");
        Path printed = folder.resolve("printed");
        Process command = start(printed, "--json", "" + json, "--csv", "" + csv);
        try (BufferedReader progress = command.errorReader(StandardCharsets.UTF_8)) {
            String line = progress.readLine();
            while (line != null && !SOME_DONE.matcher(line).find()) {
                line = progress.readLine();
            }
            Process kill = new ProcessBuilder("sh", "-c", "kill -TERM -" + command.pid()).start();
            assertTrue(kill.waitFor(1, TimeUnit.MINUTES) && kill.exitValue() == 0);
            assertTrue(command.waitFor(2, TimeUnit.MINUTES), "it goes on");
            assertEquals(128 + SIGTERM, command.exitValue());
        } finally {
            command.destroyForcibly();
        }
        String table = Files.readString(printed);
        assertTrue(table.contains("Stopped early"), table);
        JsonNode report = new ObjectMapper().readTree(json.toFile());
        assertFalse(report.get("complete").asBoolean(true));
        for (Side name : Side.values()) {
            JsonNode figures = report.at("/cells/0/" + name.title());
            assertTrue(figures.get("rounds").size() > 0, figures.toString());
            assertFalse(figures.has("failure"), figures.toString());
            assertTrue(Files.readString(csv).contains("," + name.title() + ",1,"), name.title());
        }
    }

    private static Process start(Path printed, String... files) throws IOException {
        // In a process group of its own.
        var command = new ArrayList<>(List.of(
                "setsid",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
        command.addAll(List.of("perf", "compare-ucx", "--only", "shm-tag-lat-8$", "--rounds", "100000"));
        command.addAll(List.of("--iterations", "50", "--warm-up", "0"));
        command.addAll(List.of(files));
        return new ProcessBuilder(command).redirectOutput(printed.toFile()).start();
    }
}
