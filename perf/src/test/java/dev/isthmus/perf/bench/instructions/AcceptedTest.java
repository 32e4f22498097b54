// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.instructions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.perf.common.Side;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("unit")
class AcceptedTest {

    private static final String HERE = "kernel 1, JDK 2";

    @TempDir
    private Path folder;

    private static RowCounts count(int row, double c, double java, double bytes) {
        var count = new RowCounts(Suite.VERBS.rows().get(row));
        count.put(Side.C, new RowCounts.Figure(c, 0));
        count.put(Side.JAVA, new RowCounts.Figure(java, bytes));
        return count;
    }

    private Path file() {
        return folder.resolve("table.csv");
    }

    /** A table with one row: 100 in C, 110 in Java. */
    private Accepted table() throws IOException {
        var table = Accepted.read(file());
        table.accept(List.of(count(0, 100, 110, 0)), false);
        table.write(HERE);
        return Accepted.read(file());
    }

    private static String objection(Accepted table, RowCounts count, String machine) {
        return table.objection(count, machine).orElseThrow();
    }

    @Test
    void shouldAcceptWhatIsUpToOnePercentAbove() throws IOException {
        assertEquals(Optional.empty(), table().objection(count(0, 100, 111, 0), HERE));
        assertEquals(Optional.empty(), table().objection(count(0, 100, 90, 0), HERE));
    }

    @Test
    void shouldObjectToInstructionsThatAreMoreThanOnePercentAbove() throws IOException {
        String objection = objection(table(), count(0, 102, 111.2, 0), HERE);
        assertTrue(objection.contains("1.09 % above the accepted 110.00 instructions"), objection);
    }

    @Test
    void shouldObjectToARatioThatIsMoreThanOnePercentAbove() throws IOException {
        String objection = objection(table(), count(0, 98, 110, 0), HERE);
        assertTrue(objection.contains("2.04 % above the accepted 1.1000 times C"), objection);
    }

    @Test
    void shouldCompareOnlyRatiosOnAnotherMachine() throws IOException {
        assertEquals(Optional.empty(), table().objection(count(0, 200, 220, 0), "kernel 3"));
        objection(table(), count(0, 200, 225, 0), "kernel 3");
    }

    @Test
    void shouldObjectToAllocation() throws IOException {
        assertTrue(objection(table(), count(0, 100, 110, 0.01), HERE).contains("0.01 bytes"));
    }

    @Test
    void shouldObjectToARowThatIsNotInTheTable() throws IOException {
        assertTrue(objection(table(), count(1, 100, 110, 0), HERE).contains("--accept"));
    }

    @Test
    void shouldTakeOverOnlyBetterAndNewFigures() throws IOException {
        Accepted table = table();
        List<RowCounts> counts = List.of(count(0, 100, 109.95, 0), count(1, 10, 20, 0), count(2, 10, 20, 0));
        assertEquals(
                List.of(counts.get(1).title(), counts.get(2).title()), table.accept(counts, false), "0.05 % is noise");
        assertEquals(List.of(counts.get(0).title()), table.accept(List.of(count(0, 100, 105, 0)), false));
        assertEquals(List.of(), table.accept(List.of(count(0, 100, 200, 0)), false), "worse");
        assertEquals(List.of(counts.get(0).title()), table.accept(List.of(count(0, 100, 200, 0)), true), "all");
    }

    @Test
    void shouldReadWhatItWrote() throws IOException {
        Accepted table = table();
        assertEquals(HERE, table.machine());
        assertEquals(110, table.java(VerbsRow.ALL.getFirst().title()).orElseThrow());
        String before = Files.readString(file());
        table.write(HERE);
        assertEquals(before, Files.readString(file()));
        try (var files = Files.list(folder)) {
            assertEquals(List.of(file()), files.toList(), "nothing else is left");
        }
    }

    @Test
    void shouldNameALineThatIsNone() throws IOException {
        Files.writeString(file(), "poll-empty,much,1.0\n");
        var failure = assertThrows(IOException.class, () -> Accepted.read(file()));
        assertTrue(failure.getMessage().contains("poll-empty,much"), failure.getMessage());
    }
}
