// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isthmus.testbed.ChildJvm;
import dev.isthmus.testbed.ChildProgram;
import dev.isthmus.testbed.TestDeadlines;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("valkey")
class ValkeyBenchTest {

    private static final int ROWS = 16;

    /** As the page says: beside a server that testbed/valkey starts. */
    @Test
    void shouldCompareTcpAndRdma() throws Exception {
        String address = System.getenv("ISTHMUS_ADDRESSES").split(" ", 2)[1];
        Path script = Path.of(System.getProperty("isthmus.home", ".."), "testbed", "valkey");
        var command = new ArrayList<>(List.of(script.toString(), "with", address));
        command.addAll(new ChildJvm()
                .options("--enable-native-access=ALL-UNNAMED")
                .command(ValkeyBench.class, address, "6379", "1"));
        try (var program = new ChildProgram(command)) {
            List<String> lines = program.ended(TestDeadlines.ofSeconds(240));
            assertEquals(
                    ROWS,
                    lines.stream()
                            .filter(line -> line.matches(" +\\d+ +\\d+ +[SG]ET +[0-9. ]+"))
                            .count(),
                    lines::toString);
        }
    }
}
