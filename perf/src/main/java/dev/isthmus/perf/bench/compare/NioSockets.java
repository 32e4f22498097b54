// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.common.Spent;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * An end of a benchmark over Java's own sockets. A message is what one call writes. A receiver takes whatever has
 * arrived, because TCP has no messages.
 */
final class NioSockets {

    /** Time for the other JVM to get ready. */
    private static final int PATIENCE_MILLIS = (int) Duration.ofMinutes(5).toMillis();

    private NioSockets() {}

    /** Connects or listens, and runs the end with all of its connections. */
    static Measured run(Job job) throws IOException {
        List<SocketChannel> channels = new ArrayList<>();
        try {
            if (job.isClient()) {
                connect(job, channels);
            } else {
                accept(job, channels);
            }
            Spent before = Spent.soFar();
            Measured measured = NioEnd.run(job, channels);
            Spent spent = Spent.soFar().since(before);
            return (job.isClient() ? measured : Measured.NOTHING).withSpent(spent);
        } finally {
            for (SocketChannel channel : channels) {
                channel.close();
            }
        }
    }

    private static void accept(Job job, List<SocketChannel> channels) throws IOException {
        try (ServerSocketChannel listening = ServerSocketChannel.open()) {
            listening.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            ServerSocket server = listening.socket(); // accept with a time limit
            server.setSoTimeout(PATIENCE_MILLIS);
            server.bind(job.serverAddress(), job.connections());
            while (channels.size() < job.connections()) {
                channels.add(prepared(server.accept().getChannel()));
            }
        }
        for (SocketChannel channel : channels) {
            channel.write(ByteBuffer.allocate(1)); // all are there: the client may begin
        }
    }

    private static void connect(Job job, List<SocketChannel> channels) throws IOException {
        for (int i = 0; i < job.connections(); i++) {
            SocketChannel channel = SocketChannel.open();
            channels.add(channel);
            channel.bind(new InetSocketAddress(InetAddress.getByName(job.local().address()), 0));
            channel.socket().connect(job.serverAddress(), PATIENCE_MILLIS);
            prepared(channel);
        }
        for (SocketChannel channel : channels) {
            if (channel.read(ByteBuffer.allocate(1)) != 1) {
                throw gone();
            }
        }
    }

    private static SocketChannel prepared(SocketChannel channel) throws IOException {
        return channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    }

    static EOFException gone() {
        return new EOFException("the other end has closed the connection");
    }
}
