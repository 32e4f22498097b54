// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A peer that breaks the rules loses its connection, and nobody else loses anything. */
@Tag("ucx")
@Tag("host")
class HostilePeerTest {

    private static final byte[] SECRET = {1};
    private static final BlockKey BLOCK = new BlockKey(0, 0, 0, 1);

    @TempDir
    private Path folder;

    private final BlockingQueue<String> logged = new LinkedBlockingQueue<>();
    private TestBlocks blocks;
    private Transport transport;
    private HostilePeer hostile;

    @BeforeEach
    void start() throws Exception {
        blocks = new TestBlocks(folder, new long[] {5, 600_000});
        transport = startTransport();
        hostile = new HostilePeer(SECRET);
    }

    private static Settings settings() {
        return Settings.defaults()
                .withUcx(Map.of("TLS", "tcp,self"))
                .withTimes(TestDeadlines.ofSeconds(20), TestDeadlines.ofSeconds(20));
    }

    private Transport startTransport() {
        return startTransport(settings());
    }

    private Transport startTransport(Settings settings) {
        return startTransport(settings, blocks);
    }

    private Transport startTransport(Settings settings, BlockSource source) {
        return Transport.start(settings, SECRET, source, (text, e) -> logged.add(text + (e == null ? "" : ": " + e)));
    }

    @AfterEach
    void close() {
        transport.close();
        assertEquals(0, transport.slicesOut());
        hostile.close();
    }

    private void awaitLog(String part) throws InterruptedException {
        String line = "";
        while (!line.contains(part)) {
            line = logged.poll(TestDeadlines.seconds(20), TimeUnit.SECONDS);
            assertTrue(line != null, "nothing was logged of: " + part);
        }
    }

    private void assertServesOthers() throws Exception {
        try (var other = startTransport()) {
            Fetched fetched = Fetched.of(other, transport.node(), blocks.all()).await();
            assertArrayEquals(blocks.expected(blocks.all().get(1)), fetched.received.get(1));
        }
    }

    /** It knows the address, but not the secret of messages; those who do are served. */
    @Test
    void shouldDropWhatIsNotSealed() throws Exception {
        try (var sealing = startTransport(settings().withSealing());
                var client = startTransport(settings().withSealing())) {
            hostile.connect(sealing.node());
            hostile.send(hello(1));
            awaitLog("a message is dropped: a message that was not sealed for this process");
            Fetched fetched = Fetched.of(client, sealing.node(), blocks.all()).await();
            assertArrayEquals(blocks.expected(blocks.all().get(0)), fetched.received.get(0));
            assertArrayEquals(blocks.expected(blocks.all().get(1)), fetched.received.get(1));
        }
    }

    private void sayHello() throws InterruptedException {
        hostile.connect(transport.node());
        sayHello(1);
    }

    private void sayHello(long number) throws InterruptedException {
        hostile.send(hello(number));
        hostile.next(PeerMessage.Welcome.class);
    }

    private PeerMessage.Hello hello(long number) {
        return new PeerMessage.Hello(
                transport.context().settings().sliceBytes(),
                number,
                hostile.node().address());
    }

    private void assertServesHostile() throws Exception {
        hostile.send(new PeerMessage.Fetch(7, 1 << 20, List.of(BLOCK)));
        assertEquals(7, hostile.next(PeerMessage.Data.class).call());
    }

    /** Sends something invalid, and waits until that has ended the connection. */
    private void endConnection() throws InterruptedException {
        hostile.send(new PeerMessage.Release(1));
        awaitLog("has ended: the release of a slice that it does not have");
    }

    @Test
    void shouldServeAgainWhoConnectsAnew() throws Exception {
        sayHello();
        endConnection();
        sayHello(2);
        assertServesHostile();
        sayHello(3); // it has lost the connection, and this process has not noticed
        assertServesHostile();
        sayHello(3); // it wants to know whether this process is there
        assertServesHostile();
    }

    @Test
    void shouldIgnoreWhatComesLateFromAnEarlierConnection() throws Exception {
        sayHello();
        ByteBuffer late = hostile.written(new PeerMessage.Release(1));
        sayHello(2);
        hostile.send(late);
        hostile.send(hello(1));
        assertServesHostile();
    }

