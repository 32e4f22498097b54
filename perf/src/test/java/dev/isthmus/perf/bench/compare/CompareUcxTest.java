// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.isthmus.perf.cli.Main;
import dev.isthmus.testbed.TestDeadlines;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@Tag("ucx")
@Tag("system-ucx")
@Tag("host")
@Tag("extended")
@Timeout(TestDeadlines.LONGEST_TEST_SECONDS)
class CompareUcxTest {

    private static final int SIGTERM = 15;

    /** One run of each way. */
    private static final Pattern SOME_DONE = Pattern.compile("\\] ([3-9]|[1-9][0-9]+) of [0-9]+ runs");

    @TempDir
    private Path folder;

    private List<Map<String, String>> figures() throws IOException {
        List<String> lines = Files.readAllLines(folder.resolve("csv"));
        List<String> names = List.of(lines.getFirst().split(",", -1));
        List<Map<String, String>> rows = new ArrayList<>();
        for (String line : lines.subList(1, lines.size())) {
            String[] cells = line.split(",", -1); // only the last one, the command, may have commas
            Map<String, String> row = new HashMap<>();
            names.forEach(name -> row.put(name, cells[names.indexOf(name)]));
            rows.add(row);
        }
        return rows;
    }

    private JsonNode report() throws IOException {
        return new ObjectMapper().readTree(folder.resolve("json").toFile());
    }

    private List<String> arguments(String line) {
        List<String> arguments = new ArrayList<>(List.of(line.split(" ", -1)));
        arguments.addAll(List.of("--json", "" + folder.resolve("json"), "--csv", "" + folder.resolve("csv")));
        return arguments;
    }

    @Test
    void shouldMeasureEveryWayAtEveryCell() throws Exception {
        var said = new StringWriter();
        int status = new CommandLine(new CompareUcxCommand())
                .setOut(new PrintWriter(said))
                .execute(arguments("--rounds 1 --seconds 0.01 --iterations 50 --warm-up 0")
                        .toArray(String[]::new));
        assertEquals(0, status, said::toString);
        Set<List<String>> measured = new HashSet<>();
        for (Map<String, String> row : figures()) {
            measured.add(List.of(row.get("way"), row.get("transport"), row.get("operation"), row.get("bytes")));
            assertTrue(Double.parseDouble(row.get("messages_per_second")) > 0, row::toString);
        }
        assertEquals(CompareUcxCommand.points().size(), measured.size(), measured::toString);
        assertEquals(measured.size(), figures().size());
        assertEquals("true", report().at("/lines/complete").asText());
        assertEquals(measured.size(), report().get("runs").size());
    }

    /** Like a terminal: the signal goes to the command and to everything that it has started, at the same time. */
    @Test
    void shouldKeepWhatWasMeasuredWhenItIsStopped() throws Exception {
        Path printed = folder.resolve("printed");
        Process command = start(printed);
        try (BufferedReader progress = command.errorReader(StandardCharsets.UTF_8)) {
            String line = progress.readLine();
            while (line != null && !SOME_DONE.matcher(line).find()) {
                line = progress.readLine();
            }
            Process kill = new ProcessBuilder("sh", "-c", "kill -TERM -" + command.pid()).start();
            assertTrue(kill.waitFor(TestDeadlines.seconds(60), TimeUnit.SECONDS) && kill.exitValue() == 0);
            assertTrue(command.waitFor(TestDeadlines.seconds(120), TimeUnit.SECONDS), "it goes on");
            assertEquals(128 + SIGTERM, command.exitValue());
        } finally {
            command.destroyForcibly();
        }
        String table = Files.readString(printed);
        assertTrue(table.contains("Stopped early"), table);
        assertEquals("false", report().at("/lines/complete").asText("none"));
        assertEquals("", report().at("/lines/failures").asText("none"));
        assertEquals(CompareUcxCommand.WAYS.size(), figures().size());
        int runs = figures().stream()
                .mapToInt(row -> Integer.parseInt(row.get("runs")))
                .sum();
        assertEquals(runs, report().get("runs").size());
    }

    private Process start(Path printed) throws IOException {
        // In a process group of its own.
        var command = new ArrayList<>(List.of(
                "setsid",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "perf",
                "compare-ucx"));
        command.addAll(arguments("--only shm-tag-lat-8$ --rounds 100000 --iterations 50 --warm-up 0"));
        return new ProcessBuilder(command).redirectOutput(printed.toFile()).start();
    }
}
