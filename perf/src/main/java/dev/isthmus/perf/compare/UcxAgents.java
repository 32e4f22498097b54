// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.compare;

import dev.isthmus.perf.demo.Children;
import dev.isthmus.perf.ucx.UcxPeer;
import java.util.HashMap;
import java.util.Map;

/** Our ucx_perftest in Java, on our binding of UCX or on UCX' own. */
final class UcxAgents extends AgentContender {

    private final UcxPeer.Binding binding;

    UcxAgents(UcxPeer.Binding binding, Venue venue, Children children, Comparison.Options options) {
        super(venue, children, options);
        this.binding = binding;
    }

    @Override
    Map<String, String> environment(Venue.End end) {
        Map<String, String> environment = new HashMap<>(UcxFlags.environment(end));
        if (binding == UcxPeer.Binding.JUCX) {
            environment.put("UCX_ERROR_SIGNALS", ""); // UCX' handler would take the JVM's own signals for a crash
        }
        return environment;
    }

    @Override
    public int lanes(Point point) {
        return UcxFlags.lanes(point);
    }

    /** Of two directions, every second lane goes the other way. */
    @Override
    boolean isReversed(Point point, int lane) {
        return point.benchmark() == Benchmark.BOTH_WAYS && lane % 2 == 1;
    }

    @Override
    String serve(Point point, Venue.End end, int port, long iterations) {
        return String.join(" ", AgentCommand.UCX_SERVE, binding.name(), end.address(), "" + port);
    }

    @Override
    String ask(Point point, Venue.End end, Venue.End server, int port, long iterations) {
        return String.join(
                " ",
                AgentCommand.UCX_ASK,
                binding.name(),
                point.benchmark().name(),
                flags(point, iterations),
                "-p",
                "" + port,
                server.address());
    }

    private static String flags(Point point, long iterations) {
        return String.join(" ", UcxFlags.of(point, iterations));
    }
}
