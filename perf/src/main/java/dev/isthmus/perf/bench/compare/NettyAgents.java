// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.process.Children;

/** Netty over one of its transports: one pair of ends has all connections. */
final class NettyAgents extends AgentContender {

    private final NettyTransport transport;

    NettyAgents(NettyTransport transport, Venue venue, Children children, Comparison.Options options) {
        super(venue, children, options);
        this.transport = transport;
    }

    @Override
    boolean listensByTcp() {
        return transport != NettyTransport.RDMA;
    }

    @Override
    String serve(Point point, Venue.End end, int port, long iterations) {
        return AgentProgram.NETTY_SERVE + " " + job(point, end, end, port, iterations);
    }

    @Override
    String ask(Point point, Venue.End end, Venue.End server, int port, long iterations) {
        return AgentProgram.NETTY_ASK + " " + job(point, end, server, port, iterations);
    }

    private String job(Point point, Venue.End end, Venue.End server, int port, long iterations) {
        return new NettyJob(transport, NioAgents.job(point, end, server, port, iterations)).format();
    }
}
