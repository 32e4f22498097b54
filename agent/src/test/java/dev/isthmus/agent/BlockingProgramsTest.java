// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isthmus.testbed.ChildProgram;
import dev.isthmus.testbed.FreePorts;
import dev.isthmus.testbed.KeyStores;
import dev.isthmus.testbed.TestDeadlines;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs of others that open sockets of java.net, with the agent and no other flag. */
@Tag("device")
@Tag("extended")
class BlockingProgramsTest {

    private static final String PASSWORD = "changeit";
    private static final int PORTS = 5;

    @TempDir
    Path folder;

    @Test
    void shouldGoByRdmaByTheAgent() throws Exception {
        String host = ProgramOverRdma.host().getHostAddress();
        Path keys = folder.resolve("keys.p12");
        KeyStores.create(keys, host, PASSWORD);
        Path work = Files.createDirectory(folder.resolve("work"));
        var arguments = new ArrayList<>(List.of(host, work.toString(), keys.toString(), PASSWORD));
        for (int i = 0; i < PORTS; i++) {
            arguments.add("" + FreePorts.free(ProgramOverRdma.host()));
        }
        try (ChildProgram program = ProgramOverRdma.withRules("blocking", folder, "=connect=" + host + " *;bind=* *")
                .start("dev.isthmus.programs.BlockingProgram", arguments.toArray(String[]::new))) {
            List<String> seen = program.ended(TestDeadlines.ofSeconds(480)).stream()
                    .filter(line -> line.contains(": by "))
                    .toList();
            assertEquals(
                    List.of("H2: by RDMA", "Derby: by RDMA", "RMI: by RDMA", "HTTP: by RDMA", "TLS: by RDMA"), seen);
        }
    }
}
