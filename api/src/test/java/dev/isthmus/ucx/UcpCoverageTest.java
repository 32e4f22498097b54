// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.HeaderCoverage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Every function of ucp.h has a member of this library and a test, or a reason why not. */
@Tag("unit")
class UcpCoverageTest {

    private static final Path HOME = Path.of(System.getProperty("isthmus.home"));
    private static final Path PAGE = HOME.resolve("docs/ucp-coverage.md");

    private final HeaderCoverage coverage =
            HeaderCoverage.of(HOME, "ucp/api/ucp.h", Pattern.compile("ucp_\\w+"), Path.of("docs/coverage/ucp.d"));

    @Test
    void shouldKnowEveryFunctionOfTheHeader() {
        assertTrue(coverage.functionCount() >= 109, "found " + coverage.functionCount());
        assertEquals(List.of(), coverage.faults());
    }

    @Test
    void shouldHaveThePageThatTheNotesMake() throws IOException {
        var page = new ArrayList<String>();
        page.add("# ucp.h, function by function");
        page.add("");
        page.addAll("""
                For every function of `ucp/api/ucp.h` (UCX 1.13) and of the deprecated `ucp_compat.h`, the table names
                the Java member in `dev.isthmus.ucx` that replaces it, and a test that calls it. A test generates the
                page from the header and the notes in `docs/coverage/ucp.d`. It fails if the notes leave out a function
                of the header, or name a member or test that does not exist.
                """.lines().toList());
        page.add("");
        page.addAll(coverage.table());
        Path made = Path.of(System.getProperty("java.io.tmpdir"), "ucp-coverage.md");
        Files.write(made, page);
        assertEquals(page, Files.readAllLines(PAGE), "the notes have changed: cp " + made + " " + PAGE);
        Files.delete(made);
    }
}
