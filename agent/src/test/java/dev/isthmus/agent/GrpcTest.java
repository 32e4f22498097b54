// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isthmus.testbed.ChildProgram;
import dev.isthmus.testbed.KeyStores;
import dev.isthmus.testbed.TestDeadlines;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Unmodified gRPC: each kind of call, messages of 1 MiB, cancellation, deadlines, unencrypted and by TLS. */
@Tag("device")
@Tag("extended")
@Timeout(1100) // on emulated processors
class GrpcTest {

    private static final String PASSWORD = "changeit";

    @Test
    void shouldGoByRdmaByTheAgent(@TempDir Path folder) throws Exception {
        Path keys = folder.resolve("keys.p12");
        String host = ProgramOverRdma.host().getHostAddress();
        KeyStores.create(keys, host, PASSWORD);
        try (ChildProgram program = ProgramOverRdma.of("grpc", folder)
                .start("dev.isthmus.programs.GrpcProgram", host, keys.toString(), PASSWORD)) {
            List<String> lines = program.ended(TestDeadlines.ofSeconds(480)); // TLS of some 40 MiB
            assertEquals(List.of("plain: by RDMA", "TLS: by RDMA"), lines.subList(lines.size() - 2, lines.size()));
        }
    }
}
