// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.process.Children;
import dev.isthmus.perf.process.Ports;
import dev.isthmus.perf.tools.ucx.UcxPerftest;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Runs points of some ways. */
abstract class Runner implements AutoCloseable {

    final Venue venue;
    final Comparison.Options options;

    /** What runs of different points must share to have the same processes. */
    record Key(Way way, Optional<UcxRoute.Transport> transport) {

        static Key of(Point point) {
            Way way = switch (point.way()) {
                case JAVA_VERBS_WRITE, JAVA_VERBS_READ -> Way.JAVA_VERBS_SEND;
                case NIO_NON_BLOCKING -> Way.NIO_BLOCKING;
                default -> point.way();
            };
            return new Key(way, point.route().map(UcxRoute::transport));
        }
    }

    /** Creates the one for a point and those with the same key. Its processes belong to {@code children}. */
    static Runner of(Point point, VerbsTwin twin, Venue venue, Children children, Comparison.Options options)
            throws IOException {
        if (!point.way().isC()) {
            return new JvmRunner(point, twin.isThere(), venue, children, options);
        }
        ToolRunner.Tool tool = switch (point.way().family()) {
            case VERBS -> new VerbsTool();
            case UCX -> new UcxTool(UcxPerftest.words());
            default -> new StreamTool();
        };
        return new ToolRunner(tool, twin, venue, children, options);
    }

    Runner(Venue venue, Comparison.Options options) {
        this.venue = venue;
        this.options = options;
    }

    /** How many pairs of ends a point has, each with connections of its own. */
    final int pairs(Point point) {
        return switch (point.way().family()) {
            case VERBS -> VerbsTool.pairs(point, options.threadEach());
            case UCX -> UcxTool.pairs(point);
            case NIO, STREAM, NETTY -> 1;
        };
    }

    /** What a pair does, by its number. With UCX in two directions, every second pair goes the other way. */
    final Job job(Point point, int pair, int port, long iterations) {
        boolean reversed =
                point.way().family() == Way.Family.UCX && point.benchmark() == Benchmark.BOTH_WAYS && pair % 2 == 1;
        Venue.End server = reversed ? venue.client() : venue.server();
        Venue.End client = reversed ? venue.server() : venue.client();
        Point part = point.way().family() == Way.Family.VERBS ? VerbsTool.ofPair(point, options.threadEach()) : point;
        return new Job(Job.Role.SERVER, part, server, client, reversed, port, iterations);
    }

    /** Runs all pairs of a point at the same time. */
    final Measured runPairs(Point point, long iterations, Duration limit) throws IOException, InterruptedException {
        List<EndPair> pairs = new ArrayList<>();
        for (int port : Ports.free(pairs(point))) {
            pairs.add(pair(job(point, pairs.size(), port, iterations)));
        }
        return EndPair.run(pairs, limit);
    }

    abstract EndPair pair(Job job);

    /**
     * Runs a point.
     *
     * @param iterations messages of each connection and direction, or round trips of each connection
     * @param limit how long it may take in all
     */
    abstract Measured run(Point point, long iterations, Duration limit) throws IOException, InterruptedException;

    /** The commands that repeat a run by hand. */
    abstract String command(Point point, long iterations);

    /** The flags of the JVMs that ran it; empty if none did. */
    List<String> jvmFlags() throws IOException, InterruptedException {
        return List.of();
    }

    @Override
    public void close() {
        // By default nothing is kept between runs.
    }
}
