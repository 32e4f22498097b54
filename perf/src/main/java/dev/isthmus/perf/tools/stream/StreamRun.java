// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.stream;

import dev.isthmus.nio.RdmaServerSocketChannel;
import dev.isthmus.nio.RdmaSocketChannel;
import dev.isthmus.nio.RdmaSocketOptions;
import dev.isthmus.perf.common.Spent;
import dev.isthmus.perf.tools.stream.StreamPlan.Transfer;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.NetworkChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;

/** One end of a run: connects, and measures the transfers of each connection. */
final class StreamRun {

    private static final int SYNC_BYTES = 16;
    private static final int CLOSE_SECONDS = 30;
    private static final int RSOCKETS_INLINE = 64;

    private final StreamPlan plan;
    private final PrintWriter out;
    private final ByteBuffer buffer;
    private final boolean verify;
    private final IomapTransfers mapped;
    private SocketChannel channel;
    private SelectionKey key; // null unless a select precedes each call
    private byte sent; // the next byte to send and the next to expect, for verification
    private byte expected;
    private long verified;
    private Spent before = Spent.NOTHING; // the transfers that are measured
    private StreamCommand.Figures figures; // of the last transfers

    StreamRun(StreamPlan plan, PrintWriter out) {
        this.plan = plan;
        this.out = out;
        this.verify = plan.verify && !plan.iomap;
        this.mapped = new IomapTransfers(plan);
        this.buffer = ByteBuffer.allocateDirect(Math.max(plan.largest(), SYNC_BYTES));
    }

    /** Runs it; returns the figures of the last measured transfers. */
    StreamCommand.Figures run() throws IOException {
        if (plan.server != null) {
            report(StreamPlan.HEAD);
            connections(this::connect);
            return figures;
        }
        try (ServerSocketChannel listener = plan.tcp ? ServerSocketChannel.open() : RdmaServerSocketChannel.open()) {
            listener.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            listener.bind(
                    plan.local == null
                            ? new InetSocketAddress(plan.port)
                            : new InetSocketAddress(plan.local, plan.port));
            report(StreamPlan.HEAD); // clients can connect from now on
            connections(inline -> {
                options(listener, inline);
                return listener.accept();
            });
        }
        return figures;
    }

    private void report(String line) {
        out.println(line);
        out.flush();
    }

    /** Connects, or accepts. */
    private interface Maker {

        SocketChannel make(int inline) throws IOException;
    }

    private void connections(Maker maker) throws IOException {
        if (plan.custom != null) {
            measure(maker, RSOCKETS_INLINE, List.of(plan.custom));
        } else {
            measure(maker, plan.inline, plan.latencies());
            measure(maker, 0, plan.bandwidths());
        }
    }

    private SocketChannel connect(int inline) throws IOException {
        SocketChannel made = plan.tcp ? SocketChannel.open() : RdmaSocketChannel.open();
        try {
            options(made, inline);
            made.setOption(StandardSocketOptions.SO_SNDBUF, plan.ring);
            if (plan.local != null) {
                made.bind(new InetSocketAddress(plan.local, plan.port));
            }
            made.connect(new InetSocketAddress(plan.server, plan.port));
            return made;
        } catch (Throwable t) {
            made.close();
            throw t;
        }
    }

    private void options(NetworkChannel of, int inline) throws IOException {
        of.setOption(StandardSocketOptions.SO_RCVBUF, plan.ring);
        if (!plan.tcp) {
            of.setOption(RdmaSocketOptions.INLINE, inline);
            of.setOption(RdmaSocketOptions.IOMAP_SIZE, plan.iomap ? 1 : 0);
        }
    }

    private void measure(Maker maker, int inline, List<Transfer> transfers) throws IOException {
        try (SocketChannel made = maker.make(inline);
                Selector selector = plan.selects ? made.provider().openSelector() : null) {
            channel = made;
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.configureBlocking(plan.blocking);
            key = selector == null ? null : channel.register(selector, 0);
            for (Transfer transfer : transfers) {
                double time = plan.iomap ? timeMapped(transfer) : time(transfer);
                figures = new StreamCommand.Figures(
                        transfer.microsEach(time), Spent.soFar().since(before));
                report(StreamPlan.line(transfer, time));
            }
            if (key != null) {
                key.cancel();
            }
            // The last bytes must have been sent when the program ends.
            channel.configureBlocking(true);
            channel.setOption(StandardSocketOptions.SO_LINGER, CLOSE_SECONDS);
            if (plan.server == null) {
                awaitEnd();
            }
        }
    }

    private double time(Transfer transfer) throws IOException {
        exchange(SYNC_BYTES, 1);
        before = Spent.soFar();
        long begin = System.nanoTime();
        for (int i = 0; i < transfer.iterations(); i++) {
            exchange(transfer.size(), transfer.count());
        }
        return microsSince(begin);
    }

    private double timeMapped(Transfer transfer) throws IOException {
        mapped.begin((RdmaSocketChannel) channel, transfer.size());
        for (int i = 0; i < SYNC_BYTES; i++) {
            buffer.put(i, IomapTransfers.NONE); // riostream gets it in the memory where it looks for a transfer
        }
        exchange(SYNC_BYTES, 1);
        before = Spent.soFar();
        long begin = System.nanoTime();
        mapped.exchange(transfer);
        double time = microsSince(begin);
        mapped.end();
        return time;
    }

    private static double microsSince(long begin) {
        return (System.nanoTime() - begin) / 1000.0;
    }

    /**
     * The server sends last, so the client closes first: a polling rstream takes a connection for broken if the other
     * end's close arrives along with the last bytes.
     */
    private void awaitEnd() throws IOException {
        if (channel.read(buffer.clear()) >= 0) {
            throw new IOException(
                    "the client went on sending after everything was exchanged: give both ends the same options");
        }
    }

    /** The client sends first. */
    private void exchange(int size, int count) throws IOException {
        boolean client = plan.server != null;
        for (int i = 0; i < count; i++) {
            transfer(client, size);
        }
        for (int i = 0; i < count; i++) {
            transfer(!client, size);
        }
    }

    private void transfer(boolean sends, int size) throws IOException {
        buffer.clear().limit(size);
        if (sends) {
            send();
        } else {
            receive();
        }
    }

    private void send() throws IOException {
        if (verify) {
            for (int i = 0; i < buffer.limit(); i++) {
                buffer.put(i, sent++);
            }
        }
        while (buffer.hasRemaining()) {
            await(SelectionKey.OP_WRITE);
            if (channel.write(buffer) == 0) {
                Thread.onSpinWait();
            }
        }
    }

    /** Like rpoll in rstream. */
    private void await(int operation) throws IOException {
        if (key != null) {
            key.interestOps(operation);
            int ready;
            do {
                ready = key.selector().select();
            } while (ready == 0);
            key.selector().selectedKeys().clear();
        }
    }

    private void receive() throws IOException {
        while (buffer.hasRemaining()) {
            await(SelectionKey.OP_READ);
            int count = channel.read(buffer);
            if (count < 0) {
                throw new IOException("the other end closed the connection before everything was exchanged");
            }
            if (count == 0) {
                Thread.onSpinWait();
            }
        }
        for (int i = 0; verify && i < buffer.limit(); i++) {
            if (buffer.get(i) != expected++) {
                throw new IOException("data verification failed byte " + (verified + i));
            }
        }
        verified += buffer.limit();
    }
}
