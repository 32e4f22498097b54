// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.instructions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

@Tag("unit")
class InstructionsCommandTest {

    private final StringWriter errors = new StringWriter();

    private int run(String... args) {
        return new CommandLine(new InstructionsCommand())
                .setErr(new PrintWriter(errors))
                .execute(args);
    }

    @Test
    void shouldNameTheRowsWhenNoneIsMeant() {
        assertEquals(2, run("--rows", "sned-64"));
        assertTrue(errors.toString().contains("poll-empty"), errors.toString());
        assertTrue(errors.toString().contains("send-64-chain-16"), errors.toString());
    }

    @Test
    void shouldRefuseToCheckAndAcceptAtOnce() {
        assertEquals(2, run("--check", "--accept"));
        assertTrue(errors.toString().contains("mutually exclusive"), errors.toString());
    }

    @Test
    void shouldRefuseToTimeWhatIsNotOfACard() {
        assertEquals(2, run("--nanoseconds", "1", "--rows", "send-64"));
        assertTrue(errors.toString().contains("only rows mlx5-... can be timed"), errors.toString());
    }

    @Test
    void shouldRefuseToTimeAndCheckAtOnce() {
        assertEquals(2, run("--nanoseconds", "1", "--rows", "mlx5-poll-1", "--check"));
        assertTrue(errors.toString().contains("--nanoseconds counts nothing"), errors.toString());
    }

    @Test
    void shouldRefuseToTimeNoRounds() {
        assertEquals(2, run("--nanoseconds", "0", "--rows", "mlx5-poll-1"));
        assertTrue(errors.toString().contains("--nanoseconds must be positive"), errors.toString());
    }

    @Test
    void shouldHaveAnAcceptedFigureOfEachRow() throws Exception {
        var accepted = Accepted.read(Path.of(System.getProperty("isthmus.home", ".."), "perf", "instructions.csv"));
        for (Suite suite : Suite.values()) {
            for (Row row : suite.rows()) {
                assertTrue(accepted.java(row.title()).isPresent(), row.title());
            }
        }
    }
}