    /** Over shared memory nothing else tells it. */
    @Test
    void shouldNotifyPeerThatMissedTheEndOfItsConnection() throws Exception {
        sayHello();
        endConnection();
        hostile.send(new PeerMessage.Fetch(1, 1 << 20, List.of(BLOCK)));
        hostile.send(new PeerMessage.Welcome(
                transport.context().settings().sliceBytes(),
                2 + hostile.next(PeerMessage.Hello.class).number()));
        assertServesHostile();
    }

    @Test
    void shouldIgnoreHelloOfAnEarlierConnectionWhileItConnectsAnew() throws Exception {
        sayHello();
        endConnection();
        hostile.send(new PeerMessage.Fetch(1, 1 << 20, List.of(BLOCK)));
        long number = hostile.next(PeerMessage.Hello.class).number();
        hostile.send(hello(1)); // late: it had asked whether this process is there
        hostile.send(new PeerMessage.Welcome(transport.context().settings().sliceBytes(), 2));
        assertEquals(2, number);
        assertServesHostile();
    }

    @Test
    void shouldNotTakeHelloWithAddressOfAnother() throws Exception {
        sayHello();
        var other = Node.of(1, hostile.node().open(SECRET), SECRET);
        hostile.send(new PeerMessage.Hello(transport.context().settings().sliceBytes(), 2, other.address()));
        awaitLog("a hello is dropped");
        assertServesHostile();
    }

    @Test
    void shouldLimitHowOftenOneConnects() throws Exception {
        sayHello();
        for (long number = 2; number <= 10; number++) {
            endConnection();
            sayHello(number);
        }
        endConnection();
        hostile.send(hello(11));
        awaitLog("connects too often");
        assertServesOthers();
    }

    @Test
    @Tag("extended")
    void shouldForgetConnectionsThatEndedLongAgo() throws Exception {
        hostile.connect(transport.node());
        for (int i = 1; i <= Peers.MAX_GONE + 100; i++) {
            Node node = hostile.node(i);
            hostile.send(HostilePeer.write(
                    new PeerMessage.Hello(transport.context().settings().sliceBytes(), 1, node.address()), i, 0));
            hostile.next(PeerMessage.Welcome.class);
            hostile.send(HostilePeer.write(new PeerMessage.Release(1), i, i));
            awaitLog("has ended: the release of a slice that it does not have");
        }
        assertServesOthers();
        assertTrue(
                transport.peers().size() <= Peers.MAX_GONE + 2,
                () -> transport.peers().size() + " connections are remembered");
    }

    @Test
    void shouldDropWhatIsNoMessageOrOfNobody() throws Exception {
        hostile.connect(transport.node());
        hostile.send(ByteBuffer.wrap(new byte[] {1, 2, 3}));
        awaitLog("3 bytes are not a message");
        hostile.send(ByteBuffer.allocate(PeerMessage.MAX_BYTES + 1));
        awaitLog("it is too long");
        hostile.send(new PeerMessage.Fetch(1, 1 << 20, List.of(BLOCK)));
        awaitLog("a peer that has not said hello");
        hostile.send(new PeerMessage.Hello(transport.context().settings().sliceBytes(), 1, "no address"));
        awaitLog("is dropped");
        var other = Node.of(1, hostile.node().open(SECRET), new byte[] {2});
        hostile.send(new PeerMessage.Hello(transport.context().settings().sliceBytes(), 1, other.address()));
        awaitLog("is dropped");
        assertEquals(0, transport.figures().peersConnected.sum());
        assertServesOthers();
    }

    @Test
    void shouldNotReleaseWhatIsNotOut() throws Exception {
        sayHello();
        hostile.send(new PeerMessage.Release(1L << 32 | 1));
        awaitLog("has ended: the release of a slice that it does not have");
        assertServesOthers();
    }

    /** What it was sent and never released is free when its connection has ended. */
    @Test
    void shouldFreeSlicesOfWhoEnds() throws Exception {
        sayHello();
        hostile.send(new PeerMessage.Fetch(1, 1 << 20, List.of(new BlockKey(0, 0, 1, 2))));
        for (int part = 0; part < 3; part++) {
            assertEquals(600_000, hostile.next(PeerMessage.Slice.class).blockBytes());
        }
        assertEquals(3, transport.slicesOut());
        hostile.send(new PeerMessage.Release(1));
        awaitLog("has ended");
        assertServesOthers();
    }

    @Test
    void shouldNotTakeWhoseSlicesHaveAnotherLength() throws Exception {
        sayHello();
        hostile.send(new PeerMessage.Welcome(1, 1));
        awaitLog("set the same size everywhere");
        assertServesOthers();
    }

