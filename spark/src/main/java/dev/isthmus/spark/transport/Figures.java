// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Counters of a transport. Any thread may read them. */
public final class Figures {

    /** Bytes of blocks that arrived in answers. */
    public final LongAdder bytesInline = new LongAdder();

    /** Bytes of blocks that were fetched from peers' memory by UCX get. */
    public final LongAdder bytesByGet = new LongAdder();

    /** Bytes of blocks that went to a {@link BlockSink}; the other counters include them. */
    public final LongAdder bytesToSinks = new LongAdder();

    /** Blocks received. */
    public final LongAdder blocksReceived = new LongAdder();

    /** Blocks that failed. */
    public final LongAdder blocksFailed = new LongAdder();

    /** Blocks that had to be fetched by other means. */
    public final LongAdder blocksRefused = new LongAdder();

    /** Long blocks that found no room in registered memory. */
    public final LongAdder blocksUnpooled = new LongAdder();

    /** Bytes of blocks that were sent, or that peers have fetched. */
    public final LongAdder bytesServed = new LongAdder();

    /** How often serving waited for memory, or for a peer to take what was ready. */
    public final LongAdder servingWaits = new LongAdder();

    /** Connections that were established. */
    public final LongAdder peersConnected = new LongAdder();

    /** Connections that were established, by transport, such as {@code posix/memory.0}. */
    public final Map<String, LongAdder> connections = new ConcurrentHashMap<>();

    /** Connections that failed. */
    public final LongAdder peersFailed = new LongAdder();

    /** The most blocks that one peer asked for at a time. */
    public final LongAccumulator mostBlocksAsked = new LongAccumulator(Math::max, 0);

    /** The most unanswered requests of one peer at a time. */
    public final LongAccumulator mostRequestsAsked = new LongAccumulator(Math::max, 0);

    private final Map<String, OfTransport> transports = new ConcurrentHashMap<>();
    private final Consumer<OfTransport> found;

    /** Counters of the connections over one of UCX's transports. */
    public static final class OfTransport {

        /** The transport, or several that a connection uses, such as {@code posix+cma}. */
        public final String name;

        /** Bytes of blocks received. */
        public final LongAdder bytesReceived = new LongAdder();

        /** Blocks received. */
        public final LongAdder blocksReceived = new LongAdder();

        /** Bytes of blocks that were sent, or that peers have fetched. */
        public final LongAdder bytesServed = new LongAdder();

        /** How often serving waited for memory, or for a peer to take what was ready. */
        public final LongAdder servingWaits = new LongAdder();

        /** Connections that were established. */
        public final LongAdder peersConnected = new LongAdder();

        private OfTransport(String name) {
            this.name = name;
        }
    }

    /** The consumer gets each transport when it is first used. */
    Figures(Consumer<OfTransport> found) {
        this.found = found;
    }

    /** Counts a connection; returns the counters of the transports that it uses. */
    OfTransport connected(List<String> lanes) {
        peersConnected.increment();
        connections
                .computeIfAbsent(String.join(", ", lanes), _ -> new LongAdder())
                .increment();
        OfTransport used =
                of(lanes.stream().map(lane -> lane.split("/", 2)[0]).distinct().collect(Collectors.joining("+")));
        used.peersConnected.increment();
        return used;
    }

    private OfTransport of(String name) {
        OfTransport known = transports.get(name);
        if (known == null) {
            known = new OfTransport(name);
            transports.put(name, known);
            found.accept(known);
        }
        return known;
    }

    /**
     * The counters of each of UCX's transports.
     *
     * @return those that were used so far
     */
    public List<OfTransport> transports() {
        return List.copyOf(transports.values());
    }
}
