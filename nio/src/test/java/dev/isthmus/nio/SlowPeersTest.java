// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A server with one thread and one selector: clients that do not take what they have asked for, or never ask, hold up
 * no other.
 */
@Tag("device")
class SlowPeersTest {

    /** One in a hundred of them is slow, and each pins 16 KiB: {@code -Disthmus.test.clients=1000}. */
    private static final int CLIENTS = Integer.getInteger("isthmus.test.clients", 30);

    private static final int SLOW = Math.max(1, CLIENTS / 100);
    private static final int SMALL = 4096;
    private static final int LITTLE = 3 * SMALL;
    private static final int MUCH = 64 * SMALL;
    private static final int TURNS = 3;

    /** Answers a number of 4 bytes with that many bytes, each of which is its position. */
    private static final class Server implements AutoCloseable {

        private final RdmaServerSocketChannel listener = RdmaServerSocketChannel.open();
        private final Selector selector = RdmaSelector.open();
        private final Set<SocketChannel> stuck =
                ConcurrentHashMap.newKeySet(); // with more to write than there is room for
        private final Running<Integer> running;

        Server() throws IOException {
            withSmallBuffers(listener).bind(new InetSocketAddress(Hosts.far(), 0), 2 * CLIENTS);
            listener.configureBlocking(false).register(selector, OP_ACCEPT);
            running = Running.of(this::serve);
        }

        private int serve() throws IOException {
            int ended = 0;
            while (ended < CLIENTS + 1) {
                selector.select();
                for (SelectionKey key : selector.selectedKeys()) {
                    if (key.isAcceptable()) {
                        listener.accept()
                                .configureBlocking(false)
                                .register(selector, OP_READ, ByteBuffer.allocate(MUCH));
                    } else if (key.isReadable()) {
                        ended += asked(key) ? 0 : 1;
                    } else {
                        answer(key);
                    }
                }
                selector.selectedKeys().clear();
            }
            return ended;
        }

        private boolean asked(SelectionKey key) throws IOException {
            ByteBuffer number = ByteBuffer.allocate(4);
            if (((SocketChannel) key.channel()).read(number) < 0) {
                key.channel().close();
                return false;
            }
            ByteBuffer answer = ((ByteBuffer) key.attachment()).clear();
            for (int left = number.getInt(0); left > 0; left--) {
                answer.put((byte) answer.position());
            }
            answer.flip();
            answer(key);
            return true;
        }

        private void answer(SelectionKey key) throws IOException {
            var to = (SocketChannel) key.channel();
            ByteBuffer rest = (ByteBuffer) key.attachment();
            to.write(rest);
            key.interestOps(rest.hasRemaining() ? OP_WRITE : OP_READ);
            if (!rest.hasRemaining()) {
                stuck.remove(to);
            } else {
                stuck.add(to);
            }
        }

        @Override
        public void close() throws IOException {
            selector.close();
            listener.close();
        }
    }

    private static RdmaServerSocketChannel withSmallBuffers(RdmaServerSocketChannel server) throws IOException {
        server.setOption(StandardSocketOptions.SO_RCVBUF, SMALL);
        server.setOption(RdmaSocketOptions.SEND_QUEUE, 16);
        server.setOption(RdmaSocketOptions.RECEIVE_QUEUE, 16);
        return server;
    }

    private static SocketChannel connect(Server to) throws IOException {
        RdmaSocketChannel client = RdmaSocketChannel.open();
        client.setOption(StandardSocketOptions.SO_RCVBUF, SMALL);
        client.setOption(StandardSocketOptions.SO_SNDBUF, SMALL);
        client.setOption(RdmaSocketOptions.SEND_QUEUE, 16);
        client.setOption(RdmaSocketOptions.RECEIVE_QUEUE, 16);
        client.connect(to.listener.getLocalAddress());
        return client;
    }

    private static void ask(SocketChannel client, int bytes) throws IOException {
        assertEquals(4, client.write(ByteBuffer.allocate(4).putInt(0, bytes)));
    }

    private static void take(SocketChannel client, int bytes) throws IOException {
        ByteBuffer answer = ByteBuffer.allocate(bytes);
        while (answer.hasRemaining()) {
            assertTrue(client.read(answer) > 0);
        }
        for (int i = 0; i < bytes; i++) {
            assertEquals((byte) i, answer.get(i));
        }
    }

    private static void close(Collection<SocketChannel> channels) throws IOException {
        for (SocketChannel each : channels) {
            each.close();
        }
    }

    @Test
    void shouldHoldUpNobodyElse() throws Exception {
        try (var server = new Server()) {
            List<SocketChannel> slow = new ArrayList<>();
            List<SocketChannel> quick = new ArrayList<>();
            SocketChannel silent = connect(server);
            for (int i = 0; i < CLIENTS; i++) {
                (i < SLOW ? slow : quick).add(connect(server));
            }
            for (SocketChannel each : slow) {
                ask(each, MUCH);
            }
            for (int turn = 0; turn < TURNS; turn++) {
                for (SocketChannel each : quick) {
                    ask(each, LITTLE);
                }
                for (SocketChannel each : quick) {
                    take(each, LITTLE);
                }
            }
            assertTrue(server.stuck.size() >= SLOW, "those that take nothing have room");
            for (SocketChannel each : slow) {
                take(each, MUCH);
            }
            close(slow);
            close(quick);
            silent.close();
            assertEquals(CLIENTS + 1, server.running.get());
        }
    }
}
