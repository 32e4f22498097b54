// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.exchange;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.internal.Deadline;
import dev.isthmus.testbed.TestDeadlines;
import dev.isthmus.verbs.Gid;
import dev.isthmus.verbs.QueuePairAddress;
import dev.isthmus.verbs.attributes.Mtu;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Two of our ends over loopback, and ours in both roles against peers that misbehave. */
@Tag("unit")
class AddressExchangeTest {

    /** A deadline for what must end earlier, however busy the machine is. */
    private static final Duration LONG = TestDeadlines.ofSeconds(60);

    private static final Duration SHORT = Duration.ofMillis(300);
    private static final InetSocketAddress LOOPBACK = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final QueuePairAddress A = address(0x11, "00000000000000000000ffff0a000001");
    private static final QueuePairAddress B = address(0xff_ffff, "fe800000000000000000000000000001");

    private static QueuePairAddress address(int qpNum, String gid) {
        return new QueuePairAddress(
                qpNum, 0xabcdef, 0xfffe, Gid.of(HexFormat.of().parseHex(gid)), Mtu.MTU_4096, 255);
    }

    /** The part of a peer that the test plays itself. The socket is closed when it has heard our end's last word. */
    interface Peer {
        void speak(Socket socket) throws IOException;
    }

    private static <T> FutureTask<T> start(Callable<T> work) {
        var task = new FutureTask<>(work);
        Thread.ofPlatform().daemon().start(task);
        return task;
    }

    private static AddressExchange.Remote serve(AddressExchange.Listener listener) throws IOException {
        try (var peer = listener.accept(LONG, LONG)) {
            var remote = peer.swap(A, ByteBuffer.wrap(new byte[] {1, 2, 3}));
            peer.ready();
            return remote;
        }
    }

    /** The next peer is one of ours: it must be served as if nothing had happened. */
    private static void assertServesTheNext(AddressExchange.Listener listener) throws Exception {
        FutureTask<AddressExchange.Remote> server = start(() -> serve(listener));
        try (var peer = AddressExchange.connect(listener.address(), LONG)) {
            var remote =
                    peer.swap(B, ByteBuffer.allocate(12).putLong(-1).putInt(7).flip());
            peer.ready();
            assertEquals(A, remote.address());
            assertEquals(ByteBuffer.wrap(new byte[] {1, 2, 3}), remote.data());
        }
        assertEquals(B, server.get().address());
        assertEquals(-1, server.get().data().getLong());
        assertEquals(12, server.get().data().remaining(), "each call begins at the start");
        assertTrue(server.get().data().isReadOnly());
    }

    /** Lets a peer connect to our listener, and returns our end's exception. */
    private static IOException complaintOfServer(Peer client, Duration deadline) throws Exception {
        try (var listener = AddressExchange.listen(LOOPBACK)) {
            var heard = new CountDownLatch(1);
            FutureTask<Void> playing = start(() -> {
                try (var socket = new Socket(
                        listener.address().getAddress(), listener.address().getPort())) {
                    client.speak(socket);
                    heard.await();
                    return null;
                }
            });
            IOException complaint;
            try (var peer = listener.accept(LONG, deadline)) {
                complaint = assertThrows(IOException.class, () -> swapAndBeReady(peer));
            }
            heard.countDown();
            playing.get();
            assertServesTheNext(listener);
            return complaint;
        }
    }

    /** Lets our end connect to a peer that listens, and returns our end's exception. */
    private static IOException complaintOfClient(Peer server, Duration deadline) throws Exception {
        try (var listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var heard = new CountDownLatch(1);
            FutureTask<Void> playing = start(() -> {
                try (var socket = listener.accept()) {
                    server.speak(socket);
                    heard.await();
                    return null;
                }
            });
            var address = (InetSocketAddress) listener.getLocalSocketAddress();
            IOException complaint;
            try (var peer = AddressExchange.connect(address, deadline)) {
                complaint = assertThrows(IOException.class, () -> swapAndBeReady(peer));
            }
            heard.countDown();
            playing.get();
            return complaint;
        }
    }

    private static void swapAndBeReady(AddressExchange peer) throws IOException {
        peer.swap(A);
        peer.ready();
    }

    private static byte[] message(QueuePairAddress address, int data) {
        return ExchangeMessage.address(address, ByteBuffer.allocate(data)).array();
    }

    /** A good message with one byte changed. */
    private static Peer changed(int at, int to) {
        byte[] message = message(B, 0);
        message[at] = (byte) to;
        return s -> s.getOutputStream().write(message);
    }

    private static Peer sends(byte[] bytes) {
        return s -> s.getOutputStream().write(bytes);
    }

