// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

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

/** Every function of rdma_cma.h has a member of this library and a test, or a reason why not. */
@Tag("unit")
class CmCoverageTest {

    private static final Path HOME = Path.of(System.getProperty("isthmus.home"));
    private static final Path PAGE = HOME.resolve("docs/cm-coverage.md");

    private static final Path REFUSED = Path.of("docs/coverage/refused.d/device-on-rxe-linux-6.1-rdma-core-44.txt");

    private final HeaderCoverage coverage =
            HeaderCoverage.of(HOME, "rdma/rdma_cma.h", Pattern.compile("rdma_\\w+"), Path.of("docs/coverage/cm.d"));

    @Test
    void shouldKnowEveryFunctionOfTheHeader() {
        assertTrue(coverage.functionCount() >= 40, "found " + coverage.functionCount());
        assertEquals(List.of(), coverage.faults());
    }

    @Test
    void shouldHaveThePageThatTheNotesMake() throws IOException {
        var page = new ArrayList<String>();
        page.add("# rdma_cma.h, function by function");
        page.add("");
        page.addAll("""
                For every public function and inline function of `rdma/rdma_cma.h` (rdma-core 44), the table names the
                Java member in `dev.isthmus.cm` that replaces it, and the test. A test generates the page from the
                header and the notes in `docs/coverage/cm.d`. It fails if the notes leave out a function of the header,
                or name a member or test that does not exist.

                The fourth column says what the test sees on Soft-RoCE. It comes from [the list of what that device
                refuses](coverage/refused.d), and each run of the tests is compared with that list:

                """.lines().toList());
        page.addAll(coverage.on(REFUSED).tableOfDevice("Soft-RoCE, Linux 6.1"));
        Path made = Path.of(System.getProperty("java.io.tmpdir"), "cm-coverage.md");
        Files.write(made, page);
        assertEquals(page, Files.readAllLines(PAGE), "the notes have changed: cp " + made + " " + PAGE);
        Files.delete(made);
    }
}
