// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What is read is what was written. */
interface DataContract {

    Transport transport();

    /** Bytes that show from where they are. */
    private static byte[] bytes(int seed, int length) {
        byte[] made = new byte[length];
        new Random(seed).nextBytes(made);
        return made;
    }

    private static byte[] readFully(SocketChannel from, int length) throws IOException {
        ByteBuffer into = ByteBuffer.allocate(length);
        while (into.hasRemaining()) {
            if (from.read(into) < 0) {
                throw new IOException("it ends after " + into.position() + " of " + length);
            }
        }
        return into.array();
    }

    private static void writeFully(SocketChannel to, ByteBuffer from) throws IOException {
        while (from.hasRemaining()) {
            to.write(from);
        }
    }

    @Test
    default void shouldKeepPositionsAndLimitsOfAllKindsOfBuffers() throws Exception {
        byte[] all = bytes(1, 40);
        List<ByteBuffer> sources = List.of(
                ByteBuffer.wrap(all),
                ByteBuffer.wrap(all).asReadOnlyBuffer(),
                ByteBuffer.allocateDirect(40).put(0, all),
                ByteBuffer.wrap(all).slice(5, 30),
                ByteBuffer.allocateDirect(40).put(0, all).slice(5, 30).asReadOnlyBuffer());
        List<ByteBuffer> targets = List.of(
                ByteBuffer.allocate(40),
                ByteBuffer.allocateDirect(40),
                ByteBuffer.allocate(50).slice(10, 40),
                ByteBuffer.allocateDirect(50).slice(10, 40));
        try (var linked = transport().linked()) {
            for (ByteBuffer source : sources) {
                for (ByteBuffer target : targets) {
                    source.limit(25).position(7);
                    target.limit(32).position(3);
                    assertEquals(18, linked.client.write(source));
                    assertEquals(25, source.position());
                    assertEquals(25, source.limit());
                    int count = 0;
                    while (count < 18) {
                        count += linked.server.read(target);
                    }
                    assertEquals(21, target.position());
                    assertEquals(32, target.limit());
                    assertEquals(source.slice(7, 18), target.slice(3, 18));
                }
            }
        }
    }

