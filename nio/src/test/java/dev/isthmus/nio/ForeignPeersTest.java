// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.nio.Conversation.Pipe;
import dev.isthmus.testbed.ChildProgram;
import dev.isthmus.testbed.LogListener;
import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Programs that know only plain sockets, in C and on an unmodified JDK, under librspreload.so. */
@Tag("device")
@Tag("iwarp")
@Timeout(TestDeadlines.LONGEST_TEST_SECONDS)
class ForeignPeersTest {

    private static final int ATTEMPTS = 3;
    private static final long SOME = 1 << 20;
    private static final long ROUND = 8; // a chunk is a number of words

    /** 1 GiB takes minutes in an emulated guest: {@code -Disthmus.test.bytes=1073741824}. */
    private static final long MANY = Long.getLong("isthmus.test.bytes", 32 << 20);

    /** Does one half of a conversation; returns what it would print. */
    private static List<String> hold(SocketChannel channel, String job, long bytes) throws IOException {
        List<String> lines = Collections.synchronizedList(new ArrayList<>());
        new Conversation(Pipe.of(channel), bytes, lines::add).hold(job);
        channel.close();
        return lines;
    }

    /** What one has sent, the other has received. */
    private static void assertSame(List<String> ours, ChildProgram peer, long bytes) throws InterruptedException {
        List<String> theirs = peer.ended(TestDeadlines.ofSeconds(300));
        assertEquals(bytes, Long.parseLong(of(ours, "sent ").split(" ", 2)[0]));
        assertEquals(of(ours, "sent "), of(theirs, "received "));
        assertEquals(of(theirs, "sent "), of(ours, "received "));
        assertEquals("closed", theirs.getLast());
    }

