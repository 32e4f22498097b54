// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

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

    private final Job job;
    private final SocketChannel channel;
    private final ExecutorService threads;
    private final ByteBuffer outgoing;
    private final ByteBuffer incoming;
    private final Trips trips;

    private NioBlocking(Job job, SocketChannel channel, Trips trips, ExecutorService threads) {
        this.job = job;
        this.channel = channel;
        this.trips = trips;
        this.threads = threads;
        outgoing = NioSockets.outgoing(job);
        incoming = NioSockets.incoming(job);
    }

    /** Runs an end with all of its connections. */
    static Measured run(Job job, List<SocketChannel> channels) throws IOException {
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            List<NioBlocking> ends = new ArrayList<>();
            for (SocketChannel channel : channels) {
                ends.add(new NioBlocking(job, channel, Trips.of(job, ends.size()), threads));
            }
            long begin = System.nanoTime();
            ends.forEach(end -> end.trips.start(begin));
            List<Future<Void>> running = new ArrayList<>();
            for (NioBlocking end : ends) {
                running.add(end.start(end::run));
            }
            for (Future<Void> one : running) {
                await(one);
            }
            long nanos = System.nanoTime() - begin;
            return Trips.together(job, ends.stream().map(end -> end.trips).toList(), nanos);
        } finally {
            threads.shutdownNow();
        }
    }

    /** A part of an end's work. */
    private interface Part {
        void run() throws IOException;
    }

    private Future<Void> start(Part part) {
        return threads.submit(() -> {
            part.run();
            return null;
        });
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
        if (trips.isTimed()) {
            Future<Void> sender = start(this::sendOnTime);
            receiveOnTime();
            await(sender);
        } else if (job.benchmark().isRoundTrip()) {
            pingPong();
        } else {
            stream();
        }
    }

    private void sendOnTime() throws IOException {
        while (trips.timetable().awaitNext()) {
            write(job.bytes());
        }
    }

    private void receiveOnTime() throws IOException {
        while (!trips.timetable().isOver()) {
            read(job.bytes());
            trips.timetable().end();
        }
    }

    private void pingPong() throws IOException {
        trips.start(System.nanoTime());
        for (long i = 0; i < job.iterations(); i++) {
            if (job.isClient()) {
                write(job.bytes());
                read(job.bytes());
            } else {
                read(job.bytes());
                write(job.bytes());
            }
            trips.stamp();
        }
    }

    private void stream() throws IOException {
        if (job.sends() && job.receives()) {
            Future<Void> sender = start(this::send);
            receive();
            await(sender);
        } else if (job.sends()) {
            send();
        } else {
            receive();
        }
        // Each end confirms to the other that everything has arrived.
        if (job.receives()) {
            write(1);
        }
        if (job.sends()) {
            read(1);
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
                throw NioSockets.gone();
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
                throw NioSockets.gone();
            }
        }
    }
}
