// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

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

/** Every function of verbs.h has a member of this library and a test, or a reason why not. */
@Tag("unit")
class VerbsCoverageTest {

    private static final Path HOME = Path.of(System.getProperty("isthmus.home"));
    private static final Path PAGE = HOME.resolve("docs/verbs-coverage.md");

    private static final Path REFUSED = Path.of("docs/coverage/refused.d/device-on-rxe-linux-6.1-rdma-core-44.txt");

    private final HeaderCoverage coverage = HeaderCoverage.of(
            HOME,
            "infiniband/verbs.h",
            Pattern.compile("ibv_\\w+|mult_to_ibv_rate|mbps_to_ibv_rate"),
            Path.of("docs/coverage/verbs.d"));

    @Test
    void shouldKnowEveryFunctionOfTheHeader() {
        assertTrue(coverage.functionCount() >= 156, "found " + coverage.functionCount());
        assertEquals(List.of(), coverage.faults());
    }

    @Test
    void shouldHaveThePageThatTheNotesMake() throws IOException {
        var page = new ArrayList<String>();
        page.add("# verbs.h, function by function");
        page.add("");
        page.addAll("""
                For every public function and inline function of `infiniband/verbs.h` (rdma-core 44), the table names
                the Java member in `dev.isthmus.verbs` that replaces it, and the test. A test generates the page from
                the header and the notes in `docs/coverage/verbs.d`. It fails if the notes leave out a function of the
                header, or name a member or test that does not exist.

                The tests run on Soft-RoCE, which lacks many features. The fourth column says what the test sees there.
                It comes from [the list of what that device refuses](coverage/refused.d), and each run of the tests is
                compared with that list:

                """.lines().toList());
        page.addAll(coverage.on(REFUSED).tableOfDevice("Soft-RoCE, Linux 6.1"));
        Path made = Path.of(System.getProperty("java.io.tmpdir"), "verbs-coverage.md");
        Files.write(made, page);
        assertEquals(page, Files.readAllLines(PAGE), "the notes have changed: cp " + made + " " + PAGE);
        Files.delete(made);
    }
}
