// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.process.Children;

/** Java's own sockets: one pair of ends has all connections. */
final class NioAgents extends AgentContender {

    NioAgents(Venue venue, Children children, Comparison.Options options) {
        super(venue, children, options);
    }

    @Override
    String serve(Point point, Venue.End end, int port, long iterations) {
        return AgentProgram.NIO_SERVE + " "
                + job(point, end, end, port, iterations).format();
    }

    @Override
    String ask(Point point, Venue.End end, Venue.End server, int port, long iterations) {
        return AgentProgram.NIO_ASK + " "
                + job(point, end, server, port, iterations).format();
    }

    static NioJob job(Point point, Venue.End end, Venue.End server, int port, long iterations) {
        return new NioJob(
                point.way() == Way.NIO_BLOCKING,
                point.benchmark(),
                (int) point.bytes(),
                point.connections(),
                iterations,
                point.rate(),
                end.address(),
                server.address(),
                port);
    }
}
