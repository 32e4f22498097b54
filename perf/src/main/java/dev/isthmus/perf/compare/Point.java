// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.compare;

import java.util.Locale;
import java.util.Optional;

/**
 * One point of one curve: what is measured in a run of its own, several times.
 *
 * @param rate how many round trips all connections together begin in a second, of those at a fixed rate; 0 of others, and
 *     where that is to follow from what the way reaches without one
 * @param route over UCX, where a comparison is of its operations and transports; none where the venue decides
 */
record Point(Way way, Benchmark benchmark, long bytes, int connections, long rate, Optional<UcxRoute> route) {

    /** Of a benchmark in which nothing is fixed but the messages. */
    Point(Way way, Benchmark benchmark, long bytes, int connections) {
        this(way, benchmark, bytes, connections, 0);
    }

    Point(Way way, Benchmark benchmark, long bytes, int connections, long rate) {
        this(way, benchmark, bytes, connections, rate, Optional.empty());
    }

    /** Of one operation of UCX, over one transport. */
    Point(Way way, Benchmark benchmark, long bytes, UcxRoute route) {
        this(way, benchmark, bytes, 1, 0, Optional.of(route));
    }

    /** A rate in words, behind what else there is to say of a point; nothing of none. */
    static String title(long rate) {
        return rate == 0 ? "" : String.format(Locale.ROOT, ", %,d/s", rate);
    }

    /** The name of the cell that the ways share in the table of a route, such as shm-tag-lat-8. */
    String cell() {
        return route.orElseThrow().id() + (benchmark.isThroughput() ? "-bw-" : "-lat-") + bytes;
    }

    /** The same at another rate. */
    Point at(long perSecond) {
        return new Point(way, benchmark, bytes, connections, perSecond, route);
    }

    /** The same over another number of connections. */
    Point with(int count) {
        return new Point(way, benchmark, bytes, count, rate, route);
    }

    /** The same messages, each begun when the one before is back. */
    Point closed() {
        return new Point(way, Benchmark.PING_PONG, bytes, connections, 0, route);
    }
}
