// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static java.nio.channels.SelectionKey.OP_CONNECT;
import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The operations for which selectors report channels as ready. */
interface ReadyContract {

    long LONG = TestDeadlines.ofSeconds(60).toMillis(); // milliseconds, which no test waits for

    Transport transport();

    private static SelectionKey register(Selector selector, SelectableChannel channel, int operations)
            throws IOException {
        channel.configureBlocking(false);
        return channel.register(selector, operations);
    }

    /** Selects one key, and removes it from the selected ones. */
    private static void selects(Selector selector, SelectionKey key, int operations) throws IOException {
        assertEquals(1, selector.select(LONG));
        assertEquals(Set.of(key), selector.selectedKeys());
        assertEquals(operations, key.readyOps());
        selector.selectedKeys().clear();
    }

    private static ByteBuffer bytes(int count) {
        return ByteBuffer.allocate(count);
    }

    @Test
    default void shouldTellOfConnections() throws Exception {
        try (Selector selector = transport().openSelector();
                ServerSocketChannel listener = transport().listening();
                SocketChannel client = transport().open()) {
            SelectionKey accepts = register(selector, listener, OP_ACCEPT);
            assertEquals(0, selector.selectNow());
            client.configureBlocking(false);
            if (!client.connect(listener.getLocalAddress())) {
                SelectionKey connects = register(selector, client, OP_CONNECT);
                while (selector.selectedKeys().size() < 2) {
                    selector.select(LONG);
                }
                assertEquals(Set.of(accepts, connects), selector.selectedKeys());
                assertTrue(connects.isConnectable() && accepts.isAcceptable());
                selector.selectedKeys().clear();
                assertTrue(client.finishConnect());
                connects.interestOps(OP_READ | OP_WRITE);
            }
            try (SocketChannel server = listener.accept()) {
                assertNotNull(server);
                assertNull(listener.accept());
                selects(selector, client.keyFor(selector), OP_WRITE);
                client.keyFor(selector).interestOps(OP_READ);
                assertEquals(0, selector.selectNow());
                server.write(bytes(3));
                selects(selector, client.keyFor(selector), OP_READ);
            }
        }
    }

    @Test
    default void shouldTellAsLongAsThereIsSomething() throws Exception {
        try (var linked = transport().linked();
                Selector selector = transport().openSelector()) {
            SelectionKey key = register(selector, linked.server, OP_READ);
            assertEquals(0, selector.selectNow());
            for (int round = 0; round < 100; round++) {
                linked.client.write(bytes(10));
                selects(selector, key, OP_READ);
                assertEquals(4, linked.server.read(bytes(4)));
                selects(selector, key, OP_READ);
                assertEquals(6, linked.server.read(bytes(100)));
                assertEquals(0, selector.selectNow());
            }
        }
    }

    @Test
    default void shouldTellOfSleepers() throws Exception {
        try (var linked = transport().linked();
                Selector selector = transport().openSelector()) {
            SelectionKey key = register(selector, linked.server, OP_READ);
            for (int round = 0; round < 20; round++) {
                Running<Integer> selecting = Running.of(selector::select).awaitBlocked();
                linked.client.write(bytes(10));
                assertEquals(1, selecting.get());
                assertTrue(selector.selectedKeys().remove(key));
                assertEquals(10, linked.server.read(bytes(100)));
            }
        }
    }

    @Test
    default void shouldTellOfRoom() throws Exception {
        try (var linked = transport().linked();
                Selector selector = transport().openSelector()) {
            SelectionKey key = register(selector, linked.client, OP_WRITE);
            selects(selector, key, OP_WRITE);
            long written = 0;
            Running<Integer> selecting;
            do { // TCP may take more once it has moved bytes to the peer, on which nothing can wait
                for (int last = 1; last > 0 || selector.selectNow() > 0; written += last) {
                    selector.selectedKeys().clear();
                    last = linked.client.write(bytes(1 << 16));
                }
                selecting = Running.of(selector::select);
            } while (!selecting.blocks());
            for (long left = written; left > 0; ) {
                left -= linked.server.read(bytes(1 << 16));
            }
            assertEquals(1, selecting.get());
            assertTrue(key.isWritable());
            assertTrue(linked.client.write(bytes(1)) > 0);
        }
    }

