// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.process.Placement;
import java.net.InetSocketAddress;

/**
 * What an end of a pair does. It goes to a JVM of ours as a {@link RecordLine}.
 *
 * @param point what is measured; of its connections those that the pair has
 * @param server where the server is
 * @param client where the client is
 * @param isReversed whether the server is at the end that is the client in other pairs
 * @param port the server's
 * @param iterations messages of each connection and direction, or round trips of each connection
 */
record Job(Role role, Point point, Venue.End server, Venue.End client, boolean isReversed, int port, long iterations) {

    /** Which end. */
    enum Role {
        /** Listens. */
        SERVER,
        /** Connects, and measures. */
        CLIENT,
        /** Both, for loops that need no second process. */
        BOTH
    }

    /** The same for another end. */
    Job as(Role other) {
        return new Job(other, point, server, client, isReversed, port, iterations);
    }

    /** Where this end is. */
    Venue.End local() {
        return role == Role.SERVER ? server : client;
    }

    /** The processor of this end. */
    Placement placement() {
        return isClient() == isReversed ? Placement.SERVER : Placement.CLIENT;
    }

    boolean isClient() {
        return role == Role.CLIENT;
    }

    Benchmark benchmark() {
        return point.benchmark();
    }

    int bytes() {
        return (int) point.bytes();
    }

    int connections() {
        return point.connections();
    }

    /** Whether this end sends. */
    boolean sends() {
        return isClient() || benchmark() != Benchmark.ONE_WAY;
    }

    /** Whether this end receives. */
    boolean receives() {
        return !isClient() || benchmark() != Benchmark.ONE_WAY;
    }

    /** Where the server is to listen, or the client to connect. */
    InetSocketAddress serverAddress() {
        return new InetSocketAddress(server.address(), port);
    }
}
