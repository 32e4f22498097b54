// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import java.net.InetSocketAddress;

/**
 * What a JVM of ours does as an end of a pair. It goes there as a line of JSON.
 *
 * @param point what is measured; of its connections those that the pair has
 * @param local where this end is
 * @param server where the server is
 * @param port the server's
 * @param iterations messages of each connection and direction, or round trips of each connection
 */
record Job(Role role, Point point, Venue.End local, Venue.End server, int port, long iterations) {

    /** Which end. */
    enum Role {
        /** Listens. */
        SERVER,
        /** Connects, and measures. */
        CLIENT,
        /** Both, for loops that need no second process. */
        BOTH
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
