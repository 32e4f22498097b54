// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two transports of one process, over TCP. Shared memory needs an environment of its own, and has a test of its own.
 */
@Tag("ucx")
@Tag("host")
class TransportTest {

    private static final byte[] SECRET = {1, 2, 3};
    private static final int SLICE = 64 << 10;
    private static final String GIVEN_UP = "has sent nothing for";
    private static final BlockSource NONE = block -> {
        throw new IOException("there are no blocks");
    };

    @TempDir
    private Path folder;

    private final List<Transport> open = new ArrayList<>();
    private final BlockingQueue<String> logged = new LinkedBlockingQueue<>();

    private static Settings settings(int slices, int landings, int credits) {
        return new Settings(
                SLICE,
                (long) slices * SLICE,
                (long) landings * SLICE,
                1L << 30,
                200 << 20,
                1 << 20,
                credits,
                16 << 10,
                2,
                TestDeadlines.ofSeconds(60),
                TestDeadlines.ofSeconds(20),
                false,
                Map.of("TLS", "tcp,self"));
    }

    private Transport start(Settings settings, byte[] secret, BlockSource source) {
        var transport = Transport.start(settings, secret, source, this::log);
        open.add(transport);
        return transport;
    }

    private Transport start(BlockSource source) {
        return start(settings(16, 64, 8), SECRET, source);
    }

    private void log(String text, Throwable e) {
        logged.add(text + (e == null ? "" : ": " + e));
    }

    /**
     * A request leaves nothing pinned, whatever became of it. The connecting side is closed first, because UCX may not
     * survive that a peer over TCP leaves while it connects (docs/ucx-faults.md).
     */
    @AfterEach
    void close() {
        open.reversed().forEach(Transport::close);
        open.forEach(one -> assertEquals(0, one.slicesOut()));
    }

    private static void assertAllCame(TestBlocks blocks, List<BlockKey> keys, Fetched fetched) throws IOException {
        assertEquals(Map.of(), fetched.failed);
        assertEquals(Map.of(), fetched.refused);
        for (int i = 0; i < keys.size(); i++) {
            assertArrayEquals(
                    blocks.expected(keys.get(i)),
                    fetched.received.get(i),
                    keys.get(i).toString());
        }
    }

    @Test
    void shouldFetchShortAndLongBlocks() throws Exception {
        long[] lengths = {1, SLICE - 1, SLICE, SLICE + 1, 5 * SLICE + 7, 0, 16 << 10, (16 << 10) + 1, 3};
        var blocks = new TestBlocks(folder, lengths, lengths);
        Transport server = start(blocks);
        Transport client = start(NONE);
        var keys = new ArrayList<>(blocks.all());
        keys.add(new BlockKey(0, 1, 2, 5)); // several partitions at once
        assertAllCame(blocks, keys, Fetched.of(client, server.node(), keys).await());
        long all = keys.stream().mapToLong(key -> find(blocks, key).length()).sum();
        assertEquals(
                all,
                client.figures().bytesByGet.sum() + client.figures().bytesInline.sum());
        assertTrue(client.figures().bytesByGet.sum() > 20 * SLICE, "by get " + client.figures().bytesByGet);
        assertEquals(0, client.figures().blocksUnpooled.sum());
        assertEquals(0, client.slicesOut());
    }

