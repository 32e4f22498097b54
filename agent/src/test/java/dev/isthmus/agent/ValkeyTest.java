// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.ChildProgram;
import dev.isthmus.testbed.FreePorts;
import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Unmodified clients with the agent and a rule, against valkey-server over RDMA; and C's clients against a Java server. */
@Tag("valkey")
class ValkeyTest {

    private static final Duration LONGEST = TestDeadlines.ofSeconds(240);

    /** Longer than a buffer, and shorter than what Linux allows of an argument. */
    private static final String VALUE = "x".repeat(100_000);

    private static final String HOST = ProgramOverRdma.host().getHostAddress();

    @TempDir
    Path folder;

    private ChildProgram start(int port, String... what) throws IOException {
        return start(HOST + " " + port + " valkey;bind=* " + port + " valkey", port, what);
    }

    private ChildProgram start(String connect, int port, String... what) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(HOST, "" + port));
        arguments.addAll(List.of(what));
        return ProgramOverRdma.withRules("valkey", folder, "=connect=" + connect)
                .start("dev.isthmus.programs.ValkeyProgram", arguments.toArray(String[]::new));
    }

    /** Runs a program to its end; returns what it printed. */
    private List<String> run(String... what) throws Exception {
        return run(LONGEST, what);
    }

    private List<String> run(Duration longest, String... what) throws Exception {
        try (var server = new ValkeyServer();
                ChildProgram program = start(server.port(), what)) {
            List<String> printed = program.ended(longest);
            assertEquals("done", printed.getLast());
            return printed;
        }
    }

    @Test
    void shouldCarryJedis() throws Exception {
        run("jedis");
    }

    @Test
    void shouldCarryLettuce() throws Exception {
        run("lettuce");
    }

    @Test
    void shouldCarryValkeyJava() throws Exception {
        run("valkey-java");
    }

    @Test
    void shouldCarryRedisson() throws Exception {
        run("redisson");
    }

    @Test
    void shouldHaveTheRepliesThatTcpHas() throws Exception {
        List<String> printed = run("commands", ValkeyServer.TCP_HOST);
        assertTrue(printed.contains("234 commands, 15 of them refused"), printed.toString());
    }

    @Test
    void shouldCarryPipelinedCommands() throws Exception {
        long commands = Long.getLong("isthmus.test.commands", 100_000);
        run(LONGEST.plusMillis(commands), "sums", "" + commands);
    }

    @Test
    void shouldCarryALongValue() throws Exception {
        int bytes = Integer.getInteger("isthmus.test.bytes", 32 << 20);
        run(LONGEST.plusMillis(bytes / 1000), "value", "" + bytes);
    }

    @Test
    void shouldCarryManyConnections() throws Exception {
        int connections = Integer.getInteger("isthmus.test.connections", 50);
        run(LONGEST.plusMillis(1000L * connections), "connections", "" + connections);
    }

    /** Its queue of receives runs empty. It has told the clients' devices never to try again then, but they do. */
    @Test
    void shouldOutlastAServerThatIsPausedUnderMoreMessagesThanItHasReceivesFor() throws Exception {
        try (var server = new ValkeyServer();
                ChildProgram program = start(server.port(), "flood")) {
            program.await("connected", LONGEST);
            server.program().signal("STOP");
            program.tell("flood");
            program.await("flooded", LONGEST);
            server.program().signal("CONT");
            assertEquals("done", program.ended(LONGEST).getLast());
        }
    }

    @Test
    void shouldSeeTheEndOfAServerThatIsKilledAndConnectAgain() throws Exception {
        try (var server = new ValkeyServer();
                ChildProgram program = start(server.port(), "killed")) {
            program.await("waiting", LONGEST);
            server.kill();
            program.tell("killed");
            program.await("noticed", LONGEST);
            server.start();
            program.tell("restarted");
            assertEquals("done", program.ended(LONGEST).getLast());
        }
    }

    /** The server then ends all connections, whose events came by the channel of the listener. */
    @Test
    void shouldSeeTheEndOfAListenerWhosePortChangesAndConnectAgain() throws Exception {
        try (var server = new ValkeyServer();
                ChildProgram program = start(server.port(), "killed")) {
            program.await("waiting", LONGEST);
            server.listenForRdmaAt(FreePorts.free(ProgramOverRdma.host()));
            program.tell("killed");
            program.await("noticed", LONGEST);
            server.listenForRdmaAt(server.port());
            program.tell("restarted");
            assertEquals("done", program.ended(LONGEST).getLast());
        }
    }

    @Test
    void shouldFollowAClustersAddresses() throws Exception {
        int bus = FreePorts.free(ProgramOverRdma.host());
        int otherBus = FreePorts.free(ProgramOverRdma.host());
        try (ValkeyServer first = ValkeyServer.amongOthers(ofCluster(bus));
                ValkeyServer second = ValkeyServer.amongOthers(ofCluster(otherBus));
                ChildProgram program =
                        start(bothOf(first, second), first.port(), "cluster", "" + second.port(), "" + otherBus)) {
            assertEquals("done", program.ended(LONGEST).getLast());
        }
    }

    private String[] ofCluster(int bus) {
        return new String[] {
            "--cluster-enabled",
            "yes",
            "--cluster-port",
            "" + bus,
            "--cluster-announce-ip",
            HOST,
            "--cluster-config-file",
            folder.resolve("nodes-" + bus).toString()
        };
    }

    private static String bothOf(ValkeyServer first, ValkeyServer second) {
        return HOST + " " + first.port() + " valkey, " + HOST + " " + second.port() + " valkey";
    }

    @Test
    void shouldFollowASentinelToAnotherMaster() throws Exception {
        int port = FreePorts.free(ProgramOverRdma.host());
        try (ValkeyServer master = ValkeyServer.amongOthers();
                ValkeyServer replica = ValkeyServer.amongOthers("--replicaof", HOST, "" + master.port());
                ChildProgram sentinel = master.startSentinel("master", port, folder);
                ChildProgram program =
                        start(bothOf(master, replica), master.port(), "sentinel", ValkeyServer.TCP_HOST, "" + port)) {
            program.await("waiting", LONGEST);
            master.kill();
            program.tell("killed");
            assertEquals("done", program.ended(LONGEST).getLast(), () -> "" + sentinel.lines());
        }
    }

    @Test
    void shouldServeClientsInC() throws Exception {
        int port = FreePorts.free(ProgramOverRdma.host());
        try (ChildProgram server = start(port, "server")) {
            server.await("listening", LONGEST);
            try (ChildProgram client = ValkeyServer.client("valkey-cli", port, "set", "key", VALUE)) {
                assertEquals("OK", client.ended(LONGEST).getLast());
            }
            try (ChildProgram client = ValkeyServer.client("valkey-cli", port, "get", "key")) {
                assertEquals(VALUE, client.ended(LONGEST).getLast().replace("\"", ""));
            }
            try (ChildProgram client = ValkeyServer.client(
                    "valkey-benchmark", port, "-t", "set,get", "-c", "5", "-n", "500", "-d", "70000", "--csv")) {
                String printed = String.join("\n", client.ended(LONGEST));
                assertTrue(printed.contains("\"SET\",") && printed.contains("\"GET\","), printed);
            }
        }
    }
}
