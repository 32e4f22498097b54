// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Blocks that are not held in memory, but written where the caller wants them. */
@Tag("ucx")
@Tag("host")
@Tag("extended")
class LongBlockTest {

    private static final byte[] SECRET = {1, 2, 3};
    private static final BlockSource NONE = block -> {
        throw new IOException("there are no blocks");
    };

    @TempDir
    private Path folder;

    private final List<Transport> open = new ArrayList<>();

    private Transport start(BlockSource source) {
        var settings = Settings.defaults().withUcx(Map.of("TLS", "tcp,self"));
        var transport = Transport.start(settings, SECRET, source, (text, e) -> {});
        open.add(transport);
        return transport;
    }

    @AfterEach
    void close() {
        open.forEach(Transport::close);
        open.forEach(one -> assertEquals(0, one.slicesOut()));
        open.forEach(one -> assertEquals(0, one.unpooledBytes()));
    }

    @Test
    void shouldWriteLongBlocksWhereTheyAreWanted() throws Exception {
        long slice = Settings.defaults().sliceBytes();
        var blocks = new TestBlocks(folder, new long[] {5, 5 * slice + 7, slice, 16 << 10, (16 << 10) + 1, 70 * slice});
        Transport server = start(blocks);
        Transport client = start(NONE);
        var sinks = new ConcurrentHashMap<Integer, KeptBlock>();
        var fetched = new Fetched(blocks.all().size());
        client.fetch(server.node(), blocks.all(), fetched, i -> sinks.computeIfAbsent(i, _ -> new KeptBlock()));
        fetched.await();
        assertEquals(Map.of(), fetched.failed);
        assertEquals(Set.of(0, 3), fetched.received.keySet()); // those come with the answer
        assertEquals(Set.of(1, 2, 4, 5), fetched.stored);
        for (int i : fetched.stored) {
            assertTrue(sinks.get(i).complete);
            assertArrayEquals(
                    blocks.expected(blocks.all().get(i)), sinks.get(i).bytes.toByteArray());
        }
        assertEquals(
                client.figures().bytesByGet.sum(), client.figures().bytesToSinks.sum());
    }

    @Test
    void shouldFailBlockThatCannotBeWrittenAndNoOther() throws Exception {
        long slice = Settings.defaults().sliceBytes();
        var blocks = new TestBlocks(folder, new long[] {9 * slice, 3 * slice, 4 * slice});
        Transport server = start(blocks);
        Transport client = start(NONE);
        var sinks = List.of(new KeptBlock(), new KeptBlock(), new KeptBlock());
        var writes = new AtomicInteger();
        var full = new BlockSink() {
            @Override
            public void write(ByteBuffer part) throws IOException {
                if (writes.incrementAndGet() > 2) {
                    throw new IOException("no space left");
                }
            }

            @Override
            public void complete() {
                throw new AssertionError("it is not complete");
            }

            @Override
            public void discard() {
                sinks.get(0).discard();
            }
        };
        var fetched = new Fetched(3);
        client.fetch(server.node(), blocks.all(), fetched, i -> i == 0 ? full : sinks.get(i));
        fetched.await();
        assertEquals(Set.of(1, 2), fetched.stored);
        assertEquals(Set.of(0), fetched.failed.keySet());
        assertTrue(fetched.failed.get(0).getMessage().contains("no space left"), fetched.failed.get(0)::getMessage);
        assertTrue(sinks.get(0).ended.await(TestDeadlines.seconds(60), TimeUnit.SECONDS), "it was not discarded");
        assertEquals(3, writes.get());
    }

    /** Two blocks of more than two gigabytes, of a file that has holes, through the usual pools. */
    @Test
    void shouldFetchBlocksOfMoreThanTwoGigabytes() throws Exception {
        long length = (1L << 31) + 300_000;
        long[] marks = {0, 262_143, (1L << 31) - 1, 1L << 31, length - 1};
        Path file = folder.resolve("sparse");
        try (var channel = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.SPARSE)) {
            for (long mark : marks) {
                var _ = channel.write(ByteBuffer.wrap(new byte[] {1}), mark);
            }
        }
        Transport server = start(block -> new BlockSource.Range(file, 0, length));
        Transport client = start(NONE);
        var found = new ArrayList<Long>();
        var sink = new BlockSink() {
            private long at;

            @Override
            public void write(ByteBuffer part) {
                for (; part.hasRemaining(); at++) {
                    if (part.get() != 0) {
                        found.add(at);
                    }
                }
            }

            @Override
            public void complete() {
                found.add(at);
            }

            @Override
            public void discard() {}
        };
        var fetched = new Fetched(1);
        client.fetch(server.node(), List.of(new BlockKey(0, 0, 0, 1)), fetched, _ -> sink);
        fetched.await();
        assertEquals(Map.of(), fetched.failed);
        assertEquals(Set.of(0), fetched.stored);
        assertEquals(List.of(marks[0], marks[1], marks[2], marks[3], marks[4], length), found);
        assertTrue(client.pinnedBytes() + client.unpooledBytes() < 300 << 20, "pinned " + client.pinnedBytes());
    }

    /** It is too long for memory, so it is fetched elsewhere, and no part of it is sent. */
    @Test
    void shouldRefuseBlocksThatAreTooLongForMemory() throws Exception {
        var blocks = new TestBlocks(folder, new long[] {5});
        long limit = Settings.defaults().blockBytes();
        Transport server =
                start(block -> new BlockSource.Range(blocks.find(block).file(), 0, limit + 1));
        Transport client = start(NONE);
        Fetched fetched = Fetched.of(client, server.node(), blocks.all()).await();
        assertEquals(Set.of(0), fetched.refused.keySet());
        assertTrue(fetched.refused.get(0).contains("more than " + limit), fetched.refused.get(0));
        assertEquals(0, server.slicesOut());
    }
}
