// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Blocks by RDMA READ out of mapped files, between two devices. */
@Tag("device")
class VerbsTransportTest {

    private static final byte[] SECRET = {3};
    private static final int SLICE = 64 << 10;

    /** With {@code --with executors=64} there are more. */
    private static final int EXECUTORS = Integer.getInteger("isthmus.test.executors", 8);

    /** With {@code --with together=64} so many fetch at a time, and emulated devices cannot keep up: queue pairs fail. */
    private static final int TOGETHER = Integer.getInteger("isthmus.test.together", 8);

    private static final boolean OVERLOADS = TOGETHER > 8;

    private static final BlockSource NONE = block -> {
        throw new IOException("no " + block);
    };

    @TempDir
    private Path folder;

    private final BlockingQueue<String> logged = new LinkedBlockingQueue<>();

    private static InetAddress address(int index) throws IOException {
        String[] addresses = System.getenv("ISTHMUS_ADDRESSES").split(" ", -1);
        return InetAddress.getByName(addresses[index]);
    }

    private VerbsTransport start(int device, long receiving, long files, BlockSource source) throws IOException {
        return start(device, receiving, files, VerbsTransport.MAX_CONNECTIONS, source);
    }

    private VerbsTransport start(int device, long receiving, long files, int connections, BlockSource source)
            throws IOException {
        return start(device, receiving, files, connections, Settings.defaults().connecting(), source);
    }

    private VerbsTransport start(
            int device, long receiving, long files, int connections, Duration connecting, BlockSource source)
            throws IOException {
        Settings usual = Settings.defaults();
        var settings = new Settings(
                SLICE,
                SLICE,
                receiving,
                usual.unpooledBytes(),
                usual.blockBytes(),
                1 << 20,
                usual.credits(),
                usual.inlineBytes(),
                2,
                usual.patience(),
                connecting,
                false,
                Map.of());
        return VerbsTransport.start(
                settings, address(device), files, connections, SECRET, source, (text, e) -> logged.add(text));
    }

    private VerbsTransport server(BlockSource source) throws IOException {
        return start(0, 1 << 20, 8 << 20, source);
    }

    private VerbsTransport client() throws IOException {
        return start(1, 4 << 20, 1 << 20, NONE);
    }

    private static void assertAll(TestBlocks blocks, List<BlockKey> keys, Fetched fetched) throws IOException {
        for (int i = 0; i < keys.size(); i++) {
            assertArrayEquals(
                    blocks.expected(keys.get(i)), fetched.received.get(i), keys.get(i) + " " + fetched.refused);
        }
    }

    @Test
    void shouldReadBlocksOfAnyLength() throws Exception {
        var blocks = new TestBlocks(
                folder, new long[] {1, SLICE - 1, SLICE, SLICE + 1, 5 * SLICE + 7, 0, 3}, new long[] {100, 0, 2 * SLICE
                });
        try (var server = server(blocks);
                var client = client()) {
            for (int round = 0; round < 2; round++) { // the second finds what is registered
                assertAll(
                        blocks,
                        blocks.all(),
                        Fetched.of(client, server.node(), blocks.all()).await());
            }
            long all = 0;
            for (BlockKey key : blocks.all()) {
                all += blocks.expected(key).length;
            }
            assertEquals(2 * all, client.figures().bytesByGet.sum());
            assertEquals(0, client.slicesOut());
            assertEquals(1, server.figures().peersConnected.sum());
        }
    }

    @Test
    void shouldRefuseWhatIsNotThereOrFindsNoRoom() throws Exception {
        var blocks = new TestBlocks(folder, new long[] {10, 6 << 20}, new long[] {9 << 20, 20});
        try (var server = server(blocks);
                var client = client()) {
            var keys = List.of(
                    new BlockKey(0, 0, 0, 1), // there
                    new BlockKey(0, 0, 1, 2), // too long for the client's memory
                    new BlockKey(0, 1, 0, 1), // too long for what the server may register
                    new BlockKey(0, 1, 1, 2), // there, in a file that is too long to be registered whole
                    new BlockKey(0, 9, 0, 1)); // not there
            Fetched fetched = Fetched.of(client, server.node(), keys).await();
            assertEquals(Set.of(0, 3), fetched.received.keySet(), fetched.refused.toString());
            assertEquals(Set.of(1, 2, 4), fetched.refused.keySet());
            assertArrayEquals(blocks.expected(keys.get(3)), fetched.received.get(3));
            assertEquals(0, client.slicesOut());
        }
    }

