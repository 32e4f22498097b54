// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.cli.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.perf.process.JavaChild;
import dev.isthmus.testbed.TestDeadlines;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("ucx")
@Tag("system-ucx")
@Tag("host")
@Tag("extended")
@Timeout(TestDeadlines.LONGEST_TEST_SECONDS)
class DemoPartCommandTest {

    @TempDir
    private Path folder;

    private final List<String> said = new ArrayList<>();

    private DemoPart.Result run(String path) throws InterruptedException {
        List<String> command = new ArrayList<>(List.of("env", "PATH=" + path));
        command.addAll(JavaChild.command(Optional.empty(), DemoPartCommand.class, DemoPartCommand.UCX));
        command.addAll(List.of("--sizes", "8,4096", "--iters", "100", "--rounds", "1"));
        return new DemoPart(DemoPartCommand.UCX, command).run(said::add, said::add, folder);
    }

    private static List<String> turns(DemoPart.Result result) {
        return result.samples().stream()
                .map(sample -> sample.side().title() + sample.bytes() + ", " + sample.round())
                .toList();
    }

    @Test
    void shouldMeasureBothSidesInTurnOverUcx() throws Exception {
        DemoPart.Result result = run(System.getenv("PATH"));
        assertEquals(List.of(), result.failures(), said::toString);
        List<DuelResult> comparisons = DuelResult.of(result.samples());
        assertEquals(
                List.of(8, 4096), comparisons.stream().map(DuelResult::bytes).toList());
        for (DuelResult comparison : comparisons) {
            assertEquals(2, comparison.rounds());
            assertTrue(comparison.cBestMicros() > 0 && comparison.javaBestMicros() > 0, comparison.toString());
        }
        assertTrue(result.samples().stream().allMatch(sample -> sample.averageMicros() > 0), said::toString);
        assertEquals(
                List.of("C8, 1", "Java8, 1", "Java4096, 1", "C4096, 1", "Java8, 2", "C8, 2", "C4096, 2", "Java4096, 2"),
                turns(result));
        assertTrue(result.machine().orElseThrow().where().contains("UCX_TLS=posix"), said::toString);
    }

    /** C's program fails with the second size. */
    @Test
    void shouldEndWithTheFirstFailureAndKeepWhatWasMeasuredBefore() throws Exception {
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
        DemoPart.Result result = run(folder + ":" + System.getenv("PATH"));
        assertEquals(List.of("C8, 1", "Java8, 1", "Java4096, 1"), turns(result), said::toString);
        assertEquals(
                List.of(new DemoReport.Failure(
                        DemoPartCommand.UCX,
                        "the ucx part ended with status 1: demo-part: ucx_perftest (client): ended with status 3; it said:"
                                + " no luck",
                        false)),
                result.failures());
    }
}
