// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.CProgram;
import dev.isthmus.ucx.UcpContext;
import dev.isthmus.ucx.UcpFeature;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The samples and UCX's own examples as each other's peers, in both roles. */
@Tag("ucx")
@Tag("system-ucx")
class UcpExamplesTest {

    private static final int COUNT = 3;

    /**
     * Where UCX dies of a large active message that arrives before there is a handler: docs/ucx-faults.md. This client
     * sets its handler after it has sent, and has printed everything by then. With a server in C it dies, too.
     */
    private static final String LATE_HANDLER = "(ucp_am_rndv_process_rts+";

    private static CProgram helloWorld;
    private static CProgram clientServer;

    @BeforeAll
    static void compile() {
        helloWorld = UcxExamples.compile("ucp_hello_world");
        clientServer = UcxExamples.compile("ucp_client_server");
    }

    @AfterAll
    static void delete() {
        helloWorld.close();
        clientServer.close();
    }

    static Stream<String> transports() {
        return UcxExamples.transports();
    }

    static Stream<Arguments> transportsWaysAndLengths() {
        // Connections by socket address need transports that report failures, which shared memory alone does not.
        return UcxExamples.transports()
                .filter(tls -> !tls.startsWith("posix"))
                .flatMap(tls -> Stream.of(UcpFeature.STREAM, UcpFeature.TAG, UcpFeature.AM)
                        .flatMap(way -> Stream.of(16L, 100_000L).map(bytes -> Arguments.of(tls, way, bytes))));
    }

    /**
     * Without what can be lost over verbs when the client closes, even with a server in C (docs/ucx-faults.md):
     * streams, and active messages in more than one piece.
     */
    static Stream<Arguments> transportsWaysAndLengthsToServe() {
        return transportsWaysAndLengths().filter(arguments -> {
            Object[] each = arguments.get();
            boolean verbs = ((String) each[0]).startsWith("rc_verbs");
            boolean onePiece = each[1] == UcpFeature.AM && (long) each[2] <= 16;
            return !verbs || onePiece || each[1] == UcpFeature.TAG;
        });
    }

    private static UcpContext context(String tls, UcpFeature feature) {
        return UcpContext.create(config -> config.set("TLS", tls).features(EnumSet.of(feature, UcpFeature.WAKEUP)));
    }

    private static int freePort() throws Exception {
        try (var socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    @ParameterizedTest
    @MethodSource("transports")
    void shouldServeHelloWorldOfC(String tls) throws Exception {
        try (var c = new UcxExamples(helloWorld);
                var context = context(tls, UcpFeature.TAG);
                var socket = new ServerSocket(0)) {
            String text = "fifteen letters";
            c.start(tls, "-n", "127.0.0.1", "-p", "" + socket.getLocalPort(), "-s", "" + (text.length() + 1));
            UcpHelloWorld.serve(context, socket, text);
            assertTrue(c.end().contains(text), c.output());
        }
    }

    @ParameterizedTest
    @MethodSource("transports")
    void shouldFetchHelloWorldOfC(String tls) throws Exception {
        int port = freePort();
        try (var c = new UcxExamples(helloWorld);
                var context = context(tls, UcpFeature.TAG)) {
            c.start(tls, "-p", "" + port, "-s", "40000");
            String text = null;
            while (text == null) {
                try {
                    text = UcpHelloWorld.fetch(context, "127.0.0.1", port);
                } catch (ConnectException e) {
                    assertTrue(c.isAlive(), c.output());
                    Thread.sleep(20); // it does not listen yet, and nothing announces it
                }
            }
            assertEquals(UcpClientServer.text(40_000), text);
            c.end();
        }
    }

    @ParameterizedTest
    @MethodSource("transportsWaysAndLengthsToServe")
    void shouldServeClientOfC(String tls, UcpFeature way, long bytes) throws Exception {
        try (var c = new UcxExamples(clientServer);
                var context = context(tls, way)) {
            String name = way.name().toLowerCase(Locale.ROOT);
            List<String> texts = UcpClientServer.serve(
                    context, new InetSocketAddress(UcxExamples.address(), 0), way, COUNT, bytes, at -> {
                        try {
                            c.start(
                                    tls,
                                    "-a",
                                    at.getAddress().getHostAddress(),
                                    "-p",
                                    "" + at.getPort(),
                                    "-c",
                                    name,
                                    "-i",
                                    "" + COUNT,
                                    "-s",
                                    "" + bytes);
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    });
            assertEquals(Collections.nCopies(COUNT, UcpClientServer.text(bytes)), texts);
            c.end(LATE_HANDLER);
        }
    }

    @ParameterizedTest
    @MethodSource("transportsWaysAndLengths")
    void shouldSendToServerOfC(String tls, UcpFeature way, long bytes) throws Exception {
        try (var c = new UcxExamples(clientServer);
                var context = context(tls, way)) {
            String host = UcxExamples.address().getHostAddress();
            int port = freePort();
            int count = way == UcpFeature.AM ? 1 : COUNT; // the C program counts several that arrive together as one
            c.start(
                    tls,
                    "-l",
                    host,
                    "-p",
                    "" + port,
                    "-c",
                    way.name().toLowerCase(Locale.ROOT),
                    "-i",
                    "" + count,
                    "-s",
                    "" + bytes);
            c.await("server is listening");
            UcpClientServer.send(context, new InetSocketAddress(host, port), way, count, bytes);
            // It prints the first and the last text, and goes on to wait for clients.
            c.await("iteration #" + count);
            c.await("SUCCESS -------\n\n" + UcpClientServer.text(bytes) + ".");
            assertTrue(c.isAlive(), c.output());
        }
    }
}
