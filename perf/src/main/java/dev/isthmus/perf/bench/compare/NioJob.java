// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.common.Spent;
import dev.isthmus.perf.common.Timetable;
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
 * One end of a benchmark over sockets, and what both ends must agree on. A message is what one call writes. A receiver
 * takes whatever has arrived, because TCP has no messages.
 *
 * @param blocking true for a thread for each connection, which waits in its reads and writes; false for one thread that
 *     asks all connections in turn, and never waits
 * @param bytes the size of a message
 * @param iterations messages of each connection and direction, or round trips of each connection
 * @param rate how many round trips all connections together begin in a second, at a fixed rate
 * @param local the address of this end
 * @param remote the address of the server
 */
record NioJob(
        boolean blocking,
        Benchmark benchmark,
        int bytes,
        int connections,
        long iterations,
        long rate,
        String local,
        String remote,
        int port) {

    /** Time for the other JVM to get ready. */
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    /** A receiver of a stream of small messages takes many at once. */
    private static final int LEAST_BUFFER = 1 << 16;

    /** The words that {@link #parse} reads. */
    String format() {
        return String.join(
                " ",
                "" + blocking,
                benchmark.name(),
                "" + bytes,
                "" + connections,
                "" + iterations,
                "" + rate,
                local,
                remote,
                "" + port);
    }

    static NioJob parse(List<String> words) {
        return new NioJob(
                Boolean.parseBoolean(words.get(0)),
                Benchmark.valueOf(words.get(1)),
                Integer.parseInt(words.get(2)),
                Integer.parseInt(words.get(3)),
                Long.parseLong(words.get(4)),
                Long.parseLong(words.get(5)),
                words.get(6),
                words.get(7),
                Integer.parseInt(words.get(8)));
    }

    /** Listens, and runs the server's end. */
    Measured serve() throws IOException {
        List<SocketChannel> channels = new ArrayList<>();
        try {
            try (ServerSocketChannel listening = ServerSocketChannel.open()) {
                listening.setOption(StandardSocketOptions.SO_REUSEADDR, true);
                ServerSocket server = listening.socket(); // accept with a time limit
                server.setSoTimeout((int) PATIENCE.toMillis());
                server.bind(new InetSocketAddress(local, port), connections);
                while (channels.size() < connections) {
                    channels.add(prepared(server.accept().getChannel()));
                }
            }
            for (SocketChannel channel : channels) {
                channel.write(ByteBuffer.allocate(1)); // all are there: the client may begin
            }
            return VerbsJob.NOTHING.withSpent(run(channels, false).spent());
        } finally {
            close(channels);
        }
    }

    /** Connects, and runs the client's end. */
    Measured ask() throws IOException {
        List<SocketChannel> channels = new ArrayList<>();
        try {
            for (int i = 0; i < connections; i++) {
                SocketChannel channel = SocketChannel.open();
                channels.add(channel);
                channel.bind(new InetSocketAddress(InetAddress.getByName(local), 0));
                channel.socket().connect(new InetSocketAddress(remote, port), (int) PATIENCE.toMillis());
                prepared(channel);
            }
            for (SocketChannel channel : channels) {
                if (channel.read(ByteBuffer.allocate(1)) != 1) {
                    throw gone();
                }
            }
            return run(channels, true);
        } finally {
            close(channels);
        }
    }

    private static SocketChannel prepared(SocketChannel channel) throws IOException {
        return channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    }

    private Measured run(List<SocketChannel> channels, boolean client) throws IOException {
        Spent before = Spent.soFar();
        Measured measured = blocking ? NioBlocking.run(this, channels, client) : NioPolling.run(this, channels, client);
        return measured.withSpent(Spent.soFar().since(before));
    }

    private static void close(List<SocketChannel> channels) throws IOException {
        for (SocketChannel channel : channels) {
            channel.close();
        }
    }

    /** Whether this end sends. */
    boolean sends(boolean client) {
        return client || benchmark != Benchmark.ONE_WAY;
    }

    /** Whether this end receives. */
    boolean receives(boolean client) {
        return !client || benchmark != Benchmark.ONE_WAY;
    }

    /** The times at which a client's connection, given by number, begins its round trips. */
    Timetable timetable(int connection) {
        return new Timetable(System::nanoTime, rate, connection, connections, iterations);
    }

    ByteBuffer outgoing() {
        return ByteBuffer.allocateDirect(bytes);
    }

    ByteBuffer incoming() {
        return ByteBuffer.allocateDirect(Math.max(bytes, LEAST_BUFFER));
    }

    /** The round trips of all connections together. */
    Measured together(List<Measured> lanes) {
        return benchmark == Benchmark.FIXED_RATE ? Measured.tripsTogether(lanes) : Measured.together(lanes);
    }

    /** The rate of the messages of all connections. */
    Measured rate(long nanos) {
        long messages = iterations * connections * (benchmark == Benchmark.BOTH_WAYS ? 2 : 1);
        return Measured.rate(messages / (nanos / 1e9), messages);
    }

    static EOFException gone() {
        return new EOFException("the other end has closed the connection");
    }
}
