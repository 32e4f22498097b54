// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.compare;

import java.util.Locale;

/**
 * One point of one curve: what is measured in a run of its own, several times.
 *
 * @param rate how many round trips all connections together begin in a second, of those at a fixed rate; 0 of others, and
 *     where that is to follow from what the way reaches without one
 */
record Point(Way way, Benchmark benchmark, long bytes, int connections, long rate) {

    /** Of a benchmark in which nothing is fixed but the messages. */
    Point(Way way, Benchmark benchmark, long bytes, int connections) {
        this(way, benchmark, bytes, connections, 0);
    }

    /** A rate in words, behind what else there is to say of a point; nothing of none. */
    static String title(long rate) {
        return rate == 0 ? "" : String.format(Locale.ROOT, ", %,d/s", rate);
    }

    /** The same at another rate. */
    Point at(long perSecond) {
        return new Point(way, benchmark, bytes, connections, perSecond);
    }

    /** The same messages, each begun when the one before is back. */
    Point closed() {
        return new Point(way, Benchmark.PING_PONG, bytes, connections);
    }
}
