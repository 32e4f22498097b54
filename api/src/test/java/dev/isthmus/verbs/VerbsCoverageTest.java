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
                Every public function and inline function of `infiniband/verbs.h` (rdma-core 44), what stands for it in
                `dev.isthmus.verbs`, and the test of it. Made from the header and the notes in `docs/coverage/verbs.d`; a
                test fails when a function is in neither, or a member or test is not there.

                The tests run on Soft-RoCE, which lacks many features. The fourth column says what the test sees there,
                from [the list of what that device refuses](coverage/refused.d), which each run of the tests is compared
                with:

                """.lines().toList());
        page.addAll(coverage.on(REFUSED).tableOfDevice("Soft-RoCE, Linux 6.1"));
        Path made = Path.of(System.getProperty("java.io.tmpdir"), "verbs-coverage.md");
        Files.write(made, page);
        assertEquals(page, Files.readAllLines(PAGE), "the notes have changed: cp " + made + " " + PAGE);
        Files.delete(made);
    }
}