    private static BlockSource.Range find(TestBlocks blocks, BlockKey key) {
        try {
            return blocks.find(key);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldFetchThousandsOfTinyBlocks() throws Exception {
        long[] lengths = new long[5000];
        Arrays.setAll(lengths, i -> i % 50 + 1);
        var blocks = new TestBlocks(folder, lengths, lengths);
        Transport server = start(blocks);
        Transport client = start(NONE);
        assertAllCame(
                blocks,
                blocks.all(),
                Fetched.of(client, server.node(), blocks.all()).await());
        assertEquals(0, client.figures().bytesByGet.sum());
        assertEquals(10_000, client.figures().blocksReceived.sum());
    }

    @Test
    void shouldFetchInBothDirectionsAtOnce() throws Exception {
        long[] lengths = new long[60];
        Arrays.setAll(lengths, i -> 1L << (i % 19));
        var blocks = new TestBlocks(folder, lengths);
        Transport one = start(blocks);
        Transport other = start(blocks);
        Fetched here = Fetched.of(one, other.node(), blocks.all());
        Fetched there = Fetched.of(other, one.node(), blocks.all());
        assertAllCame(blocks, blocks.all(), here.await());
        assertAllCame(blocks, blocks.all(), there.await());
        assertEquals(1, one.figures().peersConnected.sum());
        assertEquals(1, other.figures().peersConnected.sum());
    }

    /** A server with two slices and a credit, and a client without room, are only slower. */
    @Test
    void shouldWaitForMemoryAndCredits() throws Exception {
        var blocks = new TestBlocks(folder, new long[] {20 * SLICE, 30 * SLICE, 3}, new long[] {10 * SLICE});
        Transport server = start(settings(2, 1, 1), SECRET, blocks);
        Transport client = start(settings(2, 4, 1), SECRET, NONE);
        Transport another = start(settings(2, 4, 1), SECRET, NONE);
        Fetched first = Fetched.of(client, server.node(), blocks.all());
        Fetched second = Fetched.of(another, server.node(), blocks.all());
        assertAllCame(blocks, blocks.all(), first.await());
        assertAllCame(blocks, blocks.all(), second.await());
        assertTrue(server.figures().servingWaits.sum() > 0, "it never waited");
        assertEquals(3, client.figures().blocksUnpooled.sum());
    }

    @Test
    void shouldTellWhichBlocksDoNotCome() throws Exception {
        var blocks = new TestBlocks(folder, new long[] {5, 2 * SLICE});
        Transport server = start(block -> block.map() == 7 ? null : blocks.find(block));
        Transport client = start(NONE);
        var keys = List.of(
                new BlockKey(0, 0, 0, 1), new BlockKey(0, 3, 0, 1), new BlockKey(0, 7, 0, 1), new BlockKey(0, 0, 1, 2));
        Fetched fetched = Fetched.of(client, server.node(), keys).await();
        assertEquals(Set.of(0, 3), fetched.received.keySet());
        assertEquals(Set.of(1), fetched.failed.keySet());
        assertTrue(fetched.failed.get(1).getMessage().contains("no BlockKey"), fetched.failed.get(1)::getMessage);
        assertEquals(Map.of(2, "it is in no file"), fetched.refused);
    }

    @Test
    void shouldTellOfFilesThatAreShorterThanTheirIndexSays() throws Exception {
        var blocks = new TestBlocks(folder, new long[] {5, 5});
        Transport server = start(block -> {
            var range = blocks.find(block);
            return new BlockSource.Range(range.file(), range.offset(), block.first() == 0 ? 20 : 9 * SLICE);
        });
        Transport client = start(NONE);
        Fetched fetched = Fetched.of(client, server.node(), blocks.all()).await();
        assertEquals(Set.of(0, 1), fetched.failed.keySet());
        fetched.failed.values().forEach(e -> assertTrue(e.getMessage().contains("ends at"), e::getMessage));
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void throwUndeclared(Throwable e) throws E {
        throw (E) e; // as Scala does
    }

    @Test
    void shouldTellOfBlocksWhoseSourceThrowsAnything() throws Exception {
        var blocks = new TestBlocks(folder, new long[] {5, 5, 5});
        Transport server = start(block -> {
            if (block.first() < 2) {
                TransportTest.<RuntimeException>throwUndeclared(
                        block.first() == 0 ? new Exception("checked") : new AssertionError("error"));
            }
            return blocks.find(block);
        });
        Transport client = start(NONE);
        Fetched fetched = Fetched.of(client, server.node(), blocks.all()).await();
        assertEquals(Set.of(2), fetched.received.keySet());
        assertTrue(fetched.failed.get(0).getMessage().contains("checked"), fetched.failed.get(0)::getMessage);
        assertTrue(fetched.failed.get(1).getMessage().contains("error"), fetched.failed.get(1)::getMessage);
    }

    /** What the slice held before is never taken for the block. */
    @Test
    void shouldTellOfBlocksWhoseReadThrowsAnything() throws Exception {
        var blocks = new TestBlocks(folder, new long[] {5, 5});
        Transport server = start(block -> new BlockSource.Range(
                blocks.find(block).file(), -1, block.first() == 0 ? 20 : 9 * SLICE)); // no file has such an offset
        Transport client = start(NONE);
        Fetched fetched = Fetched.of(client, server.node(), blocks.all()).await();
        assertEquals(Set.of(0, 1), fetched.failed.keySet());
        fetched.failed.values().forEach(e -> assertTrue(e.getMessage().contains("cannot read"), e::getMessage));
    }

    /** UCX finds no memory that it could register. */
    @Test
    void shouldLeaveBlocksToOthersWhenMemoryCannotBeRegistered() throws Exception {
        var blocks = new TestBlocks(folder, new long[] {5, 2 * SLICE});
        var poor = settings(16, 64, 8).withUcx(Map.of("TLS", "tcp,self", "ALLOC_PRIO", "md:sysv"));
        Transport rich = start(blocks);
        Transport client = start(poor, SECRET, blocks);
        for (int i = 0; i < 2; i++) {
            Fetched fetched = Fetched.of(client, rich.node(), blocks.all()).await();
            assertEquals(Set.of(0, 1), fetched.refused.keySet());
        }
        assertEquals(
                Set.of(0, 1),
                Fetched.of(rich, client.node(), blocks.all()).await().refused.keySet());
    }

    @Test
    void shouldTellOfAllBlocksWhenListenerThrows() throws Exception {
        Transport server = start(settings(16, 64, 8), new byte[] {9}, NONE); // so that each is refused
        Transport client = start(NONE);
        var told = new Fetched(2);
        client.fetch(server.node(), List.of(new BlockKey(0, 0, 0, 1), new BlockKey(0, 0, 1, 2)), new FetchListener() {
            @Override
            public void received(int index, Received block) {
                told.received(index, block);
            }

            @Override
            public void failed(int index, Exception why) {
                told.failed(index, why);
            }

            @Override
            public void refused(int index, String why) {
                if (index == 0) {
                    throw new OutOfMemoryError("unable to create native thread");
                }
                told.refused(index, why);
            }
        });
        told.await();
        assertEquals(Set.of(0), told.failed.keySet());
        assertEquals(Set.of(1), told.refused.keySet());
    }

    @Test
    void shouldLeaveNothingBehindWhenItCannotStart() throws Exception {
        assertThrows(
                IllegalArgumentException.class,
                () -> Transport.start(settings(16, 64, 8), new byte[0], NONE, this::log)); // nothing seals with no key
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().equals("isthmus-spark")) {
                thread.join(TestDeadlines.ofSeconds(10));
                assertTrue(!thread.isAlive(), "the loop goes on");
            }
        }
    }

    /** A second or two without an answer; connecting may take longer on a busy machine. */
    private Transport startImpatient(BlockSource source) {
        return start(settings(16, 16, 8).withTimes(Duration.ofSeconds(2), TestDeadlines.ofSeconds(20)), SECRET, source);
    }

    /** Whether blocks failed, and each because the impatient client gave it up. */
    private static boolean isGivenUp(Fetched fetched) {
        return !fetched.failed.isEmpty()
                && fetched.failed.values().stream()
                        .allMatch(why -> why.getMessage().contains(GIVEN_UP));
    }

    /**
     * Once the peer has sent something, blocks are requested from it again. On a busy machine their request may be
     * given up, too.
     */
    private static void assertAllComeInTheEnd(Transport client, Transport server, TestBlocks blocks) throws Exception {
        long begin = System.nanoTime();
        Fetched fetched;
        do {
            fetched = Fetched.of(client, server.node(), blocks.all()).await();
        } while ((!fetched.refused.isEmpty() || isGivenUp(fetched))
                && System.nanoTime() - begin < TestDeadlines.ofSeconds(60).toNanos());
        assertAllCame(blocks, blocks.all(), fetched);
    }

    @Test
    void shouldGiveUpRequestThatTakesTooLong() throws Exception {
        var blocks = new TestBlocks(folder, new long[] {5, 3 * SLICE});
        var silence = new CountDownLatch(1);
        Transport server = start(block -> {
            try {
                silence.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            return blocks.find(block);
        });
        Transport client = startImpatient(NONE);
        try {
            Fetched fetched = Fetched.of(client, server.node(), blocks.all()).await();
            assertEquals(Set.of(0, 1), fetched.failed.keySet());
            assertTrue(fetched.failed.get(0).getMessage().contains(GIVEN_UP));
        } finally {
            silence.countDown();
        }
        // The connection is as good as before, and what the server began to read is dropped.
        assertAllComeInTheEnd(client, server, blocks);
    }

    /** A task that is retried does not wait again, until the peer, when asked, says that it is there. */
    @Test
    void shouldNotAskSilentPeerUntilItAnswers() throws Exception {
        var blocks = new TestBlocks(folder, new long[] {5, 3 * SLICE});
        var stopped = new CountDownLatch(1);
        var silence = new CountDownLatch(1);
        Transport server = start(blocks);
        Transport client = startImpatient(blocks);
        assertAllComeInTheEnd(client, server, blocks);
        server.fetch(client.node(), List.of(new BlockKey(0, 0, 0, 1)), new FetchListener() {
            @Override
            public void received(int index, Received block) {
                block.release();
                stopped.countDown();
                try {
                    silence.await(); // on the thread that does everything there
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }

            @Override
            public void failed(int index, Exception why) {
                throw new AssertionError(why);
            }

            @Override
            public void refused(int index, String why) {
                throw new AssertionError(why);
            }
        });
        try {
            assertTrue(stopped.await(TestDeadlines.seconds(60), TimeUnit.SECONDS), "the server got nothing");
            Fetched fetched = Fetched.of(client, server.node(), blocks.all()).await();
            assertEquals(Set.of(0, 1), fetched.failed.keySet());
            fetched = Fetched.of(client, server.node(), blocks.all()).await();
            assertEquals(Set.of(0, 1), fetched.refused.keySet());
        } finally {
            silence.countDown();
        }
        assertAllComeInTheEnd(client, server, blocks);
    }

    /** One side has ended the connection, as after a long pause of the other. Each then fetches from the other. */
    @Test
    void shouldFetchAgainFromPeerWhoseConnectionHasEnded() throws Exception {
        var blocks = new TestBlocks(folder, new long[] {5, 3 * SLICE});
        Transport server = start(blocks);
        Transport client = start(blocks);
        assertAllCame(
                blocks,
                blocks.all(),
                Fetched.of(client, server.node(), blocks.all()).await());
        for (int i = 0; i < 3; i++) {
            endConnection(server, client);
            assertAllComeInTheEnd(client, server, blocks);
            endConnection(client, server);
            assertAllComeInTheEnd(client, server, blocks);
            assertAllComeInTheEnd(server, client, blocks);
        }
    }

    /** Makes one end its connection to the other: somebody sends nonsense in that one's name. */
    private void endConnection(Transport one, Transport other) throws InterruptedException {
        logged.clear();
        try (var hostile = new HostilePeer(SECRET)) {
            hostile.connect(one.node());
            var nonsense =
                    HostilePeer.write(new PeerMessage.Release(1), other.node().id(), 0);
            hostile.send(nonsense.put(5, (byte) 99));
            String line;
            do {
                line = logged.poll(TestDeadlines.seconds(60), TimeUnit.SECONDS);
                assertTrue(line != null, "the connection goes on");
            } while (!line.contains("has ended: a message of unknown kind"));
        }
    }

    @Test
    void shouldNotConnectToWhoHasAnotherSecret() throws Exception {
        Transport server = start(settings(16, 64, 8), new byte[] {9}, NONE);
        Transport client = start(NONE);
        Fetched fetched = Fetched.of(client, server.node(), List.of(new BlockKey(0, 0, 0, 1)))
                .await();
        assertEquals(Set.of(0), fetched.refused.keySet());
        assertEquals(0, server.figures().peersConnected.sum());
    }

    @Test
    void shouldNotMixSlicesOfDifferentLengths() throws Exception {
        var blocks = new TestBlocks(folder, new long[] {5});
        Transport server = start(blocks);
        var other = Settings.defaults()
                .withUcx(Map.of("TLS", "tcp,self"))
                .withTimes(TestDeadlines.ofSeconds(60), Duration.ofSeconds(2)); // which then pass
        Transport client = start(other, SECRET, NONE);
        Fetched fetched = Fetched.of(client, server.node(), blocks.all()).await();
        assertEquals(Set.of(0), fetched.refused.keySet());
    }

    /** How many transports have a thread. */
    private static long loops() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("isthmus-spark"))
                .count();
    }

    @Test
    void shouldBeClosedOnlyWhenReceivedBlocksAreReleased() throws Exception {
        var blocks = new TestBlocks(folder, new long[] {2 * SLICE});
        Transport server = start(blocks);
        long before = loops();
        var client = Transport.start(settings(16, 64, 8), SECRET, NONE, this::log);
        var held = new CompletableFuture<Received>();
        client.fetch(server.node(), blocks.all(), new FetchListener() {
            @Override
            public void received(int index, Received block) {
                held.complete(block);
            }

            @Override
            public void failed(int index, Exception why) {
                held.completeExceptionally(why);
            }

            @Override
            public void refused(int index, String why) {
                held.completeExceptionally(new AssertionError(why));
            }
        });
        Received block = held.get();
        assertThrows(IllegalStateException.class, client::close);
        assertEquals(before, loops());
        assertEquals(2, client.slicesOut());
        assertArrayEquals(
                blocks.expected(blocks.all().getFirst()), block.stream().readAllBytes());
        block.release();
        assertThrows(IllegalStateException.class, block::bytes);
        assertThrows(IllegalStateException.class, block::retain);
        assertThrows(IllegalStateException.class, block::release);
        client.close();
    }
}
