// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.common.Timetable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/** Non-blocking sockets: one thread asks all of its connections in turn, as a program polls completion queues. */
final class NioPolling {

    private final Job job;
    private final SocketChannel channel;
    private final ByteBuffer outgoing;
    private final ByteBuffer incoming;
    private final Trips trips;
    private long toSend;
    private long toReceive;
    private boolean confirms;
    private boolean isConfirmed;
    private boolean writing;

    private NioPolling(Job job, SocketChannel channel, Trips trips) {
        this.job = job;
        this.channel = channel;
        this.trips = trips;
        outgoing = NioSockets.outgoing(job);
        incoming = NioSockets.incoming(job);
        boolean roundTrips = job.benchmark().isRoundTrip();
        toSend = job.sends() ? job.iterations() : 0;
        toReceive = job.receives() ? job.iterations() * (roundTrips ? 1 : job.bytes()) : 0;
        confirms = !roundTrips && job.receives();
        isConfirmed = roundTrips || !job.sends();
        writing = job.isClient() && !trips.isTimed();
        incoming.limit(job.bytes());
    }

    /** Runs an end with all of its connections. */
    static Measured run(Job job, List<SocketChannel> channels) throws IOException {
        List<NioPolling> ends = new ArrayList<>();
        for (SocketChannel channel : channels) {
            channel.configureBlocking(false);
            ends.add(new NioPolling(job, channel, Trips.of(job, ends.size())));
        }
        NioPolling[] active = ends.toArray(NioPolling[]::new);
        int count = active.length;
        long begin = System.nanoTime();
        ends.forEach(end -> end.trips.start(begin));
        while (count > 0) {
            for (int i = count - 1; i >= 0; i--) {
                if (active[i].step()) {
                    active[i] = active[--count];
                }
            }
        }
        long nanos = System.nanoTime() - begin;
        return Trips.together(job, ends.stream().map(end -> end.trips).toList(), nanos);
    }

    /** Does what can be done; returns true when it is over. */
    private boolean step() throws IOException {
        if (trips.isTimed()) {
            return tripOnTime(trips.timetable());
        }
        return job.benchmark().isRoundTrip() ? trip() : stream();
    }

    /** The same for round trips at a fixed rate, of which several may be under way. */
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
            read();
            if (!incoming.hasRemaining()) {
                incoming.clear().limit(job.bytes());
                timetable.end();
            }
        }
        return timetable.isOver();
    }

    /** The same for a ping-pong; returns true when it is over. */
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

    /** The same for a stream; returns true when it is over. */
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
        return toSend == 0 && toReceive == 0 && confirm();
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
