// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.process.Tool;
import dev.isthmus.perf.tools.ucx.UcxPerftest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * {@code ucx_perftest}: the flags with which it and ours run a point, and the variables that select UCX's devices.
 *
 * @param command its first words
 */
record UcxTool(List<String> command) implements ToolRunner.Tool {

    private static final String TRANSPORTS = "UCX_TLS";
    private static final int WARM_UP_PART = 10;
    private static final int ROUTED_WARM_UP = 10_000;

    /** Only the operation is used, not the transport. */
    private static final UcxRoute BY_TAG = new UcxRoute(UcxRoute.Transport.TCP, UcxRoute.Operation.TAG);

    private static final String HOST = "127.0.0.1";

    /**
     * The test. Without a route it is tagged messages, or gets for one-sided operations, each of which is waited for.
     */
    private static String test(Point point) {
        return switch (point.benchmark()) {
            case FIXED_RATE -> throw noRate();
            case ONE_SIDED -> "ucp_get";
            default -> point.route().orElse(BY_TAG).test(point.benchmark());
        };
    }

    /**
     * How many pairs of ends a point has: one for each connection, or two if messages go both ways, because a test of
     * {@code ucx_perftest} has one connection and one direction.
     */
    static int pairs(Point point) {
        return point.connections() * (point.benchmark() == Benchmark.BOTH_WAYS ? 2 : 1);
    }

    /**
     * A connection's first messages are slow, whatever the ends have learnt, so a part of a run's messages goes first.
     * With a route it is as many as {@code ucx_perftest} takes, which stops after a tenth of a second.
     */
    private static long warmUp(Point point, long iterations) {
        return point.route().isPresent() ? ROUTED_WARM_UP : Math.max(1, iterations / WARM_UP_PART);
    }

    /** The client's flags, except the server. */
    static List<String> flags(Job job) {
        Point point = job.point();
        return Tool.words("-t " + test(point) + " -s " + point.bytes() + " -n " + job.iterations() + " -w "
                + warmUp(point, job.iterations()) + " -R " + (point.route().isPresent() ? "50" : "99.9") + " -f -p "
                + job.port());
    }

    /**
     * The result of a run, from the columns of {@code ucx_perftest}: half a round trip, and messages both ways. With a
     * route the percentile is the median.
     */
    static Measured measured(Point point, double averageMicros, double percentileMicros, double rate, long iterations) {
        boolean routed = point.route().isPresent();
        double median = routed ? percentileMicros : Double.NaN;
        double p999 = routed ? Double.NaN : percentileMicros;
        return switch (point.benchmark()) {
            case ONE_WAY, BOTH_WAYS -> Measured.rate(rate, iterations);
            case ONE_SIDED -> Measured.times(averageMicros, median, p999, 1, iterations);
            case PING_PONG -> Measured.times(2 * averageMicros, 2 * median, 2 * p999, 2, iterations);
            case FIXED_RATE -> throw noRate();
        };
    }

    private static IllegalArgumentException noRate() {
        return new IllegalArgumentException("ucx_perftest has no round trips at a fixed rate");
    }

    /** The variables for the transport of a route or, if there is none, for an end's device. */
    static Map<String, String> variables(Job job) {
        return job.point()
                .route()
                .map(route -> Map.of(TRANSPORTS, route.transport().transports()))
                .orElseGet(() -> variables(job.local()));
    }

    /** The variables that select an end's device for UCX; those of the user's environment stay. */
    private static Map<String, String> variables(Venue.End end) {
        Map<String, String> wanted = new HashMap<>();
        if (end.device().isEmpty()) {
            wanted.put(TRANSPORTS, "tcp");
            wanted.put("UCX_NET_DEVICES", end.netdev().orElseThrow());
        } else {
            wanted.put(TRANSPORTS, end.software() ? "rc_verbs,ud_verbs,self" : "rc,self");
            wanted.put("UCX_NET_DEVICES", end.device().get() + ":1");
            end.gidIndex().ifPresent(index -> wanted.put("UCX_IB_GID_INDEX", "" + index));
        }
        if (end.software()) {
            wanted.put("UCX_UD_VERBS_ETH_DGID_CHECK", "n");
            wanted.put("UCX_IB_ASYNC_EVENTS", "n"); // Soft-RoCE of Linux 6.12 has one too many for UCX
        }
        wanted.keySet().removeAll(System.getenv().keySet());
        if (wanted.containsKey("UCX_NET_DEVICES") && !wanted.containsKey(TRANSPORTS)) {
            wanted.remove("UCX_NET_DEVICES"); // a user who chooses transports knows their devices
        }
        return wanted;
    }

    /** The transports that are used. */
    static String transports(Venue.End end) {
        return variables(end).getOrDefault(TRANSPORTS, System.getenv().getOrDefault(TRANSPORTS, "all"));
    }

    @Override
    public List<String> command(Job job) {
        List<String> words = new ArrayList<>(command);
        words.addAll(job.isClient() ? flags(job) : List.of("-p", "" + job.port()));
        if (job.isClient()) {
            words.add(HOST);
        }
        return words;
    }

    @Override
    public Map<String, String> environment(Job job) {
        return variables(job);
    }

    @Override
    public int usualPort() {
        return 13337;
    }

    @Override
    public Measured read(Point point, long iterations, String output) throws IOException {
        UcxPerftest.Results results = UcxPerftest.parse(output);
        return measured(
                        point,
                        results.averageMicros(),
                        results.percentileMicros(),
                        results.messagesPerSecond(),
                        iterations)
                .withMessages(0); // it does not say how long its warm-up was
    }
}