    /** A file that is replaced, truncated or deleted, while it is registered. */
    @Test
    void shouldReadFilesAsTheyAre() throws Exception {
        Path file = folder.resolve("shuffle_0_0_0.data");
        byte[] first = bytes(1, 3 * SLICE);
        byte[] second = bytes(2, 3 * SLICE);
        Files.write(file, first);
        var key = List.of(new BlockKey(0, 0, 0, 1));
        BlockSource source = block -> new BlockSource.Range(file, 0, 3 * SLICE);
        try (var server = server(source);
                var client = client()) {
            assertArrayEquals(
                    first,
                    Fetched.of(client, server.node(), key).await().received.get(0));
            Path other = folder.resolve("other");
            Files.write(other, second);
            Files.move(other, file, StandardCopyOption.REPLACE_EXISTING);
            assertArrayEquals(
                    second,
                    Fetched.of(client, server.node(), key).await().received.get(0));
            try (var random = new RandomAccessFile(file.toFile(), "rw")) {
                random.setLength(SLICE);
            }
            assertTrue(Fetched.of(client, server.node(), key).await().refused.containsKey(0), "truncated");
            Files.delete(file);
            assertTrue(Fetched.of(client, server.node(), key).await().refused.containsKey(0), "deleted");
            Files.write(file, first);
            assertArrayEquals(
                    first,
                    Fetched.of(client, server.node(), key).await().received.get(0));
        }
    }

    private static byte[] bytes(int seed, int length) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    /** Through fewer slices than a block has parts. */
    @Test
    void shouldWriteBlocksWhereTheyAreWanted() throws Exception {
        var blocks = new TestBlocks(
                folder, new long[] {1, SLICE, 0, 5 * SLICE + 7}, new long[] {40 * SLICE, 3, 2 * SLICE, 9 * SLICE - 1});
        try (var server = server(blocks);
                var client = start(1, 3 * SLICE, 1 << 20, NONE)) {
            var sinks = new ConcurrentHashMap<Integer, KeptBlock>();
            var fetched = new Fetched(blocks.all().size());
            client.fetch(server.node(), blocks.all(), fetched, i -> sinks.computeIfAbsent(i, _ -> new KeptBlock()));
            fetched.await();
            assertEquals(Set.of(2), fetched.received.keySet()); // it is empty
            assertEquals(Set.of(0, 1, 3, 4, 5, 6, 7), fetched.stored, fetched.refused.toString());
            long all = 0;
            for (int i : fetched.stored) {
                assertTrue(sinks.get(i).complete);
                assertArrayEquals(
                        blocks.expected(blocks.all().get(i)), sinks.get(i).bytes.toByteArray());
                all += sinks.get(i).bytes.size();
            }
            assertEquals(all, client.figures().bytesToSinks.sum());
            assertEquals(all, client.figures().bytesByGet.sum());
            assertEquals(0, client.slicesOut());
        }
    }

