// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.isthmus.testbed.ChildJvm;
import dev.isthmus.testbed.ChildProgram;
import dev.isthmus.testbed.KeyStores;
import dev.isthmus.testbed.TestDeadlines;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * gRPC that is told to use these channels: each kind of call, messages of 1 MiB, cancellation, deadlines, unencrypted and
 * by TLS, with Netty's strictest leak detection.
 */
@Tag("device")
@Tag("extended")
@Timeout(1100) // on emulated processors
class GrpcTest {

    private static final String PASSWORD = "changeit";
    private static final Path PROGRAM =
            Path.of(System.getProperty("isthmus.home", "..")).resolve("programs/grpc/target");

    @Test
    void shouldCallInAllWays(@TempDir Path folder) throws Exception {
        Path keys = folder.resolve("keys.p12");
        String host = Pairs.far(0).getHostString();
        KeyStores.create(keys, host, PASSWORD);
        String classPath = String.join(
                ":",
                PROGRAM.resolve("classes").toString(),
                System.getProperty("java.class.path"),
                Files.readString(PROGRAM.resolve("test.classpath")).strip());
        List<String> command = new ChildJvm()
                .options("--enable-native-access=ALL-UNNAMED", "-Dio.netty.leakDetection.level=paranoid")
                .classPath(classPath)
                .command("dev.isthmus.programs.GrpcProgram", host, keys.toString(), PASSWORD, "netty");
        try (var program = new ChildProgram(command)) {
            List<String> lines = program.ended(TestDeadlines.ofSeconds(480)); // TLS of some 40 MiB
            assertEquals(List.of("plain: by RDMA", "TLS: by RDMA"), lines.subList(lines.size() - 2, lines.size()));
            assertFalse(lines.stream().anyMatch(line -> line.contains("LEAK")), () -> String.join("\n", lines));
        }
    }
}
