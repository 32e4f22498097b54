// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import java.util.Locale;
import java.util.Optional;

/**
 * One point of one curve, which is measured several times, each time in a run of its own.
 *
 * @param rate how many round trips all connections together begin in a second, in a benchmark at a fixed rate; 0 in
 *     others, and if it is to follow from what the way reaches without a limit
 * @param route over UCX, in a comparison of its operations and transports; none if the venue decides
 */
record Point(Way way, Benchmark benchmark, long bytes, int connections, long rate, Optional<UcxRoute> route) {

    /** A point of a benchmark in which only the messages are fixed. */
    Point(Way way, Benchmark benchmark, long bytes, int connections) {
        this(way, benchmark, bytes, connections, 0);
    }

    Point(Way way, Benchmark benchmark, long bytes, int connections, long rate) {
        this(way, benchmark, bytes, connections, rate, Optional.empty());
    }

    /** A point of one operation of UCX, over one transport. */
    Point(Way way, Benchmark benchmark, long bytes, UcxRoute route) {
        this(way, benchmark, bytes, 1, 0, Optional.of(route));
    }

    /** In words. */
    String title() {
        return way.id() + ", "
                + (route.isPresent() ? cell() : benchmark.id() + ", " + bytes + " B")
                + (connections == 1 ? "" : ", " + connections + " connections")
                + (rate == 0 ? "" : String.format(Locale.ROOT, ", %,d/s", rate));
    }

    /** The name of the cell that the ways share in the table of a route, such as shm-tag-lat-8. */
    String cell() {
        return route.orElseThrow().id() + (benchmark.isThroughput() ? "-bw-" : "-lat-") + bytes;
    }

    /** The same point at another rate. */
    Point at(long perSecond) {
        return new Point(way, benchmark, bytes, connections, perSecond, route);
    }

    /** The same, another way. */
    Point by(Way other) {
        return new Point(other, benchmark, bytes, connections, rate, route);
    }

    /** The same over another number of connections. */
    Point with(int count) {
        return new Point(way, benchmark, bytes, count, rate, route);
    }

    /** The same messages, but each begins when the previous one has returned. */
    Point closed() {
        return new Point(way, Benchmark.PING_PONG, bytes, connections, 0, route);
    }
}
