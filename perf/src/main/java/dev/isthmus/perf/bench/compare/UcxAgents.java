// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.common.Spent;
import dev.isthmus.perf.common.Timetable;
import dev.isthmus.perf.process.Children;
import dev.isthmus.perf.tools.ucx.UcxPeer;
import dev.isthmus.perf.tools.ucx.UcxTrips;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Isthmus' ucx_perftest in Java, on its own binding of UCX or on UCX's own. */
final class UcxAgents extends AgentContender {

    private final UcxPeer.Binding binding;
    private final Optional<UcxRoute.Transport> transport;

    /** For points over one transport, or for points without a route. */
    UcxAgents(
            UcxPeer.Binding binding,
            Optional<UcxRoute.Transport> transport,
            Venue venue,
            Children children,
            Comparison.Options options) {
        super(venue, children, options);
        this.binding = binding;
        this.transport = transport;
    }

    @Override
    Map<String, String> environment(Venue.End end) {
        Map<String, String> environment = new HashMap<>(UcxFlags.environment(end, transport));
        environment.putAll(binding.environment());
        return environment;
    }

    @Override
    public int lanes(Point point) {
        return UcxFlags.lanes(point);
    }

    /** With two directions, every second lane goes the other way. */
    @Override
    boolean isReversed(Point point, int lane) {
        return point.benchmark() == Benchmark.BOTH_WAYS && lane % 2 == 1;
    }

    @Override
    String serve(Point point, Venue.End end, int port, long iterations) {
        if (point.benchmark() == Benchmark.FIXED_RATE) {
            return trips(AgentProgram.UCX_SERVE_TRIPS, point, end.address(), port, iterations);
        }
        return String.join(" ", AgentProgram.UCX_SERVE, binding.name(), end.address(), "" + port);
    }

    @Override
    String ask(Point point, Venue.End end, Venue.End server, int port, long iterations) {
        if (point.benchmark() == Benchmark.FIXED_RATE) {
            return trips(AgentProgram.UCX_ASK_TRIPS, point, server.address(), port, iterations);
        }
        return String.join(
                " ",
                AgentProgram.UCX_ASK,
                binding.name(),
                point.benchmark().name(),
                "" + point.route().isPresent(),
                flags(point, iterations),
                "-p",
                "" + port,
                server.address());
    }

    private static String trips(String job, Point point, String address, int port, long iterations) {
        return String.join(" ", job, address, "" + port, "" + point.bytes(), "" + iterations, "" + point.rate());
    }

    /** Runs an end of round trips at a fixed rate. */
    static Measured trips(boolean serves, List<String> words) throws IOException {
        var server = new InetSocketAddress(words.get(0), Integer.parseInt(words.get(1)));
        long bytes = Long.parseLong(words.get(2));
        long count = Long.parseLong(words.get(3));
        if (serves) {
            return VerbsJob.NOTHING.withSpent(UcxTrips.serve(server, bytes, count));
        }
        var timetable = new Timetable(System::nanoTime, Long.parseLong(words.get(4)), 0, 1, count);
        Spent spent = UcxTrips.ask(server, bytes, count, timetable);
        return Measured.trips(timetable).withSpent(spent);
    }

    private static String flags(Point point, long iterations) {
        return String.join(" ", UcxFlags.of(point, iterations));
    }
}
