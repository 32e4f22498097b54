// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import dev.isthmus.nio.RdmaServerSocketChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * Sends back what clients send, over a socket. One line decides that the sockets use RDMA. Clients are other programs
 * that use dev.isthmus.nio, and any C program under librspreload.so.
 */
public final class SocketEcho {

    private SocketEcho() {}

    /**
     * Needs an RDMA device. Runs until you end it.
     *
     * @param args the address and port to listen at
     * @throws IOException if it cannot listen there
     */
    public static void main(String... args) throws IOException {
        if (args.length < 2) {
            System.err.println("usage: SocketEcho ADDRESS PORT");
            System.exit(2);
        }
        try (ServerSocketChannel server = RdmaServerSocketChannel.open()) { // ServerSocketChannel.open() for TCP
            server.bind(new InetSocketAddress(args[0], Integer.parseInt(args[1])));
            System.out.println("listening at " + server.getLocalAddress());
            while (true) {
                serve(server);
            }
        }
    }

    /** Accepts a client, and leaves it to a virtual thread. */
    static Thread serve(ServerSocketChannel server) throws IOException {
        SocketChannel client = server.accept();
        return Thread.ofVirtual().start(() -> echo(client));
    }

    private static void echo(SocketChannel client) {
        try (client) {
            var buffer = ByteBuffer.allocateDirect(8192);
            long bytes = 0;
            while (client.read(buffer) >= 0) {
                bytes += client.write(buffer.flip()); // all of it, as the channel blocks
                buffer.clear();
            }
            System.out.println(bytes + " bytes");
        } catch (IOException e) {
            System.out.println(e.getMessage());
        }
    }
}
