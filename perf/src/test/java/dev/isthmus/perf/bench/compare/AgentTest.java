// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.perf.process.Children;
import dev.isthmus.perf.process.CrashException;
import dev.isthmus.perf.process.Placement;
import dev.isthmus.perf.process.Ports;
import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** JVMs that run ends. */
@Tag("unit")
class AgentTest {

    private static final Point POINT = new Point(Way.NIO_BLOCKING, Benchmark.PING_PONG, 8, 1);
    private static final Duration LIMIT = TestDeadlines.ofSeconds(60);

    @TempDir
    private Path folder;

    @Test
    void shouldSayWhereTheReportOfACrashIs() throws Exception {
        try (var children = new Children(folder);
                var agent = new Agent(children, Placement.SERVER, Map.of())) {
            CompletableFuture<String> refused = agent.ask("nonsense"); // answered, so it is up
            assertThrows(IOException.class, () -> Agent.await(refused, LIMIT));
            Process process = agent.process();
            CompletableFuture<String> asked =
                    agent.ask(MadeUp.job(Job.Role.SERVER, POINT, 50, Ports.free())); // nobody will connect
            signal("SEGV", process.pid());
            var e = assertThrows(CrashException.class, () -> Agent.await(asked, LIMIT));
            Path report = folder.resolve("hs_err_pid" + process.pid() + ".log");
            assertEquals("the second JVM was ended by SIGABRT; " + report + " says where", e.getMessage());
            assertTrue(Files.readString(report).contains("SIGSEGV"));
        }
    }

    /** The client may only have noticed that nobody is there. */
    @Test
    void shouldTellOfTheServersCrashRatherThanOfWhatCameOfIt() throws Exception {
        try (var children = new Children(folder);
                var server = new Agent(children, Placement.SERVER, Map.of());
                var client = new Agent(children, Placement.CLIENT, Map.of())) {
            int port = Ports.free();
            var pair = new AgentPair(server, client, MadeUp.job(Job.Role.SERVER, POINT, Long.MAX_VALUE, port));
            pair.listen(LIMIT);
            signal("SEGV", server.process().pid());
            assertThrows(CrashException.class, () -> pair.measure(LIMIT, Optional.empty()));
        }
    }

    /** The server fails while the client is dying, because it sees that nobody is there any more. */
    @Test
    void shouldTellOfTheClientsCrashRatherThanOfWhatCameOfIt() throws Exception {
        var slowDeath = Map.of("JDK_JAVA_OPTIONS", "'-XX:OnError=sleep 1'");
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress()); // the server's failure
                var children = new Children(folder);
                var server = new Agent(children, Placement.SERVER, Map.of());
                var client = new Agent(children, Placement.CLIENT, slowDeath)) {
            for (Agent agent : List.of(server, client)) {
                CompletableFuture<String> refused = agent.ask("nonsense"); // answered, so it is up
                assertThrows(IOException.class, () -> Agent.await(refused, LIMIT));
            }
            // A dying JVM still runs what it is given, so this is a job that it never answers.
            var pair = new AgentPair(
                    server, client, MadeUp.job(Job.Role.SERVER, POINT, Long.MAX_VALUE, taken.getLocalPort()));
            signal("SEGV", client.process().pid());
            Path report = folder.resolve("hs_err_pid" + client.process().pid() + ".log");
            while (!Files.exists(report)) {
                assertTrue(client.isAlive());
                Thread.onSpinWait(); // nothing announces it; JUnit's limit ends it
            }
            pair.listen(LIMIT);
            var e = assertThrows(CrashException.class, () -> pair.measure(LIMIT, Optional.empty()));
            assertTrue(e.getMessage().contains(report + " says where"), e::getMessage);
        }
    }

    /** The client would connect to whatever process has the port, and wait for minutes. */
    @Test
    void shouldNotWaitForTheClientWhenTheServerHasFailed() throws Exception {
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var children = new Children(folder);
                var server = new Agent(children, Placement.SERVER, Map.of());
                var client = new Agent(children, Placement.CLIENT, Map.of())) {
            int port = taken.getLocalPort();
            var pair = new AgentPair(server, client, MadeUp.job(Job.Role.SERVER, POINT, 50, port));
            pair.listen(LIMIT);
            var e = assertThrows(IOException.class, () -> pair.measure(LIMIT, Optional.empty()));
            assertTrue(e.getMessage().contains("Address already in use"), e::getMessage);
            assertFalse(e.getMessage().contains("no answer"), e::getMessage);
        }
    }

    private static void signal(String name, long pid) throws Exception {
        Process kill = new ProcessBuilder("sh", "-c", "kill -" + name + " " + pid)
                .inheritIO()
                .start();
        assertTrue(kill.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS));
        assertEquals(0, kill.exitValue());
    }
}