    @Test
    void shouldFailBlockThatCannotBeWrittenAndNoOther() throws Exception {
        var blocks = new TestBlocks(folder, new long[] {9 * SLICE, 3 * SLICE, 4 * SLICE});
        var discarded = new CountDownLatch(1);
        var writes = new AtomicInteger();
        var full = new KeptBlock() {
            @Override
            public void write(ByteBuffer part) throws IOException {
                if (writes.incrementAndGet() > 2) {
                    throw new IOException("no space left");
                }
            }

            @Override
            public void discard() {
                discarded.countDown();
            }
        };
        try (var server = server(blocks);
                var client = start(1, 4 * SLICE, 1 << 20, NONE)) {
            var fetched = new Fetched(3);
            client.fetch(server.node(), blocks.all(), fetched, i -> i == 0 ? full : new KeptBlock());
            fetched.await();
            assertEquals(Set.of(1, 2), fetched.stored);
            assertEquals(Set.of(0), fetched.failed.keySet());
            assertTrue(fetched.failed.get(0).getMessage().contains("no space left"), fetched.failed.toString());
            assertTrue(discarded.await(TestDeadlines.seconds(60), TimeUnit.SECONDS), "it was not discarded");
            assertEquals(3, writes.get());
            assertTrue(!full.complete, "it is complete");
            assertEquals(0, client.slicesOut());
        }
    }

    /** A peer that is gone when a part of a block has been written, and more of it is to come. */
    @Test
    void shouldDiscardBlockThatIsNotWhole() throws Exception {
        var blocks = new TestBlocks(folder, new long[] {9 * SLICE, SLICE});
        var writing = new CountDownLatch(1);
        var gone = new CountDownLatch(1);
        var discarded = new CountDownLatch(1);
        var sink = new KeptBlock() {
            @Override
            public void write(ByteBuffer part) throws IOException {
                super.write(part);
                writing.countDown();
                try {
                    assertTrue(gone.await(TestDeadlines.seconds(60), TimeUnit.SECONDS), "the peer does not end");
                } catch (InterruptedException e) {
                    throw new IOException(e);
                }
            }

            @Override
            public void discard() {
                discarded.countDown();
            }
        };
        var fetched = new Fetched(2);
        try (var client = start(1, 2 * SLICE, 1 << 20, NONE)) {
            try (var server = server(blocks)) {
                client.fetch(server.node(), blocks.all(), fetched, i -> i == 0 ? sink : new KeptBlock());
                assertTrue(writing.await(TestDeadlines.seconds(60), TimeUnit.SECONDS), "nothing is written");
            }
            fetched.await();
            assertEquals(Set.of(0, 1), fetched.refused.keySet());
            gone.countDown();
            assertTrue(discarded.await(TestDeadlines.seconds(60), TimeUnit.SECONDS), "it was not discarded");
            assertTrue(!sink.complete && sink.bytes.size() < 9 * SLICE, "it is complete");
            assertArrayEquals(
                    Arrays.copyOf(blocks.expected(blocks.all().getFirst()), sink.bytes.size()),
                    sink.bytes.toByteArray());
            assertEquals(0, client.slicesOut());
        }
    }

    @Test
    void shouldRefuseEverythingOncePeerIsGoneAndConnectAnew() throws Exception {
        var blocks = new TestBlocks(folder, new long[] {SLICE, 5});
        try (var client = client()) {
            Node gone;
            try (var server = server(blocks)) {
                gone = server.node();
                assertAll(
                        blocks,
                        blocks.all(),
                        Fetched.of(client, gone, blocks.all()).await());
            }
            assertEquals(
                    2, Fetched.of(client, gone, blocks.all()).await().refused.size());
            try (var server = server(blocks)) {
                assertAll(
                        blocks,
                        blocks.all(),
                        Fetched.of(client, server.node(), blocks.all()).await());
            }
        }
    }

    @Test
    void shouldEndWhatIsIdleForLongestRatherThanRefuse() throws Exception {
        var blocks = new TestBlocks(folder, new long[] {SLICE, 5});
        var clients = new ArrayList<VerbsTransport>();
        try (var server = start(0, 1 << 20, 8 << 20, 3, blocks)) {
            for (int i = 0; i < 5; i++) {
                clients.add(client());
                assertAll(
                        blocks,
                        blocks.all(),
                        Fetched.of(clients.getLast(), server.node(), blocks.all())
                                .await());
            }
            assertEquals(5, server.figures().peersConnected.sum());
            // The connection of the first one is ended. If it does not know that yet, it learns it now, and connects
            // then.
            Fetched again =
                    Fetched.of(clients.getFirst(), server.node(), blocks.all()).await();
            if (!again.refused.isEmpty()) {
                again = Fetched.of(clients.getFirst(), server.node(), blocks.all())
                        .await();
            }
            assertAll(blocks, blocks.all(), again);
            assertEquals(6, server.figures().peersConnected.sum());
            assertEquals(0, server.figures().peersFailed.sum());
        } finally {
            clients.forEach(VerbsTransport::close);
        }
    }

