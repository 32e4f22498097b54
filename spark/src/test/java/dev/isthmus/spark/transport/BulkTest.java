// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Far more data passes than there is memory for: the system property {@code isthmus.spark.megabytes} sets how much,
 * with 256 MB that both sides together may register.
 */
@Tag("ucx")
@Tag("host")
class BulkTest {

    private static final byte[] SECRET = {1};
    private static final int BLOCK = 9 << 20;
    private static final int BLOCKS = 16; // of the file
    private static final int AT_A_TIME = 32;
    private static final int HELD = 20; // more than the receiver has registered memory for
    private static final long MEGABYTES = Long.getLong("isthmus.spark.megabytes", 512);

    @TempDir
    private Path folder;

    private static Settings settings(long serving, long receiving) {
        return new Settings(
                256 << 10,
                serving << 20,
                receiving << 20,
                1L << 30,
                200 << 20,
                8 << 20,
                64,
                16 << 10,
                2,
                TestDeadlines.ofSeconds(200),
                TestDeadlines.ofSeconds(60),
                false,
                Map.of("TLS", "tcp,self"));
    }

    /** Each eight bytes identify their block, and their position in it. */
    private Path write() throws IOException {
        Path file = folder.resolve("bulk");
        try (var out = Files.newOutputStream(file)) {
            ByteBuffer block = ByteBuffer.allocate(BLOCK);
            for (int i = 0; i < BLOCKS; i++) {
                for (int at = 0; at < BLOCK; at += Long.BYTES) {
                    block.putLong(at, (long) i << 32 | at);
                }
                out.write(block.array());
            }
        }
        return file;
    }

    private static void check(Received block, int number) throws IOException {
        assertEquals(BLOCK, block.size());
        byte[] some = new byte[1 << 16];
        ByteBuffer longs = ByteBuffer.wrap(some);
        try (InputStream in = block.stream()) {
            for (int at = 0; at < BLOCK; at += some.length) {
                assertEquals(some.length, in.readNBytes(some, 0, some.length));
                for (int i = 0; i < some.length; i += Long.BYTES) {
                    if (longs.getLong(i) != ((long) number << 32 | (at + i))) {
                        throw new AssertionError("block " + number + " is wrong at " + (at + i));
                    }
                }
            }
        }
    }

    /**
     * Checks blocks later than they arrive, so that there are always more than the receiver has registered memory for.
     */
    private static final class Reader implements AutoCloseable {
        private final Queue<Map.Entry<Received, Integer>> held = new ConcurrentLinkedQueue<>();
        private final Semaphore room = new Semaphore(AT_A_TIME);
        private final AtomicReference<Throwable> wrong = new AtomicReference<>();

        FetchListener listener(int number) {
            return new FetchListener() {
                @Override
                public void received(int index, Received block) {
                    held.add(Map.entry(block, number));
                    if (held.size() > HELD) {
                        Thread.startVirtualThread(Reader.this::checkOldest);
                    }
                }

                @Override
                public void failed(int index, Exception why) {
                    end(why);
                }

                @Override
                public void refused(int index, String why) {
                    end(new AssertionError(why));
                }
            };
        }

        private void checkOldest() {
            var oldest = held.remove();
            Throwable failure = null;
            try {
                check(oldest.getKey(), oldest.getValue());
            } catch (Throwable e) {
                failure = e;
            } finally {
                oldest.getKey().release();
            }
            end(failure);
        }

        private void end(Throwable failure) {
            wrong.compareAndSet(null, failure);
            room.release();
        }

        void await() throws InterruptedException {
            assertTrue(room.tryAcquire(TestDeadlines.seconds(200), TimeUnit.SECONDS), "no block came");
            assertNull(wrong.get());
        }

        @Override
        public void close() {
            while (!held.isEmpty()) {
                checkOldest();
            }
        }
    }

    private static Transport start(Settings settings, BlockSource source) {
        return Transport.start(settings, SECRET, source, (text, e) -> {});
    }

    @Test
    void shouldPassFarMoreThanThereIsMemoryFor() throws Exception {
        Path file = write();
        try (var server = start(settings(64, 1), block -> new BlockSource.Range(file, block.map() * BLOCK, BLOCK));
                var client = start(settings(1, 160), block -> null)) {
            long blocks = (MEGABYTES << 20) / BLOCK;
            try (var reader = new Reader()) {
                for (int i = 0; i < blocks; i++) {
                    reader.await();
                    int number = i % BLOCKS;
                    client.fetch(server.node(), List.of(new BlockKey(0, number, 0, 1)), reader.listener(number));
                    assertTrue(client.pinnedBytes() + server.pinnedBytes() <= 256 << 20, "too much is pinned");
                }
                for (int i = 0; i < AT_A_TIME - HELD; i++) {
                    reader.await();
                }
            }
            assertEquals(blocks, client.figures().blocksReceived.sum());
            assertTrue(client.figures().blocksUnpooled.sum() > 0, "there was room for all");
            assertEquals(0, client.slicesOut() + client.unpooledBytes());
        }
    }
}