    private static String of(List<String> lines, String start) {
        return lines.stream()
                .filter(line -> line.startsWith(start))
                .map(line -> line.substring(start.length()))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no \"" + start + "\" in " + lines));
    }

    private static void connectTo(Peer kind, String theirs, String ours, long bytes) throws Exception {
        Peer.untilConnected(() -> connectOnceTo(kind, theirs, ours, bytes));
    }

    private static void connectOnceTo(Peer kind, String theirs, String ours, long bytes) throws Exception {
        var at = Peer.free();
        try (ChildProgram peer = kind.listening(at, theirs, bytes);
                SocketChannel channel = RdmaSocketChannel.open(at)) {
            assertSame(hold(channel, ours, bytes), peer, bytes);
        }
    }

    private static void accept(Peer kind, String theirs, String ours, long bytes) throws Exception {
        Peer.untilConnected(() -> acceptOnce(kind, theirs, ours, bytes));
    }

    private static void acceptOnce(Peer kind, String theirs, String ours, long bytes) throws Exception {
        var at = Peer.free();
        try (RdmaServerSocketChannel server = RdmaServerSocketChannel.open().bind(at, 0);
                ChildProgram peer = kind.connecting(at, theirs, bytes);
                SocketChannel channel = Peer.accept(server, peer)) {
            assertSame(hold(channel, ours, bytes), peer, bytes);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "RDMA")
    void shouldExchangeBothWaysAtOnceWithOneThatListens(Peer kind) throws Exception {
        connectTo(kind, "duplex", "duplex", SOME - ROUND);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "RDMA")
    void shouldExchangeBothWaysAtOnceWithOneThatConnects(Peer kind) throws Exception {
        accept(kind, "duplex", "duplex", SOME - ROUND);
    }

    @Test
    void shouldReadOnAfterItHasClosedItsHalf() throws Exception {
        connectTo(Peer.C, "answer", "ask", SOME);
        accept(Peer.C, "answer", "ask", SOME);
    }

    @Test
    void shouldWriteOnAfterThePeerHasClosedItsHalf() throws Exception {
        connectTo(Peer.C, "ask", "answer", SOME);
        accept(Peer.C, "ask", "answer", SOME);
    }

    @Test
    @Tag("extended")
    void shouldHoldManyBytesInEachDirection() throws Exception {
        long begin = System.nanoTime();
        connectTo(Peer.C, "duplex", "duplex", MANY);
        System.out.println(MANY + " bytes each way, with C: " + millisSince(begin) + " ms");
    }

    private static long millisSince(long begin) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
    }

    @Test
    void shouldTakeKeepalivesFromThePeer() throws Exception {
        Peer.untilConnected(ForeignPeersTest::takeKeepalives);
    }

    private static void takeKeepalives() throws Exception {
        var at = Peer.free();
        try (RdmaServerSocketChannel server = RdmaServerSocketChannel.open().bind(at, 0);
                ChildProgram peer = Peer.C.connecting(at, "keepalive", 0);
                SocketChannel channel = Peer.accept(server, peer)) {
            ByteBuffer into = ByteBuffer.allocate(10);
            while (into.position() < 3) {
                assertTrue(channel.read(into) > 0);
            }
            assertEquals(-1, channel.read(into));
            assertEquals("kkk", new String(into.array(), 0, 3, US_ASCII));
            peer.ended();
        }
    }

    /** rsocket then grants room after its disconnect message, which is no reason for a reset. */
    @Test
    void shouldSeeTheEndWhenThePeerClosesAsSoonAsItHasReadHalfOfItsRing() throws Exception {
        Peer.untilConnected(ForeignPeersTest::seeTheEndOfAHastyPeer);
    }

    private static void seeTheEndOfAHastyPeer() throws Exception {
        var at = Peer.free();
        try (var log = new LogListener("dev.isthmus.nio", Level.WARNING);
                ChildProgram peer = Peer.C.listening(at, "gulp", 1 << 16);
                SocketChannel channel = RdmaSocketChannel.open(at)) {
            channel.write(ByteBuffer.allocate(1 << 16));
            assertEquals(-1, channel.read(ByteBuffer.allocate(1)));
            peer.ended();
            assertEquals(List.of(), log.messages());
        }
    }

    /** As a peer of riostream, which asks for a region before it says anything. */
    private static void assertNoRegions(ChildProgram riostream, SocketChannel channel) throws Exception {
        assertEquals(-1, channel.read(ByteBuffer.allocate(16)));
        assertEquals("riomap: Cannot allocate memory", riostream.ended().getLast());
    }

    private static ChildProgram riostream(InetSocketAddress at, String role) {
        return new ChildProgram(
                "sh",
                "-c",
                "stdbuf -oL riostream " + role + " " + at.getAddress().getHostAddress() + " -p " + at.getPort()
                        + " -f ip -T b -I 1 -C 1 -S 64 || true");
    }

    /** By default, as in C: C's riomap then finds no place for a region at the peer, and its socket stays usable. */
    @Test
    void shouldHaveNoPlaceForRegionsOfThePeerUnlessAskedTo() throws Exception {
        Peer.untilConnected(ForeignPeersTest::haveNoPlaceForRegionsOfTheClient);
        Peer.untilConnected(ForeignPeersTest::haveNoPlaceForRegionsOfTheServer);
    }

    private static void haveNoPlaceForRegionsOfTheClient() throws Exception {
        var at = Peer.free();
        try (RdmaServerSocketChannel server = RdmaServerSocketChannel.open().bind(at, 0);
                ChildProgram client = riostream(at, "-s");
                SocketChannel channel = Peer.accept(server, client)) {
            assertNoRegions(client, channel);
        }
    }

    private static void haveNoPlaceForRegionsOfTheServer() throws Exception {
        var at = Peer.free();
        try (ChildProgram server = riostream(at, "-b")) {
            server.await("name");
            try (SocketChannel channel = RdmaSocketChannel.open(at)) {
                assertNoRegions(server, channel);
            }
        }
    }

    /**
     * Data and acknowledgements in both directions: each side is bound to the address of its own device. On a
     * machine that stays busy, a device may run out of retries and end the connection; then there is another one, at
     * most twice.
     */
    @Test
    void shouldLoseNothingOnALinkThatLoses() throws Exception {
        List<String> links = List.of(nameOf(Hosts.near()), nameOf(Hosts.far()));
        for (String link : links) {
            run("tc", "qdisc", "add", "dev", link, "root", "netem", "loss", "2%");
        }
        try {
            for (int attempt = 1; !isHeld(attempt == ATTEMPTS); attempt++) {
                System.out.println("again");
            }
            for (String link : links) {
                List<String> counted = run("tc", "-s", "qdisc", "show", "dev", link);
                System.out.println(link + ": " + counted);
                assertTrue(droppedOf(counted) > 0, () -> link + ": " + counted);
            }
        } finally {
            for (String link : links) {
                run("tc", "qdisc", "del", "dev", link, "root");
            }
        }
    }

    private static boolean isHeld(boolean last) throws Exception {
        var at = Peer.free();
        long begin = System.nanoTime();
        try (RdmaServerSocketChannel server = RdmaServerSocketChannel.open().bind(at, 0);
                ChildProgram peer = Peer.connecting(Hosts.near(), at, "duplex", SOME);
                SocketChannel channel = Peer.accept(server, peer)) {
            assertSame(hold(channel, "duplex", SOME), peer, SOME);
        } catch (SocketException e) {
            if (last) {
                throw e;
            }
            System.out.println("at 2 % loss, after " + millisSince(begin) + " ms: " + e.getMessage());
            return false;
        }
        System.out.println(SOME + " bytes each way, with C, at 2 % loss: " + millisSince(begin) + " ms");
        return true;
    }

    private static long droppedOf(List<String> counted) {
        return counted.stream()
                .map(Pattern.compile("\\(dropped (\\d+),")::matcher)
                .filter(Matcher::find)
                .mapToLong(dropped -> Long.parseLong(dropped.group(1)))
                .findFirst()
                .orElseThrow(() -> new AssertionError(counted));
    }

    static String nameOf(InetAddress address) throws IOException {
        return NetworkInterface.getByInetAddress(address).getName();
    }

    private static List<String> run(String... command) throws InterruptedException {
        try (var program = new ChildProgram(command)) {
            return program.ended();
        }
    }
}
