// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.perf.tools.PerftestException;
import dev.isthmus.testbed.TestDeadlines;
import dev.isthmus.verbs.Gid;
import dev.isthmus.verbs.attributes.Mtu;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two of our ends with each other, and our ends with peers that misbehave, over loopback. */
@Tag("unit")
class PerftestConnectionTest {

    private static final Duration DEADLINE = TestDeadlines.ofSeconds(20);
    private static final Duration SHORT = Duration.ofMillis(300);
    private static final Gid IPV4 = Gid.of(HexFormat.of().parseHex("00000000000000000000ffff0a000001"));
    private static final Gid IPV6 = Gid.of(HexFormat.of().parseHex("fe800000000000000000000000000001"));

    /** What a test does with the socket of a peer that it plays itself. */
    private interface Peer {
        void speak(Socket socket) throws IOException;
    }

    /** An action on our end. */
    private interface Ours {
        void run(PerftestConnection connection) throws IOException;
    }

    /** Lets our client meet a server that speaks as given, and returns our client's exception. */
    private static PerftestException complaintAbout(Peer server, Duration deadline) throws IOException {
        return complaintAbout(server, deadline, ours -> PerftestSession.open(ours, 4096, 64, Mtu.MTU_1024));
    }

    private static PerftestException complaintAbout(Peer server, Duration deadline, Ours ours) throws IOException {
        var heard = new CountDownLatch(1);
        try (var listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var serving = CompletableFuture.runAsync(() -> {
                try (var socket = listener.accept()) {
                    server.speak(socket);
                    heard.await();
                } catch (IOException | InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
            try (var connection = PerftestConnection.connect("127.0.0.1", listener.getLocalPort(), deadline)) {
                return assertThrows(PerftestException.class, () -> ours.run(connection));
            } finally {
                heard.countDown();
                serving.join();
            }
        }
    }

    private static byte[] version(String text) {
        return Arrays.copyOf(text.getBytes(StandardCharsets.US_ASCII), ExchangeFormat.VERSION_BYTES);
    }

    private static void answer(Socket socket, byte[] message) throws IOException {
        socket.getInputStream().readNBytes(message.length);
        socket.getOutputStream().write(message);
    }

    private static void agree(Socket socket) throws IOException {
        answer(socket, version("6.06"));
        answer(socket, ExchangeFormat.encodeInt(4096));
        answer(socket, ExchangeFormat.encodeInt(64));
        answer(socket, ExchangeFormat.encodeMtu(Mtu.MTU_4096));
    }

    private static PerftestDestination destination(int qpNum, Optional<Gid> gid) {
        return new PerftestDestination(0, 1, qpNum, qpNum + 1, 0, 0, gid, 0);
    }

    @Test
    void shouldAgreeOnTheLargerBuffersAndTheSmallerMtuInBothRoles() throws Exception {
        int port = freePort();
        var server = CompletableFuture.supplyAsync(() -> {
            try (var connection = accept(port, DEADLINE)) {
                var session = PerftestSession.open(connection, 65536, 64, Mtu.MTU_2048);
                assertEquals(destination(1, Optional.of(IPV4)), session.exchange(destination(2, Optional.of(IPV4))));
                session.introduced(destination(2, Optional.of(IPV4)), DEADLINE);
                session.finish();
                return session.terms();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        try (var connection = connectWhenListening(port)) {
            var session = PerftestSession.open(connection, 4096, 128, Mtu.MTU_1024);
            assertEquals(destination(2, Optional.of(IPV4)), session.exchange(destination(1, Optional.of(IPV4))));
            session.introduced(destination(1, Optional.of(IPV4)), DEADLINE);
            session.finish();
            var expected = new PerftestSession.Terms(65536, 128, Mtu.MTU_1024);
            assertEquals(expected, session.terms());
            assertEquals(expected, server.join());
        }
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static PerftestConnection accept(int port, Duration wait) throws PerftestException {
        return PerftestConnection.accept(new InetSocketAddress(port), wait, DEADLINE, () -> {});
    }

    private static PerftestConnection connectWhenListening(int port) throws PerftestException {
        long end = System.nanoTime() + DEADLINE.toNanos();
        while (true) {
            try {
                return PerftestConnection.connect("127.0.0.1", port, DEADLINE);
            } catch (PerftestException e) {
                if (System.nanoTime() - end > 0) {
                    throw e;
                }
                Thread.onSpinWait();
            }
        }
    }

    /** If an end destroys its queue pair while the peer's last write is on its way, C waits forever. */
    @Test
    void shouldLeaveWhenThePeerHasFinished() throws Exception {
        int port = freePort();
        var finished = new AtomicBoolean();
        var left = new CountDownLatch(1);
        var server = CompletableFuture.supplyAsync(() -> {
            try (var connection = accept(port, DEADLINE)) {
                connection.awaitPeerEnd(DEADLINE);
                return finished.get();
            } catch (IOException e) {
                throw new AssertionError(e);
            } finally {
                left.countDown();
            }
        });
        try (var connection = connectWhenListening(port)) {
            assertFalse(left.await(200, TimeUnit.MILLISECONDS)); // it waits
            finished.set(true);
            connection.awaitPeerEnd(DEADLINE);
        }
        assertTrue(server.get(DEADLINE.toSeconds(), TimeUnit.SECONDS));
    }

    @Test
    void shouldLeaveAPeerThatDoesNotFinishInTime() throws Exception {
        try (var listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var connection = PerftestConnection.connect("127.0.0.1", listener.getLocalPort(), DEADLINE)) {
            assertTimeoutPreemptively(DEADLINE, () -> connection.awaitPeerEnd(Duration.ofMillis(10)));
        }
    }

    @Test
    void shouldSayWhatToStartWhenNobodyListens() throws IOException {
        int port = freePort();
        var e = assertThrows(PerftestException.class, () -> PerftestConnection.connect("127.0.0.1", port, DEADLINE));
        assertEquals(
                "no server at 127.0.0.1:" + port + ": start `isthmus perf TEST` or `ib_TEST` there first",
                e.getMessage());
    }

    @Test
    void shouldSayThatThePortIsTaken() throws IOException {
        try (var taken = new ServerSocket(0)) {
            var e = assertThrows(PerftestException.class, () -> accept(taken.getLocalPort(), SHORT));
            assertTrue(e.getMessage().startsWith("cannot listen on port " + taken.getLocalPort()), e.getMessage());
            assertTrue(e.getMessage().contains("-p chooses another"), e.getMessage());
        }
    }

    @Test
    void shouldStopListeningWhenNobodyComes() throws IOException {
        int port = freePort();
        var e = assertThrows(PerftestException.class, () -> accept(port, SHORT));
        assertEquals("no client connected to port " + port + " within 300 ms", e.getMessage());
        try (var free = new ServerSocket(port)) {
            assertEquals(port, free.getLocalPort());
        }
    }

    @Test
    void shouldNameAHostThatDoesNotExist() {
        var e = assertThrows(
                PerftestException.class, () -> PerftestConnection.connect("no-such-host.invalid", 1, DEADLINE));
        assertEquals("unknown host no-such-host.invalid", e.getMessage());
    }

    @Test
    void shouldReportGarbageOnOneLine() throws IOException {
        var e = complaintAbout(s -> answer(s, version("HTTP/1.1 400\r\n")), DEADLINE);
        assertTrue(
                e.getMessage()
                        .matches("the peer at 127\\.0\\.0\\.1:\\d+ does not speak perftest's protocol: "
                                + "not a version: \"HTTP/1.1 400\\\\x0d\\\\x0a\""),
                e.getMessage());
    }

    @Test
    void shouldRefuseAnOldVersion() throws IOException {
        var e = complaintAbout(s -> answer(s, version("5.69")), DEADLINE);
        assertTrue(e.getMessage().endsWith(" has perftest 5.69: 5.70 or newer is needed"), e.getMessage());
    }

    @Test
    void shouldRefuseImpossibleSizes() throws IOException {
        var page = complaintAbout(
                s -> {
                    answer(s, version("6.06"));
                    answer(s, ExchangeFormat.encodeInt(Integer.MAX_VALUE));
                },
                DEADLINE);
        assertTrue(page.getMessage().contains("page size 2147483647 is not between"), page.getMessage());
        var line = complaintAbout(
                s -> {
                    answer(s, version("6.06"));
                    answer(s, ExchangeFormat.encodeInt(4096));
                    answer(s, ExchangeFormat.encodeInt(-1));
                },
                DEADLINE);
        assertTrue(line.getMessage().contains("cache line size -1 is not between"), line.getMessage());
    }

    @Test
    void shouldGiveUpOnASilentPeer() throws IOException {
        var e = complaintAbout(s -> {}, SHORT);
        assertTrue(e.getMessage().contains("sent 0 of 16 bytes within 300 ms"), e.getMessage());
    }

    @Test
    void shouldGiveUpOnAPeerThatDrips() throws IOException {
        var e = complaintAbout(
                s -> {
                    // As long as there is a reader, there is another byte, so that only the deadline ends it.
                    try {
                        while (true) {
                            s.setSoTimeout(50);
                            readUntilTimeout(s);
                            s.getOutputStream().write('6');
                        }
                    } catch (IOException gone) {
                        assertTrue(s.isConnected());
                    }
                },
                SHORT);
        assertTrue(e.getMessage().matches(".* sent \\d+ of 16 bytes within 300 ms.*"), e.getMessage());
    }

    private static void readUntilTimeout(Socket socket) throws IOException {
        try {
            while (socket.getInputStream().read() >= 0) {
                Thread.onSpinWait();
            }
        } catch (SocketTimeoutException e) {
            return;
        }
        throw new IOException("closed");
    }

    @Test
    void shouldReportAPeerThatClosesMidway() throws IOException {
        var e = complaintAbout(
                s -> {
                    s.getInputStream().readNBytes(ExchangeFormat.VERSION_BYTES);
                    s.getOutputStream().write("6.0".getBytes(StandardCharsets.US_ASCII));
                    s.close();
                },
                DEADLINE);
        assertTrue(e.getMessage().endsWith(" closed the connection after 3 of 16 bytes (\"6.0\")"), e.getMessage());
    }

    @Test
    void shouldReportAnAddressThatIsGarbage() throws IOException {
        var e = complaintAbout(
                s -> {
                    agree(s);
                    answer(s, new byte[ExchangeFormat.DESTINATION_GID_BYTES]);
                },
                DEADLINE,
                ours -> PerftestSession.open(ours, 4096, 64, Mtu.MTU_1024).exchange(destination(1, Optional.of(IPV4))));
        assertTrue(e.getMessage().contains("does not speak perftest's protocol: not a queue pair's address"));
    }

    @Test
    void shouldRefuseAPeerWithTheOtherKindOfGid() throws IOException {
        var e = complaintAbout(
                s -> {
                    agree(s);
                    answer(s, ExchangeFormat.encodeDestination(destination(1, Optional.of(IPV6))));
                },
                DEADLINE,
                ours -> PerftestSession.open(ours, 4096, 64, Mtu.MTU_1024).exchange(destination(1, Optional.of(IPV4))));
        assertTrue(e.getMessage().contains("one is IPv4 and the other is not"), e.getMessage());
    }
}
