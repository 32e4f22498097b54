// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** What the command line accepts. */
@Tag("unit")
class CompareCommandTest {

    @TempDir
    private Path folder;

    private final StringWriter err = new StringWriter();

    private int run(String line) {
        return new CommandLine(new CompareCommand())
                .setErr(new PrintWriter(err))
                .execute(line.split(" ", -1));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--bytes 0",
                "--bytes 2M",
                "--ways java",
                "--benchmarks latency",
                "--connections 129",
                "--connections 0",
                "--rates 0",
                "--rates 10000001",
                "--rates fast",
                "--rounds 0",
                "--routes shm",
                "--warm-up-once",
                "--seconds 0",
                "--seconds NaN",
                "--warm-up -1",
                "--quick --resume DIR",
                "--rounds 5 --report DIR",
                "--resume DIR --report DIR",
                "--no-such-option"
            })
    void shouldRefuseWhatItCannotMeasure(String line) {
        assertEquals(2, run("--devices none --out " + folder + "/out " + line));
        assertTrue(err.toString().lines().findFirst().orElse("").length() > 10, err.toString());
        assertFalse(Files.exists(folder.resolve("out")), "nothing was begun");
    }

    @Test
    void shouldSayThatThereIsNothingToMeasure() {
        assertEquals(1, run("--devices none --ways nio-blocking --benchmarks one-sided --out " + folder + "/out"));
        assertFalse(Files.exists(folder.resolve("out")), "nothing was begun");
    }

    @Test
    void shouldSayThatThereIsNothingToResume() {
        assertEquals(1, run("--resume " + folder));
        assertEquals(1, run("--report " + folder));
    }
}
