// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.compare;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/** Sockets that do not block: one thread asks all of its connections in turn, as a program polls completion queues. */
final class NioPolling {

    private final NioJob job;
    private final SocketChannel channel;
    private final boolean client;
    private final ByteBuffer outgoing;
    private final ByteBuffer incoming;
    private final Trips trips = new Trips();
    private long toSend;
    private long toReceive;
    private boolean tells;
    private boolean isTold;
    private boolean writing;

    private NioPolling(NioJob job, SocketChannel channel, boolean client) {
        this.job = job;
        this.channel = channel;
        this.client = client;
        outgoing = job.outgoing();
        incoming = job.incoming();
        boolean pingPong = job.benchmark() == Benchmark.PING_PONG;
        toSend = job.sends(client) ? job.iterations() : 0;
        toReceive = job.receives(client) ? job.iterations() * (pingPong ? 1 : job.bytes()) : 0;
        tells = !pingPong && job.receives(client);
        isTold = pingPong || !job.sends(client);
        writing = client;
        incoming.limit(job.bytes());
    }

    /** Runs an end, all of its connections. */
    static Measured run(NioJob job, List<SocketChannel> channels, boolean client) throws IOException {
        boolean pingPong = job.benchmark() == Benchmark.PING_PONG;
        List<NioPolling> ends = new ArrayList<>();
        for (SocketChannel channel : channels) {
            channel.configureBlocking(false);
            ends.add(new NioPolling(job, channel, client));
        }
        NioPolling[] active = ends.toArray(NioPolling[]::new);
        int count = active.length;
        long begin = System.nanoTime();
        ends.forEach(end -> end.trips.start());
        while (count > 0) {
            for (int i = count - 1; i >= 0; i--) {
                boolean done = pingPong ? active[i].trip() : active[i].stream();
                if (done) {
                    active[i] = active[--count];
                }
            }
        }
        long nanos = System.nanoTime() - begin;
        return pingPong
                ? Measured.together(
                        ends.stream().map(end -> end.trips.measured()).toList())
                : job.rate(nanos);
    }

    /** Does what can be done of a ping-pong; returns true when it is over. */
    private boolean trip() throws IOException {
        if (writing) {
            channel.write(outgoing);
            if (outgoing.hasRemaining()) {
                return false;
            }
            outgoing.clear();
            writing = false;
            toSend--;
            return !client && toReceive == 0;
        }
        read();
        if (incoming.hasRemaining()) {
            return false;
        }
        incoming.clear().limit(job.bytes());
        trips.stamp();
        writing = true;
        toReceive--;
        return client && toReceive == 0;
    }

    /** Does what can be done of a stream; returns true when it is over. */
    private boolean stream() throws IOException {
        if (toSend > 0) {
            channel.write(outgoing);
            if (!outgoing.hasRemaining()) {
                outgoing.clear();
                toSend--;
            }
        }
        if (toReceive > 0) {
            incoming.clear().limit((int) Math.min(toReceive, incoming.capacity()));
            toReceive -= read();
        }
        return toSend == 0 && toReceive == 0 && goodbye();
    }

    /** Each end tells the other that all has come. */
    private boolean goodbye() throws IOException {
        if (tells) {
            tells = channel.write(outgoing.clear().limit(1)) == 0;
        }
        if (!isTold) {
            incoming.clear().limit(1);
            isTold = read() > 0;
        }
        return !tells && isTold;
    }

    private int read() throws IOException {
        int some = channel.read(incoming);
        if (some < 0) {
            throw NioJob.gone();
        }
        return some;
    }
}
