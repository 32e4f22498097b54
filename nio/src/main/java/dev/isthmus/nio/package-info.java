/**
 * Sockets over RDMA: channels of {@code java.nio} whose bytes travel by RDMA WRITE, in librdmacm's rsocket protocol.
 * Their peers are other programs that use this package, and C programs under {@code librspreload.so}.
 *
 * {@snippet :
 * try (ServerSocketChannel server = RdmaServerSocketChannel.open()) {
 *     server.bind(new InetSocketAddress(7471));
 *     try (SocketChannel client = server.accept()) {
 *         ByteBuffer buffer = ByteBuffer.allocate(4096);
 *         while (client.read(buffer) >= 0) {
 *             client.write(buffer.flip()); // all of it, as the channel blocks
 *             buffer.clear();
 *         }
 *     }
 * }
 * }
 */
package dev.isthmus.nio;
