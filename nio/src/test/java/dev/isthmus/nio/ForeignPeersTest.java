package dev.isthmus.nio;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isthmus.nio.Conversation.Pipe;
import dev.isthmus.testbed.ChildProgram;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Programs that know of plain sockets only, in C and on an unmodified JDK, under librspreload.so. */
@Tag("device")
@Tag("iwarp")
@Timeout(600)
class ForeignPeersTest {

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
        List<String> theirs = peer.ended(Duration.ofMinutes(5));
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
        var at = Peer.free();
        try (ChildProgram peer = kind.listening(at, theirs, bytes);
                SocketChannel channel = RdmaSocketChannel.open(at)) {
            assertSame(hold(channel, ours, bytes), peer, bytes);
        }
    }

    private static void accept(Peer kind, String theirs, String ours, long bytes) throws Exception {
        var at = Peer.free();
        try (RdmaServerSocketChannel server = RdmaServerSocketChannel.open().bind(at, 0);
                ChildProgram peer = kind.connecting(at, theirs, bytes);
                SocketChannel channel = server.accept()) {
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
        var at = Peer.free();
        try (RdmaServerSocketChannel server = RdmaServerSocketChannel.open().bind(at, 0);
                ChildProgram peer = Peer.C.connecting(at, "keepalive", 0);
                SocketChannel channel = server.accept()) {
            ByteBuffer into = ByteBuffer.allocate(10);
            for (int i = 0; i < 3; i++) {
                assertEquals(1, channel.read(into));
            }
            assertEquals(-1, channel.read(into));
            assertEquals("kkk", new String(into.array(), 0, 3, US_ASCII));
            peer.ended();
        }
    }

    /** rsocket then grants room behind its goodbye, which is no reason for a reset. */
    @Test
    void shouldSeeTheEndWhenThePeerClosesAsSoonAsItHasReadHalfOfItsRing() throws Exception {
        List<LogRecord> warnings = Collections.synchronizedList(new ArrayList<>());
        var handler = new Handler() {
            @Override
            public void publish(LogRecord entry) {
                if (entry.getLevel().intValue() >= Level.WARNING.intValue()) {
                    warnings.add(entry);
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger log = Logger.getLogger("dev.isthmus.nio");
        log.addHandler(handler);
        var at = Peer.free();
        try (ChildProgram peer = Peer.C.listening(at, "gulp", 1 << 16);
                SocketChannel channel = RdmaSocketChannel.open(at)) {
            channel.write(ByteBuffer.allocate(1 << 16));
            assertEquals(-1, channel.read(ByteBuffer.allocate(1)));
            peer.ended();
        } finally {
            log.removeHandler(handler);
        }
        assertEquals(List.of(), warnings.stream().map(LogRecord::getMessage).toList());
    }

    /** Of what crosses the link from the first device, and of acknowledgements for what comes to it. */
    @Test
    void shouldLoseNothingOnALinkThatLoses() throws Exception {
        String link = nameOf(Hosts.near());
        run("tc", "qdisc", "add", "dev", link, "root", "netem", "loss", "2%");
        try {
            long begin = System.nanoTime();
            accept(Peer.C, "duplex", "duplex", SOME);
            System.out.println(SOME + " bytes each way, with C, at 2 % loss: " + millisSince(begin) + " ms");
        } finally {
            run("tc", "qdisc", "del", "dev", link, "root");
        }
    }

    private static String nameOf(InetAddress address) throws IOException {
        return NetworkInterface.getByInetAddress(address).getName();
    }

    private static void run(String... command) throws InterruptedException {
        try (var program = new ChildProgram(command)) {
            program.ended();
        }
    }
}