    /** What has come must be right. Returns how many blocks were refused. */
    private static int assertRight(TestBlocks blocks, Fetched fetched) throws IOException {
        for (int i = 0; i < blocks.all().size(); i++) {
            if (!fetched.refused.containsKey(i)) {
                assertArrayEquals(blocks.expected(blocks.all().get(i)), fetched.received.get(i));
            }
        }
        return fetched.refused.size();
    }

    /** Each executor fetches from every other one, in turns, so all have more peers in the end than connections. */
    @Test
    void shouldServeMoreExecutorsThanItHasConnections() throws Exception {
        var blocks = new TestBlocks(folder, new long[] {SLICE, 5});
        var executors = new ArrayList<VerbsTransport>();
        try {
            for (int i = 0; i < EXECUTORS; i++) {
                executors.add(start(i % 2, 1 << 20, 1 << 20, Math.max(4, EXECUTORS / 4), blocks));
            }
            var fetched = new ArrayDeque<Fetched>();
            int refused = 0;
            for (int distance = 1; distance < EXECUTORS; distance++) {
                for (int i = 0; i < EXECUTORS; i++) {
                    if (fetched.size() == TOGETHER) {
                        refused += assertRight(blocks, fetched.remove().await());
                    }
                    Node from = executors.get((i + distance) % EXECUTORS).node();
                    fetched.add(Fetched.of(executors.get(i), from, blocks.all()));
                }
                while (!fetched.isEmpty()) {
                    refused += assertRight(blocks, fetched.remove().await());
                }
            }
            int all = blocks.all().size() * EXECUTORS * (EXECUTORS - 1);
            System.out.println("VerbsTransportTest: " + refused + " of " + all + " blocks were refused");
            if (OVERLOADS) {
                assertTrue(refused < all / 2, logged::toString);
                return;
            }
            assertEquals(0, refused, logged::toString);
            for (VerbsTransport each : executors) { // once to each of the others, and once from each
                assertEquals(2L * (EXECUTORS - 1), each.figures().peersConnected.sum(), logged::toString);
            }
        } finally {
            executors.forEach(VerbsTransport::close);
        }
    }

    @Test
    void shouldNotCloseWhileBlocksAreHeld() throws Exception {
        var blocks = new TestBlocks(folder, new long[] {SLICE + 1});
        var arrived = new CompletableFuture<Received>();
        try (var server = server(blocks);
                var client = client()) {
            client.fetch(server.node(), blocks.all(), new FetchListener() {
                @Override
                public void received(int index, Received block) {
                    arrived.complete(block);
                }

                @Override
                public void failed(int index, Exception why) {
                    arrived.completeExceptionally(why);
                }

                @Override
                public void refused(int index, String why) {
                    arrived.completeExceptionally(new IOException(why));
                }
            });
            Received block = arrived.get(TestDeadlines.seconds(60), TimeUnit.SECONDS);
            assertThrows(IllegalStateException.class, client::close);
            assertArrayEquals(
                    blocks.expected(blocks.all().getFirst()), block.stream().readAllBytes());
            block.release();
        }
    }

