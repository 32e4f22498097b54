// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The demo's half that needs no device, typed as a user does. */
@Tag("ucx")
@Tag("system-ucx")
@Tag("host")
@Tag("extended")
@Timeout(TestDeadlines.LONGEST_TEST_SECONDS)
class DemoTest {

    @TempDir
    private Path folder;

    private int run(String path) throws IOException, InterruptedException {
        var builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        "demo",
                        "--only",
                        "ucx",
                        "--sizes",
                        "8,4096",
                        "--iters",
                        "100",
                        "--rounds",
                        "1",
                        "--json",
                        folder.resolve("json").toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("said").toFile());
        builder.environment().put("PATH", path);
        Process demo = builder.start();
        try {
            assertTrue(demo.waitFor(TestDeadlines.seconds(600), TimeUnit.SECONDS), "it goes on");
            return demo.exitValue();
        } finally {
            demo.destroyForcibly();
        }
    }

    private String said() throws IOException {
        return Files.readString(folder.resolve("said"));
    }

    /** What was measured, in its order. */
    private List<String> turns() throws IOException {
        List<String> turns = new ArrayList<>();
        for (JsonNode run :
                new ObjectMapper().readTree(folder.resolve("json").toFile()).at("/ucx/runs")) {
            assertTrue(run.get("medianMicros").asDouble() > 0, run::toString);
            turns.add(run.get("way").asText() + run.get("bytes") + ", " + run.get("round"));
        }
        return turns;
    }

    @Test
    void shouldMeasureBothSidesInTurnOverUcx() throws Exception {
        assertEquals(0, run(System.getenv("PATH")), said());
        assertEquals(
                List.of(
                        "c-ucx8, 1",
                        "java-ucx8, 1",
                        "java-ucx4096, 1",
                        "c-ucx4096, 1",
                        "java-ucx8, 2",
                        "c-ucx8, 2",
                        "c-ucx4096, 2",
                        "java-ucx4096, 2"),
                turns());
        assertEquals(
                2,
                said().lines()
                        .filter(line -> line.matches("UCX tag, shared memory +(8|4096) +[0-9.]+ +[0-9.]+ +[0-9.]+ .*"))
                        .count(),
                said());
        assertTrue(said().contains("UCX tag, shared memory: shared memory (UCX_TLS=posix) on "), said());
    }

    /** C's program fails with the second size. */
    @Test
    void shouldReportWhatWasMeasuredWhenAProgramFails() throws Exception {
        Path program = folder.resolve("ucx_perftest");
        Files.writeString(program, """
            #!/bin/sh
            case $* in
                *"-s 4096"*) echo no luck >&2; exit 3 ;;
            esac
            PATH=${PATH#*:}
            exec ucx_perftest "$@"
            """);
        assertTrue(program.toFile().setExecutable(true));
        assertEquals(1, run(folder + ":" + System.getenv("PATH")), said());
        assertTrue(said().contains("ucx_perftest (client): ended with status 3; it said: no luck"), said());
        assertEquals(
                List.of("c-ucx8, 1", "java-ucx8, 1", "java-ucx4096, 1", "java-ucx8, 2", "c-ucx8, 2", "java-ucx4096, 2"),
                turns());
        assertTrue(said().contains("UCX tag, shared memory         8 "), said());
    }
}
