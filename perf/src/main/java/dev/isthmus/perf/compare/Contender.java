// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.compare;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Who runs the points of some ways. */
interface Contender extends AutoCloseable {

    /** Whether its programs compile themselves while they run, and so have to be warmed up. */
    boolean warmsUp();

    /** How many pairs of ends a point has, each with connections of its own. */
    int lanes(Point point);

    /**
     * Runs a point.
     *
     * @param iterations messages of each connection and direction, or round trips of each connection
     * @param limit how long it may take, all in all
     */
    Measured run(Point point, long iterations, Duration limit) throws IOException, InterruptedException;

    /** The commands that repeat a run by hand. */
    String command(Point point, long iterations);

    /** What the JVMs that ran it were told; nothing where none did. */
    default List<String> jvmFlags() throws IOException, InterruptedException {
        return List.of();
    }

    @Override
    void close();

    /**
     * The commands of both ends, as a shell takes them: a client finds no server that is not listening yet.
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
     * The command that repeats a run whose ends are JVMs: their flags, and their warm-up, are a comparison's own. What
     * this process was told by its environment is told again.
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

    /** The variables of the environment that a JVM or UCX looks at, as a shell has them before a command. */
    private static String told() {
        return new TreeMap<>(System.getenv())
                .entrySet().stream()
                        .filter(each -> each.getKey().matches("JDK_JAVA_OPTIONS|JAVA_TOOL_OPTIONS|UCX_.*"))
                        .map(each -> each.getKey() + "='" + each.getValue().replace("'", "'\\''") + "' ")
                        .collect(Collectors.joining());
    }
}
