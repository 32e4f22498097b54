// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("device")
@Tag("iwarp")
class SocketChannelTest {

    private static final int ROUNDS = 20;

    @Test
    void shouldExchangeBytesBothWays() throws Exception {
        try (var pair = Pair.connected()) {
            ByteBuffer hello = ByteBuffer.wrap("hello".getBytes(UTF_8));
            assertEquals(5, pair.client.write(hello));
            ByteBuffer into = ByteBuffer.allocateDirect(100);
            assertEquals(5, pair.server.read(into));
            assertEquals(5, pair.server.write(into.flip()));
            ByteBuffer back = ByteBuffer.allocate(100);
            assertEquals(5, pair.client.read(back));
            assertEquals("hello", new String(back.array(), 0, 5, UTF_8));
        }
    }

    @Test
    void shouldCarryMoreThanItsRingsHold() throws Exception {
        try (var pair = Pair.connected()) {
            byte[] sent = new byte[3_000_001];
            new Random(4).nextBytes(sent);
            CompletableFuture<Integer> writing = pair.async(() -> pair.client.write(ByteBuffer.wrap(sent)));
            ByteBuffer into = ByteBuffer.allocate(sent.length);
            while (into.hasRemaining()) {
                assertTrue(pair.server.read(into) > 0);
            }
            assertEquals(sent.length, writing.get(TestDeadlines.seconds(60), TimeUnit.SECONDS));
            assertEquals(-1, into.flip().mismatch(ByteBuffer.wrap(sent)));
        }
    }

    @Test
    void shouldTellTheEndWhenThePeerCloses() throws Exception {
        try (var pair = Pair.connected()) {
            pair.client.write(ByteBuffer.wrap(new byte[10]));
            pair.client.close();
            ByteBuffer into = ByteBuffer.allocate(100);
            assertEquals(10, pair.server.read(into));
            assertEquals(-1, pair.server.read(into));
            assertEquals(-1, pair.server.read(into));
            assertThrows(IOException.class, () -> pair.server.write(ByteBuffer.wrap(new byte[1])));
        }
    }

    @Test
    void shouldReadOnAfterItsOutputIsShut() throws Exception {
        try (var pair = Pair.connected()) {
            pair.client.write(ByteBuffer.wrap(new byte[10]));
            pair.client.shutdownOutput();
            ByteBuffer into = ByteBuffer.allocate(100);
            assertEquals(10, pair.server.read(into));
            assertEquals(-1, pair.server.read(into));
            assertEquals(20, pair.server.write(ByteBuffer.wrap(new byte[20])));
            assertEquals(20, pair.client.read(into));
            pair.server.close();
            assertEquals(-1, pair.client.read(into));
        }
    }

    @Test
    void shouldRefuseWhereNobodyListens() {
        assertThrows(ConnectException.class, () -> RdmaSocketChannel.open(new InetSocketAddress(Hosts.far(), 9)));
    }

    @Test
    void shouldEndARead() throws Exception {
        try (var pair = Pair.connected()) {
            CompletableFuture<Integer> reading = pair.async(() -> pair.server.read(ByteBuffer.allocate(10)));
            pair.awaitWaiting();
            pair.server.close();
            var e = assertThrows(Exception.class, () -> reading.get(TestDeadlines.seconds(60), TimeUnit.SECONDS));
            assertEquals(AsynchronousCloseException.class, e.getCause().getClass());
        }
    }

    @Test
    void shouldEndAReadByAnInterrupt() throws Exception {
        try (var pair = Pair.connected()) {
            var thrown = new AtomicReference<Throwable>();
            var interrupted = new AtomicReference<Boolean>();
            var over = new CountDownLatch(1);
            Thread reader = Thread.ofPlatform().start(() -> {
                try {
                    pair.server.read(ByteBuffer.allocate(10));
                } catch (Throwable t) {
                    thrown.set(t);
                }
                interrupted.set(Thread.interrupted());
                over.countDown();
            });
            while (reader.getState() != Thread.State.RUNNABLE) {
                Thread.onSpinWait();
            }
            reader.interrupt();
            assertTrue(over.await(TestDeadlines.seconds(60), TimeUnit.SECONDS));
            assertEquals(ClosedByInterruptException.class, thrown.get().getClass());
            assertTrue(interrupted.get());
            assertTrue(!pair.server.isOpen());
        }
    }

    /** Its channel becomes non-blocking while it waits, and the selector may take the event that it waits for. */
    @Test
    void shouldEndAReadBesideASelector() throws Exception {
        try (var pair = Pair.connected();
                Selector selector = RdmaSelector.open()) {
            for (int i = 0; i < ROUNDS; i++) {
                CompletableFuture<Integer> reading = pair.async(() -> pair.server.read(ByteBuffer.allocate(1)));
                pair.awaitWaiting();
                SelectionKey key = pair.server.configureBlocking(false).register(selector, SelectionKey.OP_READ);
                Running<Integer> selecting = Running.of(selector::select).awaitBlocked();
                pair.client.write(ByteBuffer.allocate(1));
                assertEquals(1, reading.get(TestDeadlines.seconds(30), TimeUnit.SECONDS));
                key.cancel();
                selector.wakeup();
                selecting.get();
                selector.selectNow(); // after which it is registered no more
                pair.server.configureBlocking(true);
            }
        }
    }

    @Test
    void shouldReachItselfByLoopback() throws Exception {
        try (var server = RdmaServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            try (SocketChannel client = RdmaSocketChannel.open(server.getLocalAddress());
                    SocketChannel accepted = server.accept()) {
                client.write(ByteBuffer.wrap(new byte[7]));
                assertEquals(7, accepted.read(ByteBuffer.allocate(100)));
                assertEquals(server.getLocalAddress(), client.getRemoteAddress());
            }
        }
    }
}
