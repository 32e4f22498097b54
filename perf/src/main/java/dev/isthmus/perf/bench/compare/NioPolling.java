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

    private final NioJob job;
    private final SocketChannel channel;
    private final boolean client;
    private final ByteBuffer outgoing;
    private final ByteBuffer incoming;
    private final Trips trips = new Trips();
    private final Timetable timetable; // null except for a client at a fixed rate
    private long toSend;
    private long toReceive;
    private boolean tells;
    private boolean isTold;
    private boolean writing;

    private NioPolling(NioJob job, SocketChannel channel, boolean client, Timetable timetable) {
        this.job = job;
        this.channel = channel;
        this.client = client;
        this.timetable = timetable;
        outgoing = job.outgoing();
        incoming = job.incoming();
        boolean trips = job.benchmark().isRoundTrip();
        toSend = job.sends(client) ? job.iterations() : 0;
        toReceive = job.receives(client) ? job.iterations() * (trips ? 1 : job.bytes()) : 0;
        tells = !trips && job.receives(client);
        isTold = trips || !job.sends(client);
        writing = client && timetable == null;
        incoming.limit(job.bytes());
    }

    /** Runs an end with all of its connections. */
    static Measured run(NioJob job, List<SocketChannel> channels, boolean client) throws IOException {
        boolean fixed = client && job.benchmark() == Benchmark.FIXED_RATE;
        List<NioPolling> ends = new ArrayList<>();
        for (SocketChannel channel : channels) {
            channel.configureBlocking(false);
            ends.add(new NioPolling(job, channel, client, fixed ? job.timetable(ends.size()) : null));
        }
        NioPolling[] active = ends.toArray(NioPolling[]::new);
        int count = active.length;
        long begin = System.nanoTime();
        ends.forEach(end -> end.start(begin));
        while (count > 0) {
            for (int i = count - 1; i >= 0; i--) {
                if (active[i].step()) {
                    active[i] = active[--count];
                }
            }
        }
        long nanos = System.nanoTime() - begin;
        return job.benchmark().isRoundTrip()
                ? job.together(ends.stream().map(NioPolling::measured).toList())
                : job.rate(nanos);
    }

    private void start(long begin) {
        if (timetable == null) {
            trips.start();
        } else {
            timetable.start(begin);
        }
    }

    /** Does what can be done; returns true when it is over. */
    private boolean step() throws IOException {
        if (timetable != null) {
            return tripOnTime();
        }
        return job.benchmark().isRoundTrip() ? trip() : stream();
    }

    private Measured measured() {
        return timetable == null ? trips.measured() : Measured.trips(timetable);
    }

    /** The same for round trips at a fixed rate, of which several may be under way. */
    private boolean tripOnTime() throws IOException {
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
        return toSend == 0 && toReceive == 0 && goodbye();
    }

    /** Each end confirms to the other that everything has arrived. */
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
