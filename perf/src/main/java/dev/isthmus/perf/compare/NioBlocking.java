// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.compare;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Blocking sockets: each connection has a thread of its own, and one more where messages go both ways at once. */
final class NioBlocking {

    private final NioJob job;
    private final SocketChannel channel;
    private final boolean client;
    private final ExecutorService threads;
    private final ByteBuffer outgoing;
    private final ByteBuffer incoming;
    private final Trips trips = new Trips();

    private NioBlocking(NioJob job, SocketChannel channel, boolean client, ExecutorService threads) {
        this.job = job;
        this.channel = channel;
        this.client = client;
        this.threads = threads;
        outgoing = job.outgoing();
        incoming = job.incoming();
    }

    /** Runs an end, all of its connections. */
    static Measured run(NioJob job, List<SocketChannel> channels, boolean client) throws IOException {
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            List<NioBlocking> ends = channels.stream()
                    .map(channel -> new NioBlocking(job, channel, client, threads))
                    .toList();
            List<Future<Void>> running = new ArrayList<>();
            long begin = System.nanoTime();
            for (NioBlocking end : ends) {
                running.add(threads.submit(() -> {
                    end.run();
                    return null;
                }));
            }
            for (Future<Void> one : running) {
                await(one);
            }
            long nanos = System.nanoTime() - begin;
            return job.benchmark() == Benchmark.PING_PONG
                    ? Measured.together(
                            ends.stream().map(end -> end.trips.measured()).toList())
                    : job.rate(nanos);
        } finally {
            threads.shutdownNow();
        }
    }

    private static void await(Future<Void> one) throws IOException {
        try {
            one.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    private void run() throws IOException {
        if (job.benchmark() == Benchmark.PING_PONG) {
            pingPong();
            return;
        }
        if (job.sends(client) && job.receives(client)) {
            Future<Void> sending = threads.submit(() -> {
                send();
                return null;
            });
            receive();
            await(sending);
        } else if (job.sends(client)) {
            send();
        } else {
            receive();
        }
        // Each end tells the other that all has come.
        if (job.receives(client)) {
            write(1);
        }
        if (job.sends(client)) {
            read(1);
        }
    }

    private void pingPong() throws IOException {
        trips.start();
        for (long i = 0; i < job.iterations(); i++) {
            if (client) {
                write(job.bytes());
                read(job.bytes());
            } else {
                read(job.bytes());
                write(job.bytes());
            }
            trips.stamp();
        }
    }

    private void send() throws IOException {
        for (long i = 0; i < job.iterations(); i++) {
            write(job.bytes());
        }
    }

    private void receive() throws IOException {
        for (long left = job.iterations() * job.bytes(); left > 0; ) {
            int some = channel.read(incoming.clear().limit((int) Math.min(left, incoming.capacity())));
            if (some < 0) {
                throw NioJob.gone();
            }
            left -= some;
        }
    }

    private void write(int count) throws IOException {
        outgoing.clear().limit(count);
        while (outgoing.hasRemaining()) {
            channel.write(outgoing);
        }
    }

    private void read(int count) throws IOException {
        incoming.clear().limit(count);
        while (incoming.hasRemaining()) {
            if (channel.read(incoming) < 0) {
                throw NioJob.gone();
            }
        }
    }
}
