// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.process.Children;
import dev.isthmus.perf.tools.ucx.UcxPeer;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The contenders that run the points, each created when it is first needed. */
final class Contenders implements AutoCloseable {

    /** Ways that share their processes. */
    private enum Kind {
        VERBS_TOOLS,
        VERBS_AGENTS,
        UCX_TOOLS,
        UCX_AGENTS,
        JUCX_AGENTS,
        NIO_AGENTS,
        STREAM_TOOLS,
        STREAM_AGENTS,
        NETTY_TCP,
        NETTY_EPOLL,
        NETTY_RDMA
    }

    private final Venue venue;
    private final VerbsTwin twin;
    private final Children children;
    private final Comparison.Options options;
    private final Map<Key, Contender> made = new HashMap<>();

    private record Key(Kind kind, Optional<UcxRoute.Transport> transport) {}

    /** Has no contenders yet. Their processes belong to {@code children}, which end with this. */
    Contenders(Venue venue, VerbsTwin twin, Children children, Comparison.Options options) {
        this.venue = venue;
        this.twin = twin;
        this.children = children;
        this.options = options;
    }

    Contender of(Point point) throws IOException, InterruptedException {
        var key = new Key(kind(point.way()), point.route().map(UcxRoute::transport));
        Contender there = made.get(key);
        if (there == null) {
            there = make(key);
            made.put(key, there);
        }
        return there;
    }

    private static Kind kind(Way way) {
        return switch (way) {
            case C_VERBS_SEND, C_VERBS_WRITE, C_VERBS_READ -> Kind.VERBS_TOOLS;
            case JAVA_VERBS_SEND, JAVA_VERBS_WRITE, JAVA_VERBS_READ -> Kind.VERBS_AGENTS;
            case C_UCX -> Kind.UCX_TOOLS;
            case JAVA_UCX -> Kind.UCX_AGENTS;
            case JUCX -> Kind.JUCX_AGENTS;
            case NIO_BLOCKING, NIO_NON_BLOCKING -> Kind.NIO_AGENTS;
            case C_SOCKETS, C_TCP -> Kind.STREAM_TOOLS;
            case JAVA_SOCKETS -> Kind.STREAM_AGENTS;
            case NETTY_TCP -> Kind.NETTY_TCP;
            case NETTY_EPOLL -> Kind.NETTY_EPOLL;
            case NETTY_RDMA -> Kind.NETTY_RDMA;
        };
    }

    private Contender make(Key key) throws IOException, InterruptedException {
        return switch (key.kind()) {
            case VERBS_TOOLS -> new VerbsTools(venue, children, twin, options.threadEach());
            case VERBS_AGENTS -> new VerbsAgents(venue, children, options, twin.isThere());
            case UCX_TOOLS -> new UcxTools(venue, children);
            case UCX_AGENTS -> new UcxAgents(UcxPeer.Binding.JAVA, key.transport(), venue, children, options);
            case JUCX_AGENTS -> new UcxAgents(UcxPeer.Binding.JUCX, key.transport(), venue, children, options);
            case NIO_AGENTS -> new NioAgents(venue, children, options);
            case STREAM_TOOLS -> new StreamTools(venue, children);
            case STREAM_AGENTS -> new StreamAgents(venue, children, options);
            case NETTY_TCP -> netty(NettyTransport.NIO);
            case NETTY_EPOLL -> netty(NettyTransport.EPOLL);
            case NETTY_RDMA -> netty(NettyTransport.RDMA);
        };
    }

    private Contender netty(NettyTransport transport) {
        return new NettyAgents(transport, venue, children, options);
    }

    @Override
    public void close() {
        made.values().forEach(Contender::close);
        children.close();
    }
}
