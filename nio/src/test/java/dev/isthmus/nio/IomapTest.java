// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Memory that one end of a socket maps, and the other writes into. */
@Tag("device")
@Tag("iwarp")
class IomapTest {

    private static final int MAPS = 2;

    /** Two sockets, each of which lets the other map memory. */
    private static final class Ends implements AutoCloseable {
        final RdmaServerSocketChannel listener = RdmaServerSocketChannel.open();
        final RdmaSocketChannel client = RdmaSocketChannel.open();
        final RdmaSocketChannel server;

        Ends(int maps, int inline) throws IOException {
            listener.setOption(RdmaSocketOptions.IOMAP_SIZE, maps).setOption(RdmaSocketOptions.INLINE, inline);
            listener.bind(new InetSocketAddress(Hosts.far(), 0));
            client.setOption(RdmaSocketOptions.IOMAP_SIZE, maps).setOption(RdmaSocketOptions.INLINE, inline);
            client.connect(listener.getLocalAddress());
            server = listener.accept();
            say(client, server); // on iWARP who has accepted says nothing before that
        }

        Ends() throws IOException {
            this(MAPS, 64);
        }

        @Override
        public void close() throws IOException {
            client.close();
            server.close();
            listener.close();
        }
    }

    /** Sends a message; when it is heard, everything before it has arrived. */
    private static void say(RdmaSocketChannel from, RdmaSocketChannel to) throws IOException {
        assertEquals(1, from.write(ByteBuffer.allocate(1)));
        assertEquals(1, to.read(ByteBuffer.allocate(1)));
    }

    private static ByteBuffer some(int bytes, int seed) {
        ByteBuffer some = ByteBuffer.allocate(bytes);
        for (int i = 0; i < bytes; i++) {
            some.put(i, (byte) (i * 31 + seed));
        }
        return some;
    }

    private static void assertBytes(ByteBuffer expected, Iomap map, int at) {
        ByteBuffer there = map.segment().asByteBuffer().slice(at, expected.capacity());
        assertEquals(-1, there.mismatch(expected.clear()));
    }

    @ParameterizedTest
    @CsvSource({"1, 64", "64, 64", "65, 64", "1000, 0", "16, 0", "131072, 64", "1000000, 64", "1000000, 0"})
    void shouldWriteWhatIsThereBeforeWhatIsWrittenNext(int bytes, int inline) throws Exception {
        try (var ends = new Ends(MAPS, inline);
                Iomap map = ends.server.iomap(0, bytes);
                Iomap other = ends.client.iomap(1L << 40, bytes)) {
            say(ends.server, ends.client);
            say(ends.client, ends.server);
            for (int i = 0; i < 3; i++) {
                ByteBuffer one = some(bytes, i);
                assertEquals(bytes, ends.client.iowrite(one, 0));
                assertFalse(one.hasRemaining());
                say(ends.client, ends.server);
                assertBytes(one, map, 0);
                ByteBuffer another = some(bytes, 7 + i);
                assertEquals(bytes, ends.server.iowrite(another, 1L << 40));
                say(ends.server, ends.client);
                assertBytes(another, other, 0);
            }
        }
    }