    @Test
    default void shouldReadNothingIntoBuffersWithoutRoom() throws Exception {
        ByteBuffer none = ByteBuffer.allocate(0);
        try (var linked = transport().linked()) {
            SocketChannel client = linked.client;
            assertEquals(0, client.read(none));
            assertEquals(0, client.read(new ByteBuffer[] {none, none}));
            assertEquals(0, client.read(new ByteBuffer[0]));
            assertEquals(0, client.write(none));
            assertEquals(0, client.write(new ByteBuffer[] {none, none}));
            assertEquals(0, client.write(new ByteBuffer[0]));
            ByteBuffer readOnly = ByteBuffer.allocate(1).asReadOnlyBuffer();
            assertThrows(IllegalArgumentException.class, () -> client.read(readOnly));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> client.read(new ByteBuffer[] {ByteBuffer.allocate(1), readOnly}));
            assertThrows(NullPointerException.class, () -> client.read((ByteBuffer) null));
            assertThrows(NullPointerException.class, () -> client.write((ByteBuffer) null));
            assertThrows(IndexOutOfBoundsException.class, () -> client.read(new ByteBuffer[2], 1, 2));
            assertThrows(IndexOutOfBoundsException.class, () -> client.write(new ByteBuffer[2], -1, 2));
            linked.server.write(ByteBuffer.allocate(1)); // nothing was lost by it
            assertEquals(1, client.read(ByteBuffer.allocate(10)));
        }
    }

    @Test
    default void shouldTellTheEndToBuffersWithRoomOnly() throws Exception {
        ByteBuffer none = ByteBuffer.allocate(0);
        ByteBuffer one = ByteBuffer.allocate(1);
        try (var linked = transport().linked()) {
            linked.server.shutdownOutput();
            assertEquals(-1, linked.client.read(one));
            assertEquals(-1, linked.client.read(new ByteBuffer[] {none, one}));
            assertEquals(0, linked.client.read(new ByteBuffer[0]));
        }
    }

    @Test
    default void shouldGatherAndScatter() throws Exception {
        byte[] all = bytes(2, 3 * 1500);
        ByteBuffer[] parts = new ByteBuffer[2 * 1500];
        for (int i = 0; i < 1500; i++) {
            parts[2 * i] = ByteBuffer.wrap(all, 3 * i, 3);
            parts[2 * i + 1] = ByteBuffer.allocate(0);
        }
        try (var linked = transport().linked()) {
            long written = 0;
            while (written < all.length) {
                written += linked.client.write(parts);
            }
            assertEquals(all.length, written);
            ByteBuffer[] into = new ByteBuffer[1502];
            for (int i = 0; i < into.length; i++) {
                into[i] = i % 2 == 0 ? ByteBuffer.allocate(6) : ByteBuffer.allocate(0);
            }
            long count = 0;
            while (count < all.length) {
                count += linked.server.read(into, 1, 1501);
            }
            assertEquals(all.length, count);
            assertEquals(0, into[0].position());
            ByteBuffer together = ByteBuffer.allocate(all.length);
            for (ByteBuffer part : into) {
                together.put(part.flip());
            }
            assertArrayEquals(all, together.array());
        }
    }

    @Test
    default void shouldReadAndWriteWithoutBlocking() throws Exception {
        try (var linked = transport().linked()) {
            SocketChannel client = linked.client;
            client.configureBlocking(false);
            ByteBuffer into = ByteBuffer.allocate(10);
            assertEquals(0, client.read(into));
            assertEquals(0, client.read(new ByteBuffer[] {into}));
            byte[] block = bytes(3, 10_000);
            int written = 0;
            for (int count = -1; count != 0; written += count) {
                count = client.write(
                        ByteBuffer.wrap(block, written % block.length, block.length - written % block.length));
            }
            int total = written;
            Running<byte[]> reading = Running.of(() -> readFully(linked.server, total + block.length));
            int left = written + block.length;
            while (written < left) {
                int at = written % block.length;
                written += client.write(ByteBuffer.wrap(block, at, Math.min(block.length - at, left - written)));
            }
            byte[] read = reading.get();
            for (int i = 0; i < read.length; i++) {
                assertEquals(block[i % block.length], read[i]);
            }
        }
    }

    @Test
    default void shouldReadAndWriteAtTheSameTime() throws Exception {
        int length = 1_000_003;
        try (var linked = transport().linked()) {
            List<Running<?>> all = new ArrayList<>();
            for (SocketChannel one : List.of(linked.client, linked.server)) {
                SocketChannel other = one.equals(linked.client) ? linked.server : linked.client;
                byte[] data = bytes(one.equals(linked.client) ? 5 : 6, length);
                all.add(Running.of(() -> {
                    writeFully(one, ByteBuffer.wrap(data));
                    return null;
                }));
                all.add(Running.of(() -> {
                    assertArrayEquals(data, readFully(other, length));
                    return null;
                }));
            }
            for (Running<?> running : all) {
                running.get();
            }
        }
    }

    @Test
    default void shouldNotMixWhatSeveralWrite() throws Exception {
        int writers = 4;
        int records = 6;
        int length = 100_001; // each of them passes a point at which the other has to wait
        try (var linked = transport().linked()) {
            List<Running<?>> all = new ArrayList<>();
            for (int writer = 1; writer <= writers; writer++) {
                byte[] record = new byte[length];
                java.util.Arrays.fill(record, (byte) writer);
                all.add(Running.of(() -> {
                    for (int i = 0; i < records; i++) {
                        assertEquals(length, linked.client.write(ByteBuffer.wrap(record)));
                    }
                    return null;
                }));
            }
            int[] seen = new int[writers + 1];
            for (int i = 0; i < writers * records; i++) {
                byte[] record = readFully(linked.server, length);
                seen[record[0]]++;
                for (byte one : record) {
                    assertEquals(record[0], one);
                }
            }
            assertArrayEquals(new int[] {0, records, records, records, records}, seen);
            for (Running<?> running : all) {
                running.get();
            }
        }
    }

    @Test
    default void shouldGiveEachByteToOneOfSeveralReaders() throws Exception {
        int length = 400_000;
        byte[] data = bytes(7, length);
        try (var linked = transport().linked()) {
            List<Running<long[]>> readers = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                readers.add(Running.of(() -> {
                    ByteBuffer into = ByteBuffer.allocate(1000);
                    long count = 0;
                    long sum = 0;
                    while (linked.server.read(into.clear()) >= 0) {
                        count += into.position();
                        for (int at = 0; at < into.position(); at++) {
                            sum += into.get(at);
                        }
                    }
                    return new long[] {count, sum};
                }));
            }
            writeFully(linked.client, ByteBuffer.wrap(data));
            linked.client.shutdownOutput();
            long count = 0;
            long sum = 0;
            for (Running<long[]> reader : readers) {
                count += reader.get()[0];
                sum += reader.get()[1];
            }
            assertEquals(length, count);
            long expected = 0;
            for (byte one : data) {
                expected += one;
            }
            assertEquals(expected, sum);
            assertTrue(linked.server.isOpen());
        }
    }
}
