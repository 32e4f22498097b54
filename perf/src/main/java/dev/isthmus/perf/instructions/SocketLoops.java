// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.instructions;

import dev.isthmus.nio.RdmaServerSocketChannel;
import dev.isthmus.nio.RdmaSocketChannel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * Two sockets over RDMA that are connected to each other, and the loop of one thread over them. It has a twin in {@code
 * sockets.c}, line by line: what is changed here is changed there.
 */
final class SocketLoops implements AutoCloseable {

    private final RdmaSocketChannel client;
    private final RdmaSocketChannel server;
    private final ByteBuffer written;
    private final ByteBuffer read;

    SocketLoops(String address, SocketRow row) throws IOException {
        try (var listener = RdmaServerSocketChannel.open()) {
            listener.bind(new InetSocketAddress(address, 0));
            client = RdmaSocketChannel.open(listener.getLocalAddress());
            server = listener.accept();
        }
        client.configureBlocking(row.blocking());
        server.configureBlocking(row.blocking());
        written = ByteBuffer.allocateDirect(row.bytes());
        read = ByteBuffer.allocateDirect(row.bytes());
    }

    /** Writes and reads, until all is read. In non-blocking mode that polls. */
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

    @Override
    public void close() throws IOException {
        client.close();
        server.close();
    }
}
