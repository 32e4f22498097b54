// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import dev.isthmus.nio.RdmaServerSocketChannel;
import dev.isthmus.nio.RdmaSocketChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Sends a file over a socket by {@link FileChannel#transferTo}, or receives one. One line at each end decides that the
 * sockets use RDMA. The file ends when the sender shuts down its output.
 */
public final class SocketFile {

    private static final long PIECE = 1 << 20;

    private SocketFile() {}

    /**
     * Needs an RDMA device.
     *
     * @param args "send" and the file, or "receive" and the file; the address and port of the receiver
     * @throws IOException if the file cannot be read or written, or the connection fails
     */
    public static void main(String... args) throws IOException {
        if (args.length < 4 || !(args[0].equals("send") || args[0].equals("receive"))) {
            System.err.println("usage: SocketFile send|receive FILE ADDRESS PORT");
            System.exit(2);
        }
        var file = Path.of(args[1]);
        var address = new InetSocketAddress(args[2], Integer.parseInt(args[3]));
        if (args[0].equals("send")) {
            System.out.println("sent " + send(file, address) + " bytes");
        } else {
            try (ServerSocketChannel server = RdmaServerSocketChannel.open()) { // ServerSocketChannel.open() for TCP
                System.out.println("listening at " + server.bind(address).getLocalAddress());
                System.out.println("received " + receive(server, file) + " bytes");
            }
        }
    }

    static long send(Path file, InetSocketAddress to) throws IOException {
        try (FileChannel from = FileChannel.open(file, StandardOpenOption.READ);
                SocketChannel socket = RdmaSocketChannel.open(to)) { // SocketChannel.open(to) for TCP
            long size = from.size();
            long sent = 0;
            while (sent < size) {
                sent += from.transferTo(sent, size - sent, socket);
            }
            socket.shutdownOutput();
            return sent;
        }
    }

    /** Receives one file; a file that was there is replaced. */
    static long receive(ServerSocketChannel server, Path file) throws IOException {
        try (SocketChannel socket = server.accept();
                FileChannel to = FileChannel.open(
                        file,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.TRUNCATE_EXISTING)) {
            long received = 0;
            long more;
            while ((more = to.transferFrom(socket, received, PIECE)) > 0) {
                received += more;
            }
            return received;
        }
    }
}
