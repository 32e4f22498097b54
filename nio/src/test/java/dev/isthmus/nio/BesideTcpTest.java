// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import jdk.net.ExtendedSocketOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What a program sees over TCP and over RDMA. Each case runs over both in this JVM. Results and the classes of
 * exceptions must be the same, or differ as docs/sockets.md says; times must be alike. What users report comes here.
 */
class BesideTcpTest {

    private static final Transport TCP =
            Transport.of(SocketChannel::open, ServerSocketChannel::open, Transport.RDMA); // at the same addresses

    /** What a program does; returns what it sees. */
    interface Script {
        Object run(Transport transport) throws Exception;
    }

    /**
     * A case.
     *
     * @param overRdma what a program sees over RDMA; null if it is the same as over TCP
     * @param row how the row in docs/sockets.md begins that says so
     */
    record Case(String name, Script script, String overRdma, String row) {

        Case(String name, Script script) {
            this(name, script, null, null);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static List<Case> cases() {
        return List.of(
                new Case("connect where nobody listens", BesideTcpTest::connectWhereNobodyListens),
                new Case("connect to an absent host", BesideTcpTest::connectToAnAbsentHost),
                new Case(
                        "connect without a route",
                        BesideTcpTest::connectWithoutARoute,
                        "NoRouteToHostException",
                        "a peer without a route"),
                new Case("connect to port zero", BesideTcpTest::connectToPortZero),
                new Case("connect to a full backlog", BesideTcpTest::connectToAFullBacklog),
                new Case("connect an ipv4 channel to ipv6", BesideTcpTest::connectAnIpv4ChannelToIpv6),
                new Case("bind where another listens", BesideTcpTest::bindWhereAnotherListens),
                new Case("bind to another machine", BesideTcpTest::bindToAnotherMachine),
                new Case("close with unread data", BesideTcpTest::closeWithUnreadData),
                new Case("close after all is read", BesideTcpTest::closeAfterAllIsRead),
                new Case("close before accept", BesideTcpTest::closeBeforeAccept),
                new Case("write to a closed peer", BesideTcpTest::writeToAClosedPeer),
                new Case("read into freed memory", BesideTcpTest::readIntoFreedMemory),
                new Case("read into memory partly freed", BesideTcpTest::readIntoMemoryPartlyFreed),
                new Case("write from freed memory", BesideTcpTest::writeFromFreedMemory),
                new Case("write from memory partly freed", BesideTcpTest::writeFromMemoryPartlyFreed),
                new Case(
                        "free the memory of a blocked read",
                        BesideTcpTest::freeTheMemoryOfABlockedRead,
                        "[freed, IllegalStateException, 3 bytes]",
                        "memory of a"),
                new Case("set a traffic class", BesideTcpTest::setATrafficClass),
                new Case("set keepalive options", BesideTcpTest::setKeepaliveOptions),
                new Case(
                        "lack options",
                        BesideTcpTest::lackOptions,
                        "[SO_INCOMING_NAPI_ID, SO_OOBINLINE, SO_REUSEPORT, TCP_QUICKACK]",
                        "`SO_REUSEPORT`"));
    }

    /** How a script ended, and when. */
    private record Outcome(String seen, Duration time) {

        static Outcome of(Script script, Transport transport) {
            long begin = System.nanoTime();
            String seen = BesideTcpTest.seen(() -> script.run(transport));
            return new Outcome(seen, Duration.ofNanos(System.nanoTime() - begin));
        }
    }

    private interface Action {
        Object run() throws Exception;
    }

    private static String seen(Action action) {
        try {
            return String.valueOf(action.run());
        } catch (Exception e) {
            return e.getClass().getSimpleName();
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    @Tag("device")
    @Tag("iwarp")
    void shouldBeLikeTcp(Case each) throws IOException {
        TCP.linked().close(); // so that no time is that of loading classes and starting the service
        Transport.RDMA.linked().close();
        Outcome tcp = Outcome.of(each.script, TCP);
        Outcome rdma = Outcome.of(each.script, Transport.RDMA);
        System.out.println(each + ": " + tcp + ", " + rdma);
        assertEquals(each.overRdma == null ? tcp.seen() : each.overRdma, rdma.seen(), () -> "over TCP " + tcp.seen());
        Duration most = tcp.time().multipliedBy(3).plus(TestDeadlines.ofSeconds(1));
        assertTrue(rdma.time().compareTo(most) <= 0, () -> rdma.time() + ", but over TCP " + tcp.time());
    }

    @Test
    @Tag("unit")
    void shouldBeDocumentedWhereItDiffers() throws IOException {
        String page = Files.readString(Path.of(System.getProperty("isthmus.home", ".."), "docs", "sockets.md"));
        String table = page.substring(page.indexOf("\n## What is different from TCP"));
        cases().stream()
                .filter(each -> each.row != null)
                .forEach(each -> assertTrue(table.contains("\n| " + each.row), each + " has no row"));
    }

    // ---- connecting

    private static Object connectTo(Transport transport, InetSocketAddress to) throws IOException {
        try (SocketChannel client = transport.open()) {
            return client.connect(to);
        }
    }

    private static Object connectWhereNobodyListens(Transport transport) throws IOException {
        InetSocketAddress free;
        try (ServerSocketChannel gone = transport.listening()) {
            free = (InetSocketAddress) gone.getLocalAddress();
        }
        return connectTo(transport, free);
    }

    private static Object connectToAnAbsentHost(Transport transport) throws IOException {
        byte[] absent = Hosts.far().getAddress();
        absent[absent.length - 1] = 77;
        return connectTo(transport, new InetSocketAddress(InetAddress.getByAddress(absent), 9));
    }

    private static Object connectWithoutARoute(Transport transport) throws IOException {
        return connectTo(transport, new InetSocketAddress("198.51.100.1", 9));
    }

    private static Object connectToPortZero(Transport transport) throws IOException {
        return connectTo(transport, new InetSocketAddress(Hosts.far(), 0));
    }

    private static Object connectToAFullBacklog(Transport transport) throws Exception {
        try (ServerSocketChannel server =
                        transport.openServer().bind(new InetSocketAddress(transport.serverAddress(), 0), 1);
                SocketChannel first = transport.open();
                SocketChannel second = transport.open();
                SocketChannel third = transport.open();
                SocketChannel fourth = transport.open()) {
            var address = (InetSocketAddress) server.getLocalAddress();
            first.connect(address);
            second.connect(address);
            String inTime = seen(() -> {
                third.socket().connect(address, 500);
                return "connected";
            });
            Running<Boolean> waiting = Running.of(() -> fourth.connect(address)).awaitBlocked();
            server.accept().close();
            server.accept().close();
            return List.of(inTime, waiting.get());
        }
    }

    private static Object connectAnIpv4ChannelToIpv6(Transport transport) throws IOException {
        SelectorProvider provider = transport.equals(Transport.RDMA) ? new RdmaSelectorProvider() : JdkProvider.get();
        try (SocketChannel client = provider.openSocketChannel(StandardProtocolFamily.INET)) {
            return client.connect(new InetSocketAddress("2001:db8::1", 9));
        }
    }

    // ---- binding

    private static Object bindWhereAnotherListens(Transport transport) throws IOException {
        try (ServerSocketChannel one = transport.listening();
                ServerSocketChannel other = transport.openServer()) {
            return other.bind(one.getLocalAddress());
        }
    }

    private static Object bindToAnotherMachine(Transport transport) throws IOException {
        try (ServerSocketChannel one = transport.openServer()) {
            return one.bind(new InetSocketAddress("198.51.100.1", 0));
        }
    }

    // ---- closing

    private static Object closeWithUnreadData(Transport transport) throws IOException {
        try (var linked = transport.linked()) {
            linked.client.write(ByteBuffer.allocate(4));
            linked.server.read(ByteBuffer.allocate(1));
            linked.server.close();
            return linked.client.read(ByteBuffer.allocate(1));
        }
    }

    private static Object closeAfterAllIsRead(Transport transport) throws IOException {
        try (var linked = transport.linked()) {
            linked.client.write(ByteBuffer.allocate(4));
            ByteBuffer into = ByteBuffer.allocate(4);
            while (into.hasRemaining()) {
                linked.server.read(into);
            }
            linked.server.write(ByteBuffer.allocate(2));
            linked.server.close();
            ByteBuffer answer = ByteBuffer.allocate(9);
            int last = 0;
            while (last >= 0) {
                last = linked.client.read(answer);
            }
            return List.of(answer.position(), last);
        }
    }

    private static Object closeBeforeAccept(Transport transport) throws IOException {
        try (ServerSocketChannel server = transport.listening()) {
            try (SocketChannel client = transport.open()) {
                client.connect(server.getLocalAddress());
                client.write(ByteBuffer.allocate(3));
            }
            try (SocketChannel accepted = server.accept()) {
                ByteBuffer into = ByteBuffer.allocate(9);
                int last = 0;
                while (last >= 0) {
                    last = accepted.read(into);
                }
                return List.of(into.position(), last);
            }
        }
    }

    private static Object writeToAClosedPeer(Transport transport) throws IOException {
        try (var linked = transport.linked()) {
            linked.server.close();
            int end = linked.client.read(ByteBuffer.allocate(1));
            try {
                while (true) { // over TCP the first one goes
                    linked.client.write(ByteBuffer.allocate(1));
                }
            } catch (IOException e) { // which class it is depends on the time, over TCP too
                return end;
            }
        }
    }

    // ---- memory

    private static ByteBuffer freed() {
        try (Arena arena = Arena.ofShared()) {
            return arena.allocate(8).asByteBuffer();
        }
    }

    private static Object readIntoFreedMemory(Transport transport) throws IOException {
        try (var linked = transport.linked()) {
            return linked.client.read(freed());
        }
    }

    private static Object readIntoMemoryPartlyFreed(Transport transport) throws IOException {
        try (var linked = transport.linked()) {
            linked.client.write(ByteBuffer.wrap(new byte[] {1, 2, 3, 4}));
            ByteBuffer alive = ByteBuffer.allocate(2);
            String refused = seen(() -> linked.server.read(new ByteBuffer[] {alive, freed()}));
            int before = alive.position();
            ByteBuffer all = ByteBuffer.allocate(4);
            while (all.hasRemaining()) {
                linked.server.read(all);
            }
            return List.of(refused, before, Arrays.toString(all.array()));
        }
    }

    private static Object writeFromFreedMemory(Transport transport) throws IOException {
        try (var linked = transport.linked()) {
            return linked.client.write(freed());
        }
    }

    private static Object writeFromMemoryPartlyFreed(Transport transport) throws IOException {
        try (var linked = transport.linked()) {
            ByteBuffer alive = ByteBuffer.wrap(new byte[] {1, 2});
            String refused = seen(() -> linked.client.write(new ByteBuffer[] {alive, freed()}));
            linked.client.write(ByteBuffer.wrap(new byte[] {3}));
            ByteBuffer into = ByteBuffer.allocate(4);
            linked.server.read(into);
            return List.of(refused, alive.position(), Arrays.toString(into.array()));
        }
    }

    private static Object freeTheMemoryOfABlockedRead(Transport transport) throws Exception {
        try (var linked = transport.linked()) {
            Arena arena = Arena.ofShared();
            ByteBuffer into = arena.allocate(8).asByteBuffer();
            Running<String> reading =
                    Running.of(() -> seen(() -> linked.server.read(into))).awaitBlocked();
            String freed = seen(() -> {
                arena.close();
                return "freed";
            });
            linked.client.write(ByteBuffer.allocate(3));
            String read = reading.get();
            if (!freed.equals("freed")) {
                arena.close();
                return List.of(freed, read);
            }
            return List.of(freed, read, linked.server.read(ByteBuffer.allocate(8)) + " bytes");
        }
    }

    // ---- options

    private static Object setATrafficClass(Transport transport) throws IOException {
        try (SocketChannel client = transport.open()) {
            client.socket().setTrafficClass(0x28);
            return List.of(client.socket().getTrafficClass(), client.getOption(StandardSocketOptions.IP_TOS));
        }
    }

    private static Object setKeepaliveOptions(Transport transport) throws IOException {
        try (SocketChannel client = transport.open()) {
            client.setOption(StandardSocketOptions.SO_KEEPALIVE, true)
                    .setOption(ExtendedSocketOptions.TCP_KEEPIDLE, 60)
                    .setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, 5)
                    .setOption(ExtendedSocketOptions.TCP_KEEPCOUNT, 3);
            return List.of(
                    client.getOption(ExtendedSocketOptions.TCP_KEEPIDLE),
                    client.getOption(ExtendedSocketOptions.TCP_KEEPINTERVAL),
                    client.getOption(ExtendedSocketOptions.TCP_KEEPCOUNT));
        }
    }

    /** The options of TCP that a channel does not have. */
    private static Object lackOptions(Transport transport) throws IOException {
        Set<String> lacking = new TreeSet<>();
        try (SocketChannel tcp = SocketChannel.open();
                SocketChannel client = transport.open()) {
            tcp.supportedOptions().stream()
                    .filter(option -> !client.supportedOptions().contains(option))
                    .forEach(option -> lacking.add(option.name()));
        }
        return lacking;
    }
}
