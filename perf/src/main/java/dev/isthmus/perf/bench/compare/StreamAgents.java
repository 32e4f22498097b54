// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.process.Children;
import java.util.List;

/** Isthmus' rstream in Java. */
final class StreamAgents extends AgentContender {

    StreamAgents(Venue venue, Children children, Comparison.Options options) {
        super(venue, children, options);
    }

    @Override
    boolean listensByTcp() {
        return false;
    }

    @Override
    String serve(Point point, Venue.End end, int port, long iterations) {
        return job(point, iterations, StreamFlags.server(point, end, port, iterations));
    }

    @Override
    String ask(Point point, Venue.End end, Venue.End server, int port, long iterations) {
        return job(point, iterations, StreamFlags.client(point, end, server, port, iterations));
    }

    private static String job(Point point, long iterations, List<String> flags) {
        return String.join(
                " ", AgentProgram.STREAM, point.benchmark().name(), "" + iterations, String.join(" ", flags));
    }
}