    /**
     * Whoever has no greeting of the application is rejected, and a greeting that somebody has seen helps nobody, nor does a
     * message; a member that breaks the rules loses its connection.
     */
    @ParameterizedTest
    @ValueSource(strings = {"stranger", "unsealed", "repeated", "garbage", "release", "answer", "calls", "challenge"})
    void shouldSurviveHostilePeer(String what) throws Exception {
        var blocks = new TestBlocks(folder, new long[] {SLICE, 5});
        byte[] secret = what.equals("stranger") ? new byte[] {9} : SECRET;
        byte[] greeting = VerbsAddress.greeting(HostileVerbsPeer.ID, secret);
        byte[] locate = HostileVerbsPeer.bytes(new VerbsMessage.Locate(1, SLICE, blocks.all()));
        try (var server = server(blocks);
                var client = client();
                var peer = new HostileVerbsPeer(address(1), greeting, SECRET);
                var second = new HostileVerbsPeer(address(1), greeting, SECRET)) {
            InetSocketAddress to = VerbsAddress.open(server.node(), SECRET);
            if (what.equals("stranger")) {
                assertThrows(ExecutionException.class, () -> peer.connect(to));
            } else {
                peer.connect(to);
                MessageSeal seal = new VerbsSeals(HostileVerbsPeer.ID, SECRET).of(peer.challenge());
                byte[] message = switch (what) {
                    case "unsealed", "repeated", "calls" -> locate;
                    case "garbage" -> new byte[40];
                    case "release" -> HostileVerbsPeer.bytes(new VerbsMessage.Release(1));
                    case "answer" ->
                        HostileVerbsPeer.bytes(new VerbsMessage.Located(1, List.of(VerbsMessage.Place.refused("no"))));
                    default -> HostileVerbsPeer.bytes(new VerbsMessage.Challenge(1, 2));
                };
                byte[] sealed = what.equals("unsealed")
                        ? message
                        : HostileVerbsPeer.sealed(message, seal, server.node().id());
                HostileVerbsPeer last = what.equals("repeated") ? second : peer;
                if (what.equals("repeated")) {
                    second.connect(to);
                    var _ = second.challenge();
                }
                for (int i = what.equals("calls") ? VerbsPeer.MAX_CALLS : 0; i >= 0; i--) {
                    last.send(sealed);
                }
                assertFalse(last.ended
                        .get(TestDeadlines.seconds(60), TimeUnit.SECONDS)
                        .isEmpty());
                if (what.equals("unsealed") || what.equals("repeated")) {
                    assertTrue(
                            logged.stream().anyMatch(line -> line.contains("was not sealed for this process")),
                            logged.toString());
                }
            }
            assertAll(
                    blocks,
                    blocks.all(),
                    Fetched.of(client, server.node(), blocks.all()).await());
        }
    }

    /** Blocks come by other means. */
    @ParameterizedTest
    @ValueSource(strings = {"silent", "other secret", "other receiver", "no challenge"})
    void shouldRefuseWhereServerDoesNotChallenge(String what) throws Exception {
        try (var peer = new HostileVerbsPeer(address(0), VerbsAddress.greeting(HostileVerbsPeer.ID, SECRET), SECRET);
                var client = start(1, 1 << 20, 1 << 20, 1, Duration.ofSeconds(TestDeadlines.seconds(2)), NONE)) {
            VerbsMessage message =
                    what.equals("no challenge") ? new VerbsMessage.Release(1) : new VerbsMessage.Challenge(1, 2);
            byte[] secret = what.equals("other secret") ? new byte[] {9} : SECRET;
            long to = client.node().id() + (what.equals("other receiver") ? 1 : 0);
            Node node = peer.listen(
                    what.equals("silent")
                            ? new byte[0]
                            : HostileVerbsPeer.sealed(
                                    HostileVerbsPeer.bytes(message),
                                    new VerbsSeals(HostileVerbsPeer.ID, secret).ofChallenges(),
                                    to));
            Fetched fetched =
                    Fetched.of(client, node, List.of(new BlockKey(0, 0, 0, 1))).await();
            assertEquals(Set.of(0), fetched.refused.keySet());
            String why = switch (what) {
                case "silent" -> "it has sent no challenge";
                case "no challenge" -> "a first message that is no challenge";
                default -> "was not sealed for this process";
            };
            assertTrue(logged.stream().anyMatch(line -> line.contains(why)), logged.toString());
        }
    }
}
