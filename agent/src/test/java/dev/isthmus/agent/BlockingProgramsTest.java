// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isthmus.testbed.ChildJvm;
import dev.isthmus.testbed.ChildProgram;
import dev.isthmus.testbed.FreePorts;
import dev.isthmus.testbed.KeyStores;
import dev.isthmus.testbed.TestDeadlines;
import java.net.InetAddress;
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
        InetAddress host =
                InetAddress.getByName(System.getenv("ISTHMUS_ADDRESSES").split(" ", 2)[1]);
        Path keys = folder.resolve("keys.p12");
        KeyStores.create(keys, host.getHostAddress(), PASSWORD);
        Path work = Files.createDirectory(folder.resolve("work"));
        var arguments = new ArrayList<>(List.of(host.getHostAddress(), work.toString(), keys.toString(), PASSWORD));
        for (int i = 0; i < PORTS; i++) {
            arguments.add("" + FreePorts.free(host));
        }
        Path module = Path.of(System.getProperty("isthmus.home", ".."), "programs", "blocking", "target");
        String testbed = Path.of(ChildJvm.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI())
                .toString();
        List<String> command = new ChildJvm()
                .options("-javaagent:" + AgentJar.in(folder) + "=connect=" + host.getHostAddress() + " *;bind=* *")
                .classPath(String.join(
                        ":",
                        module.resolve("classes").toString(),
                        testbed,
                        Files.readString(module.resolve("test.classpath")).strip()))
                .command("dev.isthmus.programs.BlockingProgram", arguments.toArray(String[]::new));
        try (var program = new ChildProgram(command)) {
            List<String> seen = program.ended(TestDeadlines.ofSeconds(480)).stream()
                    .filter(line -> line.contains(": by "))
                    .toList();
            assertEquals(
                    List.of("H2: by RDMA", "Derby: by RDMA", "RMI: by RDMA", "HTTP: by RDMA", "TLS: by RDMA"), seen);
        }
    }
}
