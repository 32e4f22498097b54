// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import dev.isthmus.nio.Conversation.Pipe;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * A peer in a JVM of its own. Its arguments are its kind, then those of {@code peer.c}: {@code socket} and {@code
 * channel} are the JDK's, for a JVM under librspreload.so, {@code rdma} is this module's.
 */
final class PeerProgram {

    private PeerProgram() {}

    /** Runs it. */
    public static void main(String... args) throws IOException {
        boolean listens = args[1].equals("listen");
        var at = new InetSocketAddress(InetAddress.getByName(args[2]), Integer.parseInt(args[3]));
        try {
            try (var connection = args[0].equals("socket") ? ofSocket(listens, at) : ofChannel(args[0], listens, at)) {
                System.out.println("connected");
                new Conversation(connection.pipe(), Long.parseLong(args[5]), System.out::println).hold(args[4]);
            }
            System.out.println("closed");
        } catch (IOException e) {
            System.out.println("failed: " + e.getMessage());
        }
    }

    private record Connection(Pipe pipe, AutoCloseable all) implements AutoCloseable {

        @Override
        public void close() throws IOException {
            try {
                all.close();
            } catch (IOException e) {
                throw e;
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }
    }

    private static Connection ofChannel(String kind, boolean listens, SocketAddress at) throws IOException {
        boolean rdma = kind.equals("rdma");
        SocketChannel channel;
        if (listens) {
            try (ServerSocketChannel server = rdma ? RdmaServerSocketChannel.open() : ServerSocketChannel.open()) {
                server.bind(at);
                System.out.println("ready");
                channel = server.accept();
            }
        } else {
            System.out.println("ready");
            channel = rdma ? RdmaSocketChannel.open(at) : SocketChannel.open(at);
        }
        return new Connection(Pipe.of(channel), channel);
    }

    private static Connection ofSocket(boolean listens, InetSocketAddress at) throws IOException {
        Socket socket;
        if (listens) {
            try (var server = new ServerSocket()) {
                server.bind(at);
                System.out.println("ready");
                socket = server.accept();
            }
        } else {
            System.out.println("ready");
            socket = new Socket(at.getAddress(), at.getPort());
        }
        return new Connection(new Streams(socket, socket.getInputStream(), socket.getOutputStream()), socket);
    }

    private record Streams(Socket socket, InputStream in, OutputStream out) implements Pipe {

        @Override
        public int read(ByteBuffer into) throws IOException {
            byte[] bytes = new byte[into.remaining()];
            int count = in.read(bytes);
            if (count > 0) {
                into.put(bytes, 0, count);
            }
            return count;
        }

        @Override
        public void write(ByteBuffer from) throws IOException {
            byte[] bytes = new byte[from.remaining()];
            from.get(bytes);
            out.write(bytes);
        }

        @Override
        public void shutdownOutput() throws IOException {
            socket.shutdownOutput();
        }
    }
}
