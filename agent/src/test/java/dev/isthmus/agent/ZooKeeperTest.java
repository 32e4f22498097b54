// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.ChildProgram;
import dev.isthmus.testbed.ConnectionTransport;
import dev.isthmus.testbed.FreePorts;
import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Unmodified ZooKeeper: an ensemble of three servers whose leader is killed, and clients that go on. All of it is on RDMA:
 * the client ports, whether a server has ZooKeeper's NIO or its Netty, and what the servers say to each other by java.net.
 */
@Tag("device")
@Tag("extended")
@Timeout(1100) // on emulated processors
class ZooKeeperTest {

    private static final Duration MOST = TestDeadlines.ofSeconds(480);
    private static final int SERVERS = 3;

    @TempDir
    private Path folder;

    private final String host = ProgramOverRdma.host().getHostAddress();
    private final List<ChildProgram> servers = new ArrayList<>();
    private final int[] clientPorts = new int[SERVERS];
    private final int[] quorumPorts = new int[SERVERS];

    @AfterEach
    void killServers() {
        servers.forEach(ChildProgram::close);
    }

    @Test
    void shouldGoOnProgramOverRdmaWhenTheLeaderIsKilled() throws Exception {
        startEnsemble();
        String[] arguments = new String[1 + SERVERS];
        arguments[0] = host;
        for (int i = 0; i < SERVERS; i++) {
            arguments[1 + i] = "" + clientPorts[i];
        }
        try (ChildProgram client = ProgramOverRdma.of("zookeeper", folder, "-Dio.netty.transport.noNative=true")
                .start("dev.isthmus.programs.ZooKeeperProgram", arguments)) {
            int leader = Integer.parseInt(client.await("leader: ", MOST));
            assertEquals(List.of(), ConnectionTransport.tcp(quorumPorts[leader - 1]), "the servers talk by TCP");
            servers.get(leader - 1).kill();
            List<String> lines = client.ended(MOST);
            List<String> last = lines.subList(lines.size() - 1 - SERVERS, lines.size());
            assertTrue(last.getFirst().startsWith("leader after that: "), lines::toString);
            assertNotEquals("leader after that: " + leader, last.getFirst());
            for (int i = 1; i <= SERVERS; i++) {
                assertEquals("client port of " + i + ": RDMA", last.get(i));
            }
        } catch (AssertionError e) {
            servers.forEach(
                    server -> e.addSuppressed(new AssertionError(server.lines().toString())));
            throw e;
        }
    }

    /** The last one serves its clients by Netty. */
    private void startEnsemble() throws IOException {
        var common = new StringBuilder("""
                tickTime=2000
                initLimit=20
                syncLimit=10
                admin.enableServer=false
                clientPortAddress=HOST
                """.replace("HOST", host));
        for (int i = 0; i < SERVERS; i++) {
            clientPorts[i] = FreePorts.free(ProgramOverRdma.host());
            quorumPorts[i] = FreePorts.free(ProgramOverRdma.host());
            common.append("server." + (i + 1) + "=" + host + ":" + quorumPorts[i] + ":"
                    + FreePorts.free(ProgramOverRdma.host()) + "\n");
        }
        for (int i = 0; i < SERVERS; i++) {
            Path data = Files.createDirectory(folder.resolve("" + (i + 1)));
            Files.writeString(data.resolve("myid"), "" + (i + 1));
            Path config = Files.writeString(
                    data.resolve("zoo.cfg"), common + "dataDir=" + data + "\nclientPort=" + clientPorts[i] + "\n");
            ProgramOverRdma jvm = i < SERVERS - 1
                    ? ProgramOverRdma.of("zookeeper", folder)
                    : ProgramOverRdma.of(
                            "zookeeper",
                            folder,
                            "-Dzookeeper.serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory",
                            "-Dio.netty.transport.noNative=true");
            servers.add(jvm.start("org.apache.zookeeper.server.quorum.QuorumPeerMain", config.toString()));
        }
    }
}
