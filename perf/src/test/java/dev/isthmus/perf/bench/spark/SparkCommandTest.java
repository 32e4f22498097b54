// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code isthmus spark} on a cluster that it starts. */
@Tag("spark")
@Timeout(value = 18, unit = TimeUnit.MINUTES)
class SparkCommandTest {

    private static final int TERMINATED = 143;

    @TempDir
    private Path temporary;

    @Test
    void shouldCompareBothShufflesAndLeaveNothing() throws Exception {
        String output = SparkRuns.output(temporary, "--size", "8M", "--rounds", "1");
        SparkRuns.assertAllByUcx(output, 2, "posix/memory");
        try (Stream<Path> left = Files.list(temporary)) {
            assertEquals(List.of(), left.toList());
        }
    }

    /** Adaptive execution merges partitions of all of them, and splits those of the part that is ordered most. */
    @Test
    void shouldRunQueriesWithTheSameRows() throws Exception {
        String output = SparkRuns.output(
                temporary,
                "--queries",
                "--scale",
                "0.02",
                "--rounds",
                "1",
                "--conf",
                "spark.executor.extraJavaOptions=-XX:TieredStopAtLevel=1");
        SparkRuns.assertAllByUcx(output, 8, "posix/memory");
        assertTrue(
                Pattern.compile("^merged .*: q3 q5 q9 q10 q13 q14 q18 q21$", Pattern.MULTILINE)
                        .matcher(output)
                        .find(),
                output);
        assertTrue(
                Pattern.compile("^split .*\\bq14\\b", Pattern.MULTILINE)
                        .matcher(output)
                        .find(),
                output);
    }

    @Test
    void shouldEndAllProcessesAndRemoveItsFilesAfterASignal() throws Exception {
        Process process = SparkRuns.command(temporary, "--size", "1G").start();
        try {
            while (!hasExecutor()) {
                assertFalse(process.waitFor(50, TimeUnit.MILLISECONDS), "it has ended");
            }
            List<ProcessHandle> all = process.descendants().toList();
            assertTrue(all.size() >= 4, all::toString); // a master, two workers, a driver
            process.destroy(); // SIGTERM: background processes, as in a tier, ignore SIGINT
            assertEquals(TERMINATED, process.waitFor());
            assertEquals(List.of(), all.stream().filter(ProcessHandle::isAlive).toList());
            try (Stream<Path> left = Files.list(temporary)) {
                assertEquals(List.of(), left.toList());
            }
        } finally {
            process.destroy();
        }
    }

    private boolean hasExecutor() throws IOException {
        try (Stream<Path> files = Files.walk(temporary)) {
            return files.anyMatch(file -> file.endsWith("stderr"));
        } catch (java.io.UncheckedIOException e) {
            return false; // a file went away meanwhile
        }
    }
}