    private static Peer sendsAndCloses(byte[] bytes) {
        return s -> {
            s.getOutputStream().write(bytes);
            s.shutdownOutput();
        };
    }

    /** Sends a byte again and again, as long as there is a reader. */
    private static void drip(Socket socket) {
        byte[] message = message(B, AddressExchange.MAX_DATA_BYTES);
        try {
            socket.setSoTimeout(20);
            for (int i = 0; i < message.length; i++) {
                socket.getOutputStream().write(message[i]);
                try {
                    while (socket.getInputStream().read() >= 0) {
                        Thread.onSpinWait();
                    }
                    return;
                } catch (SocketTimeoutException e) {
                    Thread.onSpinWait(); // still there
                }
            }
        } catch (IOException gone) {
            assertTrue(socket.isConnected());
        }
    }

    static Stream<Arguments> wrongPeers() {
        Class<?> protocol = ProtocolException.class;
        byte[] good = message(B, 0);
        byte[] zeroes = good.clone();
        Arrays.fill(zeroes, 16, 18, (byte) 0);
        Arrays.fill(zeroes, 20, 36, (byte) 0);
        return Stream.of(
                Arguments.of(
                        "garbage",
                        sends("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII)),
                        protocol,
                        ".* does not speak this protocol: it began with \"GET / HT\""),
                Arguments.of("binary garbage", sends(new byte[8]), protocol, ".*: it began with \"(\\\\x00){8}\""),
                Arguments.of(
                        "other version",
                        changed(5, 2),
                        protocol,
                        ".* speaks version 2 of the protocol, this is version 1"),
                Arguments.of("unknown kind", changed(7, 9), protocol, ".* sent a message of the unknown kind 9"),
                Arguments.of(
                        "ready too early",
                        sends(ExchangeMessage.ready().array()),
                        protocol,
                        ".* told that it is ready instead of its address"),
                Arguments.of(
                        "address twice",
                        sends(ByteBuffer.allocate(80).put(good).put(good).array()),
                        protocol,
                        ".* told its address instead of that it is ready"),
                Arguments.of("qpNum", changed(8, 1), protocol, ".* queue pair number 33554431 is not between .*"),
                Arguments.of("negative qpNum", changed(8, 0x80), protocol, ".* queue pair number -\\d+ is not .*"),
                Arguments.of("psn", changed(12, 1), protocol, ".* packet sequence number \\d+ is not between .*"),
                Arguments.of("mtu 0", changed(18, 0), protocol, ".* sent the unknown MTU code 0"),
                Arguments.of("mtu 255", changed(18, 255), protocol, ".* sent the unknown MTU code 255"),
                Arguments.of("multicast GID", changed(20, 0xff), protocol, ".* sent the GID of a multicast group, .*"),
                Arguments.of("no GID, no LID", sends(zeroes), protocol, ".* sent neither a GID nor a LID"),
                Arguments.of(
                        "no data",
                        sendsAndCloses(announcing(AddressExchange.MAX_DATA_BYTES)),
                        EOFException.class,
                        ".* after 0 of 1024 bytes, before it told its data"),
                Arguments.of("oversized", changed(36, 0xff), protocol, ".* announced 65280 bytes of data, .*"),
                Arguments.of("not zero", changed(39, 1), protocol, ".* announced 0 bytes of data, with 1 behind: .*"),
                Arguments.of(
                        "closes at once",
                        sendsAndCloses(new byte[0]),
                        EOFException.class,
                        ".* closed the connection after 0 of 8 bytes, before it told its address"),
                Arguments.of(
                        "truncated prefix",
                        sendsAndCloses(Arrays.copyOf(good, 5)),
                        EOFException.class,
                        ".* after 5 of 8 bytes, .*"),
                Arguments.of(
                        "truncated address",
                        sendsAndCloses(Arrays.copyOf(good, 39)),
                        EOFException.class,
                        ".* after 31 of 32 bytes, .*"),
                Arguments.of(
                        "truncated data",
                        sendsAndCloses(Arrays.copyOf(message(B, 100), 41)),
                        EOFException.class,
                        ".* after 1 of 100 bytes, before it told its data"),
                Arguments.of(
                        "closes before ready",
                        sendsAndCloses(good),
                        EOFException.class,
                        ".* after 0 of 8 bytes, before it told that it is ready"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("wrongPeers")
    void shouldNameWhatAPeerDoesWrongInBothRoles(String name, Peer peer, Class<?> kind, String message)
            throws Exception {
        for (IOException e : new IOException[] {complaintOfServer(peer, LONG), complaintOfClient(peer, LONG)}) {
            assertInstanceOf(kind, e);
            assertTrue(e.getMessage().startsWith("the peer at 127.0.0.1:"), e.getMessage());
            assertTrue(e.getMessage().matches(message), e.getMessage());
        }
    }

    private static byte[] announcing(int data) {
        byte[] message = message(B, 0);
        ByteBuffer.wrap(message).putShort(36, (short) data);
        return message;
    }

    static Stream<Arguments> slowPeers() {
        return Stream.of(
                Arguments.of("silent", sends(new byte[0]), SHORT, "did not tell its address within 300 ms"),
                Arguments.of(
                        "stops",
                        sends(Arrays.copyOf(message(B, 0), 20)),
                        SHORT,
                        "did not tell its address within 300 ms"),
                Arguments.of( // after it has told its address, even on a busy machine
                        "never ready",
                        sends(message(B, 0)),
                        SHORT.multipliedBy(10),
                        "did not tell that it is ready within 3000 ms"),
                Arguments.of("drips", (Peer) AddressExchangeTest::drip, SHORT, "within 300 ms"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("slowPeers")
    void shouldGiveUpAtTheDeadlineInBothRoles(String name, Peer peer, Duration deadline, String message)
            throws Exception {
        for (IOException e : new IOException[] {complaintOfServer(peer, deadline), complaintOfClient(peer, deadline)}) {
            assertInstanceOf(SocketTimeoutException.class, e);
            assertTrue(e.getMessage().contains(message), e.getMessage());
        }
    }

    @Test
    void shouldTellNothingToAPeerThatHasNotSpokenTheProtocol() throws Exception {
        complaintOfServer(
                s -> {
                    s.getOutputStream().write("SSH-2.0-x\r\n".getBytes(StandardCharsets.US_ASCII));
                    // Our end closes with unread bytes, which may reset the connection.
                    try {
                        assertEquals(-1, s.getInputStream().read());
                    } catch (SocketException reset) {
                        assertTrue(s.isConnected());
                    }
                },
                LONG);
    }

    @Test
    void shouldTellAClientOfAnotherVersionWhichVersionThisIs() throws Exception {
        byte[] other = message(B, 0);
        other[5] = 2;
        var told = new byte[1][];
        complaintOfServer(
                s -> {
                    s.getOutputStream().write(other, 0, ExchangeMessage.PREFIX_BYTES);
                    told[0] = s.getInputStream().readNBytes(ExchangeMessage.PREFIX_BYTES);
                },
                LONG);
        assertArrayEquals(ExchangeMessage.ready().array(), told[0]);
    }

    @Test
    void shouldGiveUpWritingToAPeerThatDoesNotRead() throws Exception {
        try (var listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var channel = SocketChannel.open(listener.getLocalSocketAddress());
                var silent = listener.accept();
                var timed = new TimedChannel(
                        channel, (InetSocketAddress) listener.getLocalSocketAddress(), Deadline.after(SHORT))) {
            assertTrue(silent.isConnected());
            var e = assertThrows(SocketTimeoutException.class, () -> timed.write(ByteBuffer.allocate(64 << 20)));
            assertTrue(e.getMessage().endsWith("did not take a message within 300 ms"), e.getMessage());
        }
    }

    @Test
    void shouldSwapOnceForEachOfSeveralQueuePairs() throws Exception {
        try (var listener = AddressExchange.listen(LOOPBACK)) {
            FutureTask<QueuePairAddress> server = start(() -> {
                try (var peer = listener.accept(LONG, LONG)) {
                    assertEquals(
                            1,
                            peer.swap(address(101, "00000000000000000000ffff0a000001"))
                                    .address()
                                    .qpNum());
                    var second = peer.swap(address(102, "00000000000000000000ffff0a000001"));
                    peer.ready();
                    return second.address();
                }
            });
            try (var peer = AddressExchange.connect(listener.address(), LONG)) {
                assertEquals(
                        101,
                        peer.swap(address(1, "00000000000000000000ffff0a000002"))
                                .address()
                                .qpNum());
                assertEquals(
                        102,
                        peer.swap(address(2, "00000000000000000000ffff0a000002"))
                                .address()
                                .qpNum());
                peer.ready();
                assertEquals(listener.address(), peer.peer());
            }
            assertEquals(2, server.get().qpNum());
        }
    }

    @Test
    void shouldGiveEachOfSeveralThreadsAPeerOfItsOwn() throws Exception {
        try (var listener = AddressExchange.listen(LOOPBACK)) {
            FutureTask<AddressExchange.Remote> one = start(() -> serve(listener));
            FutureTask<AddressExchange.Remote> two = start(() -> serve(listener));
            for (QueuePairAddress mine : new QueuePairAddress[] {A, B}) {
                try (var peer = AddressExchange.connect(listener.address(), LONG)) {
                    peer.swap(mine);
                    peer.ready();
                }
            }
            assertEquals(
                    A.qpNum() + B.qpNum(),
                    one.get().address().qpNum() + two.get().address().qpNum());
        }
    }

    @Test
    void shouldStopWaitingForAPeerAtTheDeadlineAndCanWaitAgain() throws Exception {
        try (var listener = AddressExchange.listen(LOOPBACK)) {
            var e = assertThrows(SocketTimeoutException.class, () -> listener.accept(SHORT, LONG));
            assertEquals("nobody came to 127.0.0.1:" + listener.address().getPort() + " within 300 ms", e.getMessage());
            assertServesTheNext(listener);
        }
    }

    @Test
    void shouldWakeAThreadThatWaitsForAPeerWhenTheListenerIsClosed() throws Exception {
        var listener = AddressExchange.listen(LOOPBACK);
        FutureTask<AddressExchange> waiting = start(() -> listener.accept(LONG, LONG));
        listener.close();
        listener.close();
        var e = assertThrows(ExecutionException.class, waiting::get);
        assertInstanceOf(ClosedChannelException.class, e.getCause());
        assertThrows(ClosedChannelException.class, () -> listener.accept(LONG, LONG));
    }

    @Test
    void shouldWakeAThreadThatWaitsForItsPeerWhenTheExchangeIsClosed() throws Exception {
        try (var silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var exchange = AddressExchange.connect((InetSocketAddress) silent.getLocalSocketAddress(), LONG);
            FutureTask<AddressExchange.Remote> waiting = start(() -> exchange.swap(A));
            try (var accepted = silent.accept()) {
                accepted.getInputStream().readNBytes(message(A, 0).length); // it has spoken, and waits
                exchange.close();
                exchange.close();
                var e = assertThrows(ExecutionException.class, waiting::get);
                assertInstanceOf(ClosedChannelException.class, e.getCause());
            }
            assertThrows(ClosedChannelException.class, () -> exchange.swap(A));
        }
    }

    @Test
    void shouldStopWhenItsThreadIsInterrupted() throws Exception {
        try (var listener = AddressExchange.listen(LOOPBACK)) {
            Thread.currentThread().interrupt();
            assertThrows(InterruptedIOException.class, () -> listener.accept(LONG, LONG));
            assertTrue(Thread.interrupted(), "the status is kept");
            assertServesTheNext(listener);
        }
    }

    @Test
    void shouldRefuseToListenOnEveryAddress() {
        for (String wildcard : new String[] {"0.0.0.0", "::"}) {
            var address = new InetSocketAddress(wildcard, 0);
            var e = assertThrows(IllegalArgumentException.class, () -> AddressExchange.listen(address));
            assertTrue(e.getMessage().contains("every address of this host"), e.getMessage());
        }
    }

    @Test
    void shouldSayThatThePortIsTakenOrNobodyListensOrTheHostIsUnknown() throws Exception {
        InetSocketAddress free;
        try (var taken = AddressExchange.listen(LOOPBACK)) {
            free = taken.address();
            var e = assertThrows(BindException.class, () -> AddressExchange.listen(taken.address()));
            assertTrue(e.getMessage().startsWith("cannot listen at 127.0.0.1:" + free.getPort()), e.getMessage());
        }
        var e = assertThrows(ConnectException.class, () -> AddressExchange.connect(free, LONG));
        assertTrue(e.getMessage().startsWith("cannot connect to 127.0.0.1:" + free.getPort()), e.getMessage());
        var nowhere = InetSocketAddress.createUnresolved("no-such-host.invalid", 1);
        assertThrows(UnknownHostException.class, () -> AddressExchange.listen(nowhere));
        assertThrows(UnknownHostException.class, () -> AddressExchange.connect(nowhere, LONG));
    }

    @Test
    void shouldRefuseTooMuchDataAndDeadlinesThatAreNone() throws Exception {
        try (var listener = AddressExchange.listen(LOOPBACK);
                var peer = AddressExchange.connect(listener.address(), LONG)) {
            var data = ByteBuffer.allocate(AddressExchange.MAX_DATA_BYTES + 1);
            assertThrows(IllegalArgumentException.class, () -> peer.swap(A, data));
            assertThrows(IllegalArgumentException.class, () -> listener.accept(Duration.ZERO, LONG));
            assertThrows(IllegalArgumentException.class, () -> listener.accept(LONG, Duration.ofMillis(-1)));
            assertThrows(
                    IllegalArgumentException.class, () -> AddressExchange.connect(listener.address(), Duration.ZERO));
        }
    }
}
