// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.common.Timetable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Blocking sockets: each connection has a thread of its own, and a second one if messages go both ways at once. */
final class NioBlocking {

    private final NioJob job;
    private final SocketChannel channel;
    private final boolean client;
    private final ExecutorService threads;
    private final ByteBuffer outgoing;
    private final ByteBuffer incoming;
    private long begin;
    private final Trips trips = new Trips();
    private final Timetable timetable; // null except for a client at a fixed rate

    private NioBlocking(
            NioJob job, SocketChannel channel, boolean client, Timetable timetable, ExecutorService threads) {
        this.job = job;
        this.channel = channel;
        this.client = client;
        this.timetable = timetable;
        this.threads = threads;
        outgoing = job.outgoing();
        incoming = job.incoming();
    }

    /** Runs an end with all of its connections. */
    static Measured run(NioJob job, List<SocketChannel> channels, boolean client) throws IOException {
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            boolean fixed = client && job.benchmark() == Benchmark.FIXED_RATE;
            List<NioBlocking> ends = new ArrayList<>();
            for (SocketChannel channel : channels) {
                ends.add(new NioBlocking(job, channel, client, fixed ? job.timetable(ends.size()) : null, threads));
            }
            List<Future<Void>> running = new ArrayList<>();
            long begin = System.nanoTime();
            ends.forEach(end -> end.begin = begin);
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
            return job.benchmark().isRoundTrip()
                    ? job.together(ends.stream().map(NioBlocking::measured).toList())
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
        if (timetable != null) {
            tripsOnTime();
            return;
        }
        if (job.benchmark().isRoundTrip()) {
            pingPong();
            return;
        }
        if (job.sends(client) && job.receives(client)) {
            atTheSameTime(this::send, this::receive);
        } else if (job.sends(client)) {
            send();
        } else {
            receive();
        }
        // Each end confirms to the other that everything has arrived.
        if (job.receives(client)) {
            write(1);
        }
        if (job.sends(client)) {
            read(1);
        }
    }

    /** A part of an end's work. */
    private interface Part {
        void run() throws IOException;
    }

    private void atTheSameTime(Part sending, Part receiving) throws IOException {
        Future<Void> sender = threads.submit(() -> {
            sending.run();
            return null;
        });
        receiving.run();
        await(sender);
    }

    private Measured measured() {
        return timetable == null ? trips.measured() : Measured.trips(timetable);
    }

    private void tripsOnTime() throws IOException {
        timetable.start(begin);
        atTheSameTime(
                () -> {
                    while (timetable.awaitNext()) {
                        write(job.bytes());
                    }
                },
                () -> {
                    while (!timetable.isOver()) {
                        read(job.bytes());
                        timetable.end();
                    }
                });
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