    @Test
    default void shouldTellOfTheEnd() throws Exception {
        try (var linked = transport().linked();
                Selector selector = transport().openSelector()) {
            SelectionKey key = register(selector, linked.server, OP_READ);
            linked.client.write(bytes(5));
            linked.client.shutdownOutput();
            selects(selector, key, OP_READ);
            ByteBuffer into = bytes(100);
            while (linked.server.read(into) >= 0) {
                selects(selector, key, OP_READ);
            }
            assertEquals(5, into.position());
            selects(selector, key, OP_READ);
            linked.client.close();
            selects(selector, key, OP_READ);
            assertEquals(-1, linked.server.read(into));
        }
    }

    @Test
    default void shouldTellOfAReset() throws Exception {
        try (var linked = transport().linked();
                Selector selector = transport().openSelector()) {
            SelectionKey key = register(selector, linked.server, OP_READ);
            Running<Integer> selecting = Running.of(selector::select).awaitBlocked();
            linked.client.setOption(StandardSocketOptions.SO_LINGER, 0);
            linked.client.close();
            assertEquals(1, selecting.get());
            assertTrue(key.isReadable());
            assertThrows(IOException.class, () -> linked.server.read(bytes(1)));
        }
    }

    @Test
    default void shouldTellOfAConnectThatFails() throws Exception {
        try (Selector selector = transport().openSelector();
                SocketChannel client = transport().open()) {
            client.configureBlocking(false);
            client.connect(new InetSocketAddress(transport().serverAddress(), 9));
            selects(selector, register(selector, client, OP_CONNECT), OP_CONNECT);
            assertThrows(ConnectException.class, client::finishConnect);
            assertFalse(client.isOpen());
        }
    }

    @Test
    default void shouldTellOfNothingBeforeTheAnswer() throws Exception {
        try (var silent = transport().silent();
                Selector selector = transport().openSelector();
                SocketChannel client = transport().open()) {
            client.configureBlocking(false);
            assertFalse(client.connect(silent.address()));
            register(selector, client, OP_CONNECT);
            assertEquals(0, selector.select(100));
        }
    }

    @Test
    default void shouldTellBothSelectors() throws Exception {
        try (var linked = transport().linked();
                Selector one = transport().openSelector();
                Selector other = transport().openSelector()) {
            SelectionKey first = register(one, linked.server, OP_READ);
            SelectionKey second = register(other, linked.server, OP_READ);
            for (int round = 0; round < 20; round++) {
                Running<Integer> selecting = Running.of(one::select).awaitBlocked();
                Running<Integer> too = Running.of(other::select).awaitBlocked();
                linked.client.write(bytes(1));
                assertEquals(1, selecting.get());
                assertEquals(1, too.get());
                assertTrue(
                        one.selectedKeys().remove(first) && other.selectedKeys().remove(second));
                assertEquals(1, linked.server.read(bytes(10)));
            }
            first.cancel();
            assertEquals(0, one.selectNow());
            linked.client.write(bytes(1));
            selects(other, second, OP_READ);
        }
    }

    @Test
    default void shouldTellEachOfMany() throws Exception {
        List<Transport.Linked> all = new ArrayList<>();
        try (Selector selector = transport().openSelector()) {
            for (int i = 0; i < 20; i++) {
                all.add(transport().linked(4096)); // SoftiWARP counts all against ulimit -l: 8 MiB in the testbed
                register(selector, all.get(i).server, OP_READ).attach(all.get(i));
            }
            for (int round = 0; round < 50; round++) {
                for (int i = round % 3; i < all.size(); i += 3) {
                    all.get(i).client.write(bytes(1 + i));
                }
                for (int i = round % 3; i < all.size(); ) {
                    assertTrue(selector.select(LONG) > 0);
                    for (SelectionKey key : selector.selectedKeys()) {
                        int number = all.indexOf((Transport.Linked) key.attachment());
                        assertEquals(round % 3, number % 3);
                        assertEquals(1 + number, ((SocketChannel) key.channel()).read(bytes(100)));
                        i += 3;
                    }
                    selector.selectedKeys().clear();
                }
                assertEquals(0, selector.selectNow());
            }
        } finally {
            for (Transport.Linked each : all) {
                each.close();
            }
        }
    }

