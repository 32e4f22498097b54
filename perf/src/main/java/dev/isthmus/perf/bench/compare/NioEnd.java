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

/**
 * An end of one connection, which does one thing after the other. Over non-blocking sockets one thread asks all of its
 * connections in turn, as a program polls completion queues. Over blocking ones each connection has a thread of its own,
 * and a second one if messages go both ways at once.
 */
final class NioEnd {

    /** A receiver of a stream of small messages takes many at once. */
    private static final int LEAST_BUFFER = 1 << 16;

    private final Job job;
    private final SocketChannel channel;
    private final ByteBuffer outgoing;
    private final ByteBuffer incoming;
    private final Trips trips;
    private long toSend; // messages
    private long toReceive; // messages of round trips, or bytes
    private boolean confirms;
    private boolean isConfirmed;
    private boolean writing;

    private NioEnd(Job job, SocketChannel channel, Trips trips) {
        this.job = job;
        this.channel = channel;
        this.trips = trips;
        outgoing = ByteBuffer.allocateDirect(job.bytes());
        incoming =
                ByteBuffer.allocateDirect(Math.max(job.bytes(), LEAST_BUFFER)).limit(job.bytes());
        boolean roundTrips = job.benchmark().isRoundTrip();
        toSend = job.sends() ? job.iterations() : 0;
        toReceive = job.receives() ? job.iterations() * (roundTrips ? 1 : job.bytes()) : 0;
        confirms = !roundTrips && job.receives();
        isConfirmed = roundTrips || !job.sends();
        writing = job.isClient() && !trips.isTimed();
    }

    /** Runs an end with all of its connections. */
    static Measured run(Job job, List<SocketChannel> channels) throws IOException {
        boolean blocks = job.point().way() == Way.NIO_BLOCKING;
        List<NioEnd> ends = new ArrayList<>();
        for (SocketChannel channel : channels) {
            channel.configureBlocking(blocks);
            ends.add(new NioEnd(job, channel, Trips.of(job, ends.size())));
        }
        long begin = System.nanoTime();
        ends.forEach(end -> end.trips.start(begin));
        if (blocks) {
            runInThreads(ends);
        } else {
            poll(ends.toArray(NioEnd[]::new));
        }
        long nanos = System.nanoTime() - begin;
        return Trips.together(job, ends.stream().map(end -> end.trips).toList(), nanos);
    }

    private static void poll(NioEnd... active) throws IOException {
        int count = active.length;
        while (count > 0) {
            for (int i = count - 1; i >= 0; i--) {
                if (active[i].step()) {
                    active[i] = active[--count];
                }
            }
        }
    }

    /** Does what can be done; returns true when it is over. */
    private boolean step() throws IOException {
        if (trips.isTimed()) {
            return tripOnTime(trips.timetable());
        }
        return job.benchmark().isRoundTrip() ? trip() : stream();
    }

    /** A part of an end's work. */
    private interface Part {
        void run() throws IOException;
    }

    private static void runInThreads(List<NioEnd> ends) throws IOException {
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            List<Future<Void>> running = new ArrayList<>();
            for (NioEnd end : ends) {
                running.add(start(threads, () -> end.runBlocking(threads)));
            }
            for (Future<Void> one : running) {
                await(one);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static Future<Void> start(ExecutorService threads, Part part) {
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

    private void runBlocking(ExecutorService threads) throws IOException {
        if (job.benchmark() == Benchmark.PING_PONG) {
            trips.start(System.nanoTime());
        }
        if (trips.isTimed()) {
            Future<Void> sender = start(threads, this::sendOnTime);
            while (!trips.timetable().isOver()) {
                receiveTrip(trips.timetable());
            }
            await(sender);
        } else if (!job.benchmark().isRoundTrip() && job.sends() && job.receives()) {
            Future<Void> sender = start(threads, this::sendAll);
            while (toReceive > 0) {
                receivePart();
            }
            await(sender);
        }
        while (!trips.isTimed() && !step()) {
            // a step blocks
        }
    }

    private void sendOnTime() throws IOException {
        while (trips.timetable().awaitNext()) {
            outgoing.clear();
            while (outgoing.hasRemaining()) {
                channel.write(outgoing);
            }
        }
    }

    private void sendAll() throws IOException {
        while (toSend > 0) {
            sendPart();
        }
    }

    /** Of round trips at a fixed rate several may be under way. */
    private boolean tripOnTime(Timetable timetable) throws IOException {
        if (!writing && timetable.isDue()) {
            writing = true;
            timetable.begin();
        }
        if (writing) {
            channel.write(outgoing);
            if (!outgoing.hasRemaining()) {
                outgoing.clear();
                writing = false;
            }
        }
        if (timetable.underWay() > 0) {
            receiveTrip(timetable);
        }
        return timetable.isOver();
    }

    private void receiveTrip(Timetable timetable) throws IOException {
        read();
        if (!incoming.hasRemaining()) {
            incoming.clear().limit(job.bytes());
            timetable.end();
        }
    }

    private boolean trip() throws IOException {
        if (writing) {
            channel.write(outgoing);
            if (outgoing.hasRemaining()) {
                return false;
            }
            outgoing.clear();
            writing = false;
            toSend--;
            return !job.isClient() && toReceive == 0;
        }
        read();
        if (incoming.hasRemaining()) {
            return false;
        }
        incoming.clear().limit(job.bytes());
        trips.stamp();
        writing = true;
        toReceive--;
        return job.isClient() && toReceive == 0;
    }

    private boolean stream() throws IOException {
        if (toSend > 0) {
            sendPart();
        }
        if (toReceive > 0) {
            receivePart();
        }
        return toSend == 0 && toReceive == 0 && confirm();
    }

    private void sendPart() throws IOException {
        channel.write(outgoing);
        if (!outgoing.hasRemaining()) {
            outgoing.clear();
            toSend--;
        }
    }

    private void receivePart() throws IOException {
        incoming.clear().limit((int) Math.min(toReceive, incoming.capacity()));
        toReceive -= read();
    }

    /** Each end confirms to the other that everything has arrived. */
    private boolean confirm() throws IOException {
        if (confirms) {
            confirms = channel.write(outgoing.clear().limit(1)) == 0;
        }
        if (!isConfirmed) {
            incoming.clear().limit(1);
            isConfirmed = read() > 0;
        }
        return !confirms && isConfirmed;
    }

    private int read() throws IOException {
        int some = channel.read(incoming);
        if (some < 0) {
            throw NioSockets.gone();
        }
        return some;
    }
}