    @Test
    void shouldWriteAPartAndNothingElse() throws Exception {
        try (var ends = new Ends();
                Iomap map = ends.server.iomap(1000, 100)) {
            assertEquals(1000, map.offset());
            say(ends.server, ends.client);
            ByteBuffer part = ByteBuffer.wrap(new byte[] {1, 2, 3, 4, 5}, 1, 3);
            assertEquals(3, ends.client.iowrite(part, 1050));
            assertEquals(4, part.position());
            say(ends.client, ends.server);
            for (int i = 0; i < 100; i++) {
                assertEquals(i >= 50 && i < 53 ? i - 48 : 0, map.segment().get(JAVA_BYTE, i), "byte " + i);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"999, 1", "1100, 1", "1099, 2", "1000, 101", "0, 1", "-1, 1", "1050, 60", "9223372036854775807, 2"})
    void shouldWriteNothingWhereNothingIsMapped(long offset, int bytes) throws Exception {
        try (var ends = new Ends();
                Iomap map = ends.server.iomap(1000, 100);
                Iomap next = ends.server.iomap(1200, 100)) {
            say(ends.server, ends.client);
            ByteBuffer from = some(bytes, 1);
            var e = assertThrows(IndexOutOfBoundsException.class, () -> ends.client.iowrite(from, offset));
            assertTrue(e.getMessage().contains(bytes + " bytes at offset " + offset), e.getMessage());
            assertEquals(0, from.position());
            say(ends.client, ends.server);
            assertBytes(ByteBuffer.allocate(100), map, 0);
            assertBytes(ByteBuffer.allocate(100), next, 0);
            assertEquals(1, ends.client.iowrite(some(1, 1), 1200));
        }
    }

    @Test
    void shouldWriteNothingWhenThePeerHasMappedNothing() throws Exception {
        try (var ends = new Ends()) {
            assertThrows(IndexOutOfBoundsException.class, () -> ends.client.iowrite(ByteBuffer.allocate(1), 0));
            say(ends.client, ends.server);
        }
    }

    @Test
    void shouldMapNoMoreThanThePeerHasRoomFor() throws Exception {
        try (var ends = new Ends()) {
            Iomap first = ends.client.iomap(0, 10);
            Iomap second = ends.client.iomap(10, 10);
            var e = assertThrows(IOException.class, () -> ends.client.iomap(20, 10));
            assertTrue(e.getMessage().contains("map 2 regions at a time"), e.getMessage());
            first.close();
            Iomap third = ends.client.iomap(20, 10);
            say(ends.client, ends.server);
            assertEquals(10, ends.server.iowrite(some(10, 3), 20));
            assertEquals(10, ends.server.iowrite(some(10, 2), 10));
            assertThrows(IndexOutOfBoundsException.class, () -> ends.server.iowrite(some(10, 1), 0));
            say(ends.server, ends.client);
            assertBytes(some(10, 2), second, 0);
            assertBytes(some(10, 3), third, 0);
        }
    }

    @Test
    void shouldMapNothingWhereThePeerLetsNobody() throws Exception {
        try (Pair pair = Pair.connected()) {
            assertEquals(0, pair.client.getOption(RdmaSocketOptions.IOMAP_SIZE));
            var e = assertThrows(IOException.class, () -> pair.client.iomap(0, 1));
            assertTrue(e.getMessage().contains("RDMA_IOMAPSIZE"), e.getMessage());
            say(pair.client, pair.server);
        }
    }

    @Test
    void shouldResetWhoeverWritesToWhatIsUnmapped() throws Exception {
        try (var ends = new Ends()) {
            Iomap map = ends.server.iomap(0, 10);
            var memory = map.segment();
            say(ends.server, ends.client);
            map.close();
            map.close();
            assertThrows(IllegalStateException.class, () -> memory.get(JAVA_BYTE, 0));
            ends.client.iowrite(some(10, 1), 0);
            assertThrows(IOException.class, () -> {
                while (ends.client.read(ByteBuffer.allocate(1)) >= 0) {
                    Thread.onSpinWait();
                }
                ends.client.write(ByteBuffer.allocate(1));
            });
        }
    }

    @Test
    void shouldKeepWhatIsMappedAfterThePeerHasGone() throws Exception {
        try (var ends = new Ends();
                Iomap map = ends.server.iomap(0, 10)) {
            say(ends.server, ends.client);
            ends.client.iowrite(some(10, 1), 0);
            ends.client.close();
            assertEquals(-1, ends.server.read(ByteBuffer.allocate(1)));
            assertBytes(some(10, 1), map, 0);
        }
    }

    @Test
    void shouldFreeWhatIsMappedWithTheConnection() throws Exception {
        try (var ends = new Ends()) {
            Iomap map = ends.server.iomap(0, 10);
            ends.client.close();
            ends.server.close();
            long end = System.nanoTime() + TestDeadlines.ofSeconds(60).toNanos();
            while (map.segment().scope().isAlive()) {
                assertTrue(System.nanoTime() < end, "it is not freed");
                Thread.onSpinWait();
            }
            map.close();
            assertThrows(ClosedChannelException.class, () -> ends.server.iomap(0, 10));
        }
    }

    @Test
    void shouldMapAndUnmapManyTimes() throws Exception {
        try (var ends = new Ends(1, 64)) {
            for (int i = 0; i < 1000; i++) { // more than there are credits
                try (Iomap map = ends.server.iomap(i, 64)) {
                    say(ends.server, ends.client);
                    ends.client.iowrite(some(64, i), i);
                    say(ends.client, ends.server);
                    assertBytes(some(64, i), map, 0);
                }
            }
        }
    }

    @Test
    void shouldReturnWhenNothingCanBeSentInNonBlockingMode() throws Exception {
        try (var ends = new Ends();
                Iomap map = ends.server.iomap(0, 1 << 20)) {
            say(ends.server, ends.client);
            ends.client.configureBlocking(false);
            ByteBuffer data = some(1 << 20, 1);
            while (data.hasRemaining()) {
                int count = ends.client.iowrite(data, data.position());
                assertTrue(count >= 0);
            }
            int room = ends.server.getOption(StandardSocketOptions.SO_RCVBUF) - 1; // a byte was said
            for (int sent = 0; sent < room; ) {
                sent += ends.client.write(ByteBuffer.allocate(room));
            }
            assertEquals(0, ends.client.iowrite(ByteBuffer.allocate(1), 0));
            assertNull(ends.client.iomap(0, 1));
            ByteBuffer into = ByteBuffer.allocate(room);
            while (into.hasRemaining()) {
                assertTrue(ends.server.read(into) > 0);
            }
            assertBytes(data, map, 0);
            Iomap made = ends.client.iomap(0, 1);
            for (; made == null; made = ends.client.iomap(0, 1)) {
                Thread.onSpinWait();
            }
            assertEquals("Iomap[offset=0 bytes=1]", made.toString());
        }
    }

    @Test
    void shouldRefuseWhatCannotBeMapped() throws Exception {
        try (var ends = new Ends()) {
            assertThrows(IllegalArgumentException.class, () -> ends.client.iomap(-1, 10));
            assertThrows(IllegalArgumentException.class, () -> ends.client.iomap(0, 0));
            assertThrows(IllegalArgumentException.class, () -> ends.client.iomap(0, 1L << 32));
            assertThrows(IllegalArgumentException.class, () -> ends.client.iomap(Long.MAX_VALUE, 1));
            ends.client.shutdownOutput();
            assertThrows(ClosedChannelException.class, () -> ends.client.iomap(0, 10));
            assertThrows(ClosedChannelException.class, () -> ends.client.iowrite(ByteBuffer.allocate(1), 0));
            ends.client.close();
            assertThrows(ClosedChannelException.class, () -> ends.client.iowrite(ByteBuffer.allocate(1), 0));
        }
        try (RdmaSocketChannel unconnected = RdmaSocketChannel.open()) {
            assertThrows(NotYetConnectedException.class, () -> unconnected.iomap(0, 1));
            assertThrows(NotYetConnectedException.class, () -> unconnected.iowrite(ByteBuffer.allocate(1), 0));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 130})
    void shouldHaveAsManyEntriesAsThePeerIsTold(int size) throws Exception {
        int rounded = Math.min(size, 128);
        try (var ends = new Ends(size, 64)) {
            assertEquals(rounded, ends.client.getOption(RdmaSocketOptions.IOMAP_SIZE));
            for (int i = 0; i < rounded; i++) {
                assertEquals(i, ends.server.iomap(i, 1).offset());
            }
            var e = assertThrows(IOException.class, () -> ends.server.iomap(1000, 1));
            assertTrue(e.getMessage().contains("map " + rounded + " regions"), e.getMessage());
            say(ends.server, ends.client);
            for (int i = 0; i < rounded; i++) {
                assertEquals(1, ends.client.iowrite(ByteBuffer.allocate(1), i));
            }
        }
    }
}
