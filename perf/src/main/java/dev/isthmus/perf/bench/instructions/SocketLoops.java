// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.instructions;

import dev.isthmus.nio.RdmaSelector;
import dev.isthmus.nio.RdmaServerSocketChannel;
import dev.isthmus.nio.RdmaSocketChannel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;

/**
 * Two connected sockets over RDMA, and one thread's loop over them. It has a twin in {@code sockets.c}, line by line:
 * change both.
 */
final class SocketLoops implements AutoCloseable {

    private final RdmaSocketChannel client;
    private final RdmaSocketChannel server;
    private final RdmaSelector selector; // null without selects
    private final ByteBuffer written;
    private final ByteBuffer read;

    SocketLoops(String address, SocketRow row) throws IOException {
        try (var listener = RdmaServerSocketChannel.open()) {
            listener.bind(new InetSocketAddress(address, 0));
            client = RdmaSocketChannel.open(listener.getLocalAddress());
            server = listener.accept();
        }
        client.configureBlocking(row.mode() == SocketRow.Mode.BLOCKING);
        server.configureBlocking(row.mode() == SocketRow.Mode.BLOCKING);
        selector = row.mode() == SocketRow.Mode.SELECT ? RdmaSelector.open() : null;
        if (selector != null) {
            server.register(selector, SelectionKey.OP_READ);
        }
        written = ByteBuffer.allocateDirect(row.bytes());
        read = ByteBuffer.allocateDirect(row.bytes());
    }

    /** Writes, and reads until everything is read. In non-blocking mode that polls. */
    long run(int count) {
        long begin = System.nanoTime();
        try {
            for (int i = 0; i < count; i++) {
                written.clear();
                while (written.hasRemaining()) {
                    client.write(written);
                }
                read.clear();
                while (read.hasRemaining()) {
                    if (selector != null) {
                        await();
                    }
                    if (server.read(read) < 0) {
                        throw new IllegalStateException("the stream has ended");
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return System.nanoTime() - begin;
    }

    private void await() throws IOException {
        if (selector.select() != 1) {
            throw new IllegalStateException("the select has ended, but there is nothing to read");
        }
        selector.selectedKeys().clear();
    }

    @Override
    public void close() throws IOException {
        if (selector != null) {
            selector.close();
        }
        client.close();
        server.close();
    }
}
