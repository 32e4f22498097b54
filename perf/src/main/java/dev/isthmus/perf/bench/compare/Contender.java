// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Runs the points of some ways. */
interface Contender extends AutoCloseable {

    /** Whether its programs are compiled while they run, and so need a warm-up. */
    boolean warmsUp();

    /** How many pairs of ends a point has, each with connections of its own. */
    int lanes(Point point);

    /**
     * Runs a point.
     *
     * @param iterations messages of each connection and direction, or round trips of each connection
     * @param limit how long it may take in all
     */
    Measured run(Point point, long iterations, Duration limit) throws IOException, InterruptedException;

    /** The commands that repeat a run by hand. */
    String command(Point point, long iterations);

    /** The flags of the JVMs that ran it; empty if none did. */
    default List<String> jvmFlags() throws IOException, InterruptedException {
        return List.of();
    }

    @Override
    void close();

    /**
     * The commands of both ends for a shell. The client must start once the server listens.
     *
     * @param lanes how many pairs of ends there are
     */
    static String byHand(Point point, String server, String client, int lanes) {
        String both = server + " & sleep 2; " + client;
        if (lanes == 1) {
            return both;
        }
        boolean turned = lanes > point.connections();
        return both + " # " + lanes + " such pairs at the same time, each with a port of its own"
                + (turned ? ", every second one the other way round" : "");
    }

    /**
     * The command that repeats a run whose ends are JVMs, because only a comparison has their flags and their warm-up.
     * It includes the variables of this process's environment that matter.
     */
    static String again(Point point, long iterations, Comparison.Options options, Venue venue) {
        String devices = venue.hasDevices()
                ? venue.client().device().orElseThrow() + ","
                        + venue.server().device().orElseThrow()
                : "none";
        if (point.route().isPresent()) {
            return told() + "./isthmus perf compare-ucx --only '^" + point.cell() + "$' --rounds 1 --iterations "
                    + iterations + " --seconds " + options.seconds() + " --warm-up " + options.warmUpSeconds();
        }
        return told() + "./isthmus compare --ways " + point.way().id() + " --benchmarks "
                + point.benchmark().id() + " --bytes " + point.bytes() + " --connections " + point.connections()
                + " --rounds 1 --messages " + iterations + " --seconds " + options.seconds() + " --warm-up "
                + options.warmUpSeconds() + " --devices " + devices
                + (point.rate() > 0 ? " --rates " + point.rate() : "")
                + (options.threadEach() ? " --thread-per-connection" : "");
    }

    /** The environment variables that affect a JVM or UCX, in a shell's notation, to put before a command. */
    private static String told() {
        return new TreeMap<>(System.getenv())
                .entrySet().stream()
                        .filter(each -> each.getKey().matches("JDK_JAVA_OPTIONS|JAVA_TOOL_OPTIONS|UCX_.*"))
                        .map(each -> each.getKey() + "='" + each.getValue().replace("'", "'\\''") + "' ")
                        .collect(Collectors.joining());
    }
}