    @Test
    void shouldTakeAddressOnlyForTheNumberItIsOf() throws Exception {
        hostile.connect(transport.node());
        var hello = new PeerMessage.Hello(
                transport.context().settings().sliceBytes(), 1, hostile.node().address());
        hostile.send(HostilePeer.write(hello, HostilePeer.NUMBER + 1, 0));
        awaitLog("is dropped");
        assertEquals(0, transport.figures().peersConnected.sum());
        hostile.send(hello);
        hostile.next(PeerMessage.Welcome.class);
        assertServesOthers();
    }

    @Test
    void shouldEndConnectionThatAsksForTooManyBlocks() throws Exception {
        var silence = new CountDownLatch(1);
        BlockSource slow = block -> {
            try {
                silence.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            return null;
        };
        try (var server =
                Transport.start(transport.context().settings(), SECRET, slow, (text, e) -> logged.add(text))) {
            try {
                hostile.connect(server.node());
                hostile.send(new PeerMessage.Hello(
                        server.context().settings().sliceBytes(),
                        1,
                        hostile.node().address()));
                hostile.next(PeerMessage.Welcome.class);
                var most = Collections.nCopies(PeerMessage.MAX_BLOCKS, BLOCK);
                for (long call = 0; call <= Serving.MAX_BLOCKS / PeerMessage.MAX_BLOCKS; call++) {
                    hostile.send(new PeerMessage.Fetch(call, 1 << 20, most));
                }
                awaitLog("has ended: more than " + Serving.MAX_BLOCKS);
            } finally {
                silence.countDown(); // before the close, which waits for readers
            }
        }
    }

    /**
     * It serves, and answers wrongly, so that blocks are fetched elsewhere at once. The time limit alone would make
     * them fail later.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "place",
                "twice",
                "part",
                "block",
                "again",
                "range",
                "length",
                "long",
                "use",
                "use of less",
                "end"
            })
    void shouldRefuseCallWhoseAnswerMakesNoSense(String what) throws Exception {
        var fetched = new Fetched(2);
        transport.fetch(hostile.node(), List.of(BLOCK, new BlockKey(0, 0, 1, 2)), fetched);
        long call = takeCall();
        var piece = new PeerMessage.Piece(what.equals("place") ? 2 : 0, ByteBuffer.allocate(3));
        int slice = transport.context().settings().sliceBytes();
        switch (what) {
            case "place" -> hostile.send(new PeerMessage.Data(call, List.of(piece)));
            case "twice" -> hostile.send(new PeerMessage.Data(call, List.of(piece, piece)));
            case "part" -> hostile.send(hostile.slice(call, 1, 100_000, 1, 1, 0));
            case "block" -> hostile.send(hostile.slice(call, 5, 100_000, 0, 1, 0));
            case "again" -> {
                hostile.send(hostile.slice(call, 1, 2L * slice, 0, 1, 0));
                hostile.next(PeerMessage.Release.class);
                hostile.send(hostile.slice(call, 1, 2L * slice, 0, 1, 0));
            }
            case "long" ->
                hostile.send(
                        hostile.slice(call, 1, transport.context().settings().blockBytes() + 1, 0, 1, 0));
            case "length" -> hostile.send(hostile.slice(call, 1, Long.MAX_VALUE, 0, 1, 0));
            case "use" -> hostile.send(hostile.slice(call, 1, 2L * slice, 0, 1, 0, 1));
            case "use of less" -> hostile.send(hostile.slice(call, 1, 100_000, 0, 1, 0, 1));
            case "end" -> hostile.send(hostile.slice(call, 1, 2L * slice, 0, 1, 1)); // no room for the number
            default -> hostile.send(hostile.slice(call, 1, 2L * slice, 0, 1, slice));
        }
        fetched.await();
        assertTrue(fetched.refused.containsKey(1), "told " + fetched.received + fetched.failed);
        assertEquals(what.equals("twice") ? Set.of(0) : Set.of(), fetched.received.keySet());
        assertServesOthers();
    }

    /** Begins a fetch of blocks from the hostile peer; returns the number of the call. */
    private long fetchFromHostile(Fetched fetched, int blockCount) throws InterruptedException {
        transport.fetch(hostile.node(), Collections.nCopies(blockCount, BLOCK), fetched);
        return takeCall();
    }

    /** Connects as the peer from which blocks are fetched; returns the number of the call. */
    private long takeCall() throws InterruptedException {
        hostile.connect(transport.node());
        hostile.next(PeerMessage.Hello.class);
        hostile.send(new PeerMessage.Welcome(transport.context().settings().sliceBytes(), 1));
        return hostile.next(PeerMessage.Fetch.class).call();
    }

    /** The disk here was full, and then the peer reports that it cannot read the rest of the block, either. */
    @Test
    void shouldTakeFailureOfBlockThatHasFailedHere() throws Exception {
        var full = new BlockSink() {
            @Override
            public void write(ByteBuffer part) throws IOException {
                throw new IOException("no space left");
            }

            @Override
            public void complete() {
                throw new AssertionError("it is not complete");
            }

            @Override
            public void discard() {}
        };
        var fetched = new Fetched(2);
        transport.fetch(hostile.node(), List.of(BLOCK, new BlockKey(0, 0, 1, 2)), fetched, _ -> full);
        long call = takeCall();
        hostile.send(hostile.slice(call, 1, 2L * transport.context().settings().sliceBytes(), 0, 1, 0));
        hostile.next(PeerMessage.Release.class);
        hostile.send(new PeerMessage.Failed(call, 1, false, "nor can it be read"));
        hostile.send(new PeerMessage.Data(call, List.of(new PeerMessage.Piece(0, ByteBuffer.allocate(3)))));
        fetched.await();
        assertEquals(Set.of(0), fetched.received.keySet());
        assertEquals(Set.of(1), fetched.failed.keySet());
        assertServesOthers();
    }

    /** It cancels a request that waits for memory, and the next one has only failures, which can be sent at once. */
    @Test
    void shouldTellOfEachFailureOnce() throws Exception {
        Path[] pipes = {folder.resolve("pipe0"), folder.resolve("pipe1")};
        for (Path pipe : pipes) {
            assertEquals(
                    0,
                    new ProcessBuilder("mkfifo", pipe.toString())
                            .inheritIO()
                            .start()
                            .waitFor());
        }
        int length = settings().inlineBytes();
        Path file = Files.write(folder.resolve("file"), new byte[length]);
        BlockSource source = block -> {
            if (block.map() > 0) {
                throw new IOException("there is none");
            }
            return new BlockSource.Range(block.first() < 2 ? pipes[block.first()] : file, 0, length);
        };
        Settings usual = settings();
        var server = startTransport(
                new Settings(
                        usual.sliceBytes(),
                        usual.servingBytes(),
                        usual.receivingBytes(),
                        usual.unpooledBytes(),
                        usual.blockBytes(),
                        3L * PeerMessage.MAX_BYTES, // while one message is written, there is no room for another with
                        // blocks
                        usual.credits(),
                        usual.inlineBytes(),
                        2,
                        usual.patience(),
                        usual.connecting(),
                        false,
                        usual.ucx()),
                source);
        try {
            hostile.connect(server.node());
            hostile.send(
                    new PeerMessage.Hello(usual.sliceBytes(), 1, hostile.node().address()));
            hostile.next(PeerMessage.Welcome.class);
            hostile.send(new PeerMessage.Fetch(
                    1,
                    1 << 20,
                    IntStream.range(0, 8)
                            .mapToObj(i -> new BlockKey(0, 0, i, i + 1))
                            .toList()));
            Files.newOutputStream(pipes[0]).close(); // once the server has opened it, which then waits for the next one
            hostile.send(new PeerMessage.Cancel(1));
            hostile.send(new PeerMessage.Fetch(2, 1 << 20, Collections.nCopies(3, new BlockKey(0, 1, 0, 1))));
            for (int i = 0; i < 3; i++) {
                var failed = hostile.next(PeerMessage.Failed.class);
                assertEquals(2, failed.call());
                assertEquals(i, failed.index());
            }
        } finally {
            try (var _ = FileChannel.open(pipes[1], StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                server.close(); // it waits for its readers
            }
        }
    }

    @Test
    void shouldEndWhoSendsMorePartsThanItHasCredits() throws Exception {
        int slice = transport.context().settings().sliceBytes();
        var fetched = new Fetched(1);
        long call = fetchFromHostile(fetched, 1);
        hostile.sendAll(IntStream.rangeClosed(0, transport.context().settings().credits())
                .mapToObj(part -> hostile.slice(call, 0, 100L * slice, part, part + 1, 0))
                .toList());
        awaitLog("has ended: more than " + transport.context().settings().credits() + " parts at a time");
        fetched.await();
        assertEquals(Set.of(0), fetched.refused.keySet());
        assertServesOthers();
    }

    /** It claims that blocks are long: no more memory is taken for them than the settings allow. */
    @Test
    void shouldRefuseBlocksThatFindNoMemory() throws Exception {
        Settings usual = settings();
        transport.close();
        transport = startTransport(new Settings(
                usual.sliceBytes(),
                usual.servingBytes(),
                usual.sliceBytes(), // no room for two slices
                2_000_000,
                1_000_000,
                usual.messageBytes(),
                usual.credits(),
                usual.inlineBytes(),
                usual.readers(),
                usual.patience(),
                usual.connecting(),
                false,
                usual.ucx()));
        var fetched = new Fetched(3);
        long call = fetchFromHostile(fetched, 3);
        for (int i = 0; i < 3; i++) {
            hostile.send(hostile.slice(call, i, 900_000, 0, i + 1, 0));
            hostile.next(PeerMessage.Release.class);
        }
        assertEquals(1_800_000, transport.unpooledBytes());
        hostile.send(new PeerMessage.Failed(call, 0, true, "enough"));
        hostile.send(new PeerMessage.Failed(call, 1, true, "enough"));
        fetched.await();
        assertEquals(Set.of(0, 1, 2), fetched.refused.keySet());
        assertTrue(fetched.refused.get(2).contains("there is no memory"), fetched.refused::toString);
        assertEquals(0, transport.unpooledBytes());
        assertServesOthers();
    }

    /** A peer that asks before it has said who it is, or does not answer a greeting. */
    @Test
    void shouldEndConnectionThatAsksBeforeItIsEstablished() throws Exception {
        var fetched = new Fetched(1);
        transport.fetch(hostile.node(), List.of(BLOCK), fetched);
        hostile.connect(transport.node());
        hostile.next(PeerMessage.Hello.class);
        hostile.send(new PeerMessage.Fetch(1, 1 << 20, List.of(BLOCK)));
        awaitLog("has ended: a request before the connection is established");
        fetched.await();
        assertEquals(Set.of(0), fetched.refused.keySet());
        assertServesOthers();
    }

    /** UCX listens for its own connections; data from anything else is dropped. */
    @Test
    void shouldIgnoreGarbageAtItsPort() throws Exception {
        Set<InetSocketAddress> before = ListeningPorts.ofThisProcess();
        try (var server = startTransport()) {
            Set<InetSocketAddress> ports = ListeningPorts.ofThisProcess();
            ports.removeAll(before);
            assertFalse(ports.isEmpty(), "UCX listens nowhere");
            var random = new Random(1);
            for (InetSocketAddress port : ports) {
                for (int length : new int[] {0, 1, 7, 8, 9, 100, 4096, 100_000}) {
                    byte[] garbage = new byte[length];
                    random.nextBytes(garbage);
                    sendGarbage(port, garbage);
                }
                sendGarbage(port, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            }
            InetSocketAddress any = ports.iterator().next();
            try (var open = new Socket(any.getAddress(), any.getPort())) {
                open.getOutputStream().write(new byte[] {1, 2, 3}); // and no more, while others connect
                try (var other = startTransport()) {
                    Fetched fetched =
                            Fetched.of(other, server.node(), blocks.all()).await();
                    assertEquals(Set.of(0, 1), fetched.received.keySet());
                }
            }
            assertEquals(1, server.figures().peersConnected.sum());
        }
    }

    /** Ends when the other side has closed, or has taken everything. */
    private static void sendGarbage(InetSocketAddress port, byte[] garbage) throws IOException {
        try (var socket = new Socket(port.getAddress(), port.getPort())) {
            socket.setSoTimeout((int) TestDeadlines.ofSeconds(60).toMillis());
            try {
                socket.getOutputStream().write(garbage);
                socket.shutdownOutput();
                while (socket.getInputStream().read() >= 0) {
                    // what UCX answers
                }
            } catch (SocketException e) {
                // closed before it was read: that is what is expected
            }
        }
    }

    @Test
    void shouldRefuseAddressThatIsNone() throws Exception {
        byte[] garbage = new byte[200];
        new Random(1).nextBytes(garbage);
        for (String address : List.of("", "no Base64", Base64.getEncoder().encodeToString(garbage))) {
            Fetched fetched =
                    Fetched.of(transport, new Node(5, address), List.of(BLOCK)).await();
            assertEquals(Set.of(0), fetched.refused.keySet());
        }
        assertServesOthers();
    }
}
