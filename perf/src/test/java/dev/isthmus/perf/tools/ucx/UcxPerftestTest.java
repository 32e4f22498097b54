// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.perf.process.Children;
import dev.isthmus.perf.process.Listening;
import dev.isthmus.perf.process.Placement;
import dev.isthmus.perf.process.ToolRun;
import dev.isthmus.testbed.TestDeadlines;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Our ends with those of the {@code ucx_perftest} that is installed. */
@Tag("ucx")
@Tag("system-ucx")
@Tag("host")
@Timeout(TestDeadlines.LONGEST_TEST_SECONDS)
class UcxPerftestTest {

    private static final Duration LIMIT = TestDeadlines.ofSeconds(100);

    @TempDir
    private Path folder;

    private Process tool(String transports, String... arguments) throws Exception {
        List<String> command = UcxPerftest.words();
        command.addAll(List.of(arguments));
        File output = folder.resolve("output").toFile();
        var builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output);
        builder.environment().put("UCX_TLS", transports);
        return builder.start();
    }

    private void ended(Process tool, UcxTest test) throws Exception {
        assertTrue(tool.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS), test.title());
        assertEquals(0, tool.exitValue(), test.title() + ": " + Files.readString(folder.resolve("output")));
    }

    private void serveC(UcxTest test, String transports) throws Exception {
        try (ServerSocketChannel listening =
                UcxLink.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            int port = ((InetSocketAddress) listening.getLocalAddress()).getPort();
            Process client =
                    tool(transports, "-t", test.title(), "-n", "200", "-w", "10", "-p", "" + port, "127.0.0.1");
            try (var link = new UcxLink(listening.accept())) {
                UcxSession.serve(link, UcxSessions.java(transports), UcxSession.SessionListener.NO_LISTENER);
                ended(client, test);
            } finally {
                client.destroyForcibly();
            }
        }
        assertTrue(Files.readString(folder.resolve("output")).contains("Final:                   200"), test.title());
    }

    private void askC(UcxTest test, String transports) throws Exception {
        int port;
        try (var free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        Process server = tool(transports, "-p", "" + port);
        try {
            Listening.await(port, server, LIMIT);
            UcxPlan plan = UcxPlans.of("-t " + test.title() + " -n 200 -w 10 host");
            try (var link = UcxLink.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))) {
                UcxResult result = UcxSession.client(
                        plan,
                        UcxLayout.loaded(),
                        link,
                        UcxSessions.java(transports),
                        UcxSession.SessionListener.NO_LISTENER);
                assertEquals(200, result.iterations(), test.title());
            }
            ended(server, test);
        } finally {
            server.destroyForcibly();
        }
    }

    @Test
    void shouldTellWhatUcxPerftestSaidWhenItFails() throws Exception {
        try (var children = new Children()) {
            List<String> command = UcxPerftest.words();
            command.addAll(List.of("-t", "tag_lat", "-n", "1000", "-l"));
            Map<String, String> environment = Map.of("UCX_TLS", "no_such_transport");
            try (var tool = new ToolRun(Placement.CLIENT, command, environment, children)) {
                String message = assertThrows(IOException.class, () -> tool.awaitOutput(LIMIT))
                        .getMessage();
                assertTrue(message.startsWith("ucx_perftest ("), message);
                assertTrue(message.contains("no_such_transport"), message);
            }
        }
    }

    @Test
    void shouldServeAClientInC() throws Exception {
        for (UcxTest test : UcxTest.values()) {
            serveC(test, "posix,self");
        }
        serveC(UcxTest.TAG_BW, "tcp,self");
        serveC(UcxTest.UCP_PUT_LAT, "tcp,self");
    }

    @Test
    void shouldAskAServerInC() throws Exception {
        for (UcxTest test : UcxTest.values()) {
            askC(test, "posix,self");
        }
        askC(UcxTest.STREAM_BW, "tcp,self");
        askC(UcxTest.UCP_ADD, "tcp,self");
    }
}
