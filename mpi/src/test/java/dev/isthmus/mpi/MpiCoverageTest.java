// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.HeaderCoverage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Every function of mpi_abi.h has a member of this library and a test, or a reason why not. That a test class has called what
 * the notes say of it is checked when it ends, by {@link RanksExtension}.
 */
class MpiCoverageTest {

    private static final Path HOME = Path.of(System.getProperty("isthmus.home"));
    private static final Path PAGE = HOME.resolve("docs/mpi-coverage.md");

    static HeaderCoverage coverage() {
        return HeaderCoverage.of(HOME, bound(), Path.of("docs/coverage/mpi.d"), "mpi");
    }

    /** The functions that the generated code has. */
    private static Set<String> bound() {
        var functions = new TreeSet<String>();
        try {
            for (String line : Files.readAllLines(HOME.resolve("bindings/mpi/mpi_abi.includes"))) {
                String[] words = line.split(" ", -1);
                if (words[0].equals("--include-function")) {
                    functions.add(words[1]);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return functions;
    }

    @Test
    @Tag("unit")
    void shouldKnowEveryFunctionOfTheBindings() {
        assertTrue(coverage().functionCount() >= 662, "found " + coverage().functionCount());
        assertEquals(List.of(), coverage().faults());
    }

    @Test
    @Tag("mpi")
    void shouldBindEveryFunctionOfTheHeader() {
        assertEquals(HeaderCoverage.functions("mpi_abi.h", Pattern.compile("MPI_\\w+")), bound());
    }

    @Test
    @Tag("unit")
    void shouldHaveThePageThatTheNotesMake() throws IOException {
        HeaderCoverage coverage = coverage();
        var page = new ArrayList<String>();
        page.add("# mpi_abi.h, function by function");
        page.add("");
        page.addAll("""
                For every function of `mpi_abi.h` (MPI 5.0, as MPICH 5.0.2 has it), the table names the Java member in
                `dev.isthmus.mpi` that replaces it, and a test that calls it. COVERED of ALL functions have both; the
                others have the reason why not. A test generates the page from the bindings and the notes in
                `docs/coverage/mpi.d`. It fails if the notes leave out a function, or name a member or test that does
                not exist. Each test class fails if it has not called a function that the table says it tests.
                """.replace("COVERED", String.valueOf(coverage.covered()))
                .replace("ALL", String.valueOf(coverage.functionCount()))
                .lines()
                .toList());
        page.add("");
        page.addAll(coverage.table());
        Path made = Path.of(System.getProperty("java.io.tmpdir"), "mpi-coverage.md");
        Files.write(made, page);
        assertEquals(page, Files.readAllLines(PAGE), "the notes have changed: cp " + made + " " + PAGE);
        Files.delete(made);
    }
}