    @Test
    default void shouldTellOfDataWhileSomebodyWaitsToBeAccepted() throws Exception {
        try (var linked = transport().linked();
                Selector selector = transport().openSelector();
                ServerSocketChannel listener = transport().listening();
                SocketChannel waiting = transport().open()) {
            SelectionKey reads = register(selector, linked.server, OP_READ);
            SelectionKey accepts = register(selector, listener, OP_ACCEPT);
            assertEquals(0, selector.select(20)); // both wait for events now
            waiting.connect(listener.getLocalAddress());
            selects(selector, accepts, OP_ACCEPT);
            linked.client.write(bytes(1));
            long begin = System.nanoTime();
            while (!selector.selectedKeys().contains(reads)) {
                assertTrue(System.nanoTime() - begin < LONG * 1_000_000, "it reports the listener alone");
                selector.select(LONG);
            }
            assertEquals(1, linked.server.read(bytes(10)));
            assertTrue(accepts.isAcceptable());
        }
    }

    @Test
    default void shouldUpdateSelectedKeys() throws Exception {
        try (var linked = transport().linked();
                Selector selector = transport().openSelector()) {
            SelectionKey key = register(selector, linked.server, OP_WRITE);
            assertEquals(1, selector.select(LONG));
            assertEquals(OP_WRITE, key.readyOps());
            assertEquals(0, selector.select(LONG)); // it is selected already, and ready
            key.interestOps(OP_READ | OP_WRITE);
            linked.client.write(bytes(1));
            while (!key.isReadable()) {
                selector.select(LONG);
            }
            assertEquals(OP_READ | OP_WRITE, key.readyOps());
            assertEquals(1, linked.server.read(bytes(1)));
            selector.select(LONG);
            assertEquals(OP_READ | OP_WRITE, key.readyOps()); // operations are added, until it is taken out
            selector.selectedKeys().remove(key);
            selects(selector, key, OP_WRITE);
            key.interestOps(0);
            assertEquals(0, selector.selectNow());
            assertSame(key, key.channel().keyFor(selector));
        }
    }

    @Test
    default void shouldCallBack() throws Exception {
        try (var linked = transport().linked();
                Selector selector = transport().openSelector()) {
            SelectionKey key = register(selector, linked.server, OP_READ | OP_WRITE);
            List<SelectionKey> found = new ArrayList<>();
            assertEquals(1, selector.select(found::add));
            assertEquals(1, selector.select(found::add, LONG));
            assertEquals(1, selector.selectNow(found::add));
            assertEquals(List.of(key, key, key), found);
            assertTrue(selector.selectedKeys().isEmpty());
        }
    }

    @Test
    default void shouldRefuseWhatChannelsHaveNot() throws Exception {
        try (var linked = transport().linked();
                Selector selector = transport().openSelector()) {
            assertThrows(IllegalBlockingModeException.class, () -> linked.server.register(selector, OP_READ));
            SelectionKey key = register(selector, linked.server, OP_READ);
            assertThrows(IllegalArgumentException.class, () -> key.interestOps(OP_ACCEPT));
            assertThrows(IllegalArgumentException.class, () -> linked.client.register(selector, OP_ACCEPT));
            assertThrows(IllegalBlockingModeException.class, () -> linked.server.configureBlocking(true));
            assertThrows(IllegalArgumentException.class, () -> selector.select(-1));
            linked.client.close();
            assertThrows(ClosedChannelException.class, () -> linked.client.register(selector, OP_READ));
        }
    }
}
