// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.process.Children;
import dev.isthmus.perf.process.Placement;
import dev.isthmus.perf.process.Tool;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Runs points in two JVMs of this project that stay up between runs. After a failure, two new ones replace them. */
final class JvmRunner extends Runner {

    /** A JVM that has just run a point answers at once, except on an emulated processor. */
    private static final Duration FLAGS_LIMIT = Duration.ofMinutes(1);

    private final boolean twin;
    private final Children children;
    private final Map<String, String> serverEnvironment;
    private final Map<String, String> clientEnvironment;
    private Agent server;
    private Agent client;

    /**
     * Creates it for the ways that share JVMs with a point's.
     *
     * @param twin whether single writes have a twin in C: then our own loop waits for them; otherwise the program does
     *     it as perftest does
     */
    JvmRunner(Point first, boolean twin, Venue venue, Children children, Comparison.Options options) {
        super(venue, options);
        this.twin = twin;
        this.children = children;
        Job job = job(first, 0, 0, 0);
        serverEnvironment = environment(job);
        clientEnvironment = environment(job.as(Job.Role.CLIENT));
    }

    private static Map<String, String> environment(Job job) {
        if (job.point().way().family() != Way.Family.UCX) {
            return Map.of();
        }
        Map<String, String> environment = new HashMap<>(UcxTool.variables(job));
        environment.putAll(UcxJob.binding(job.point().way()).environment());
        return environment;
    }

    private void start() throws IOException {
        if (client == null || !server.isAlive() || !client.isAlive()) { // made after the server
            close();
            server = new Agent(children, Placement.SERVER, serverEnvironment);
            client = new Agent(children, Placement.CLIENT, clientEnvironment);
        }
    }

    @Override
    Measured run(Point point, long iterations, Duration limit) throws IOException, InterruptedException {
        start();
        try {
            if (VerbsTool.isOnTime(point) || (twin && VerbsTool.isSingleWrite(point))) {
                Job job = job(point, 0, 0, iterations).as(Job.Role.BOTH);
                return Agent.measured(Agent.await(client.ask(job), limit));
            }
            return runPairs(point, iterations, limit);
        } catch (IOException | InterruptedException | RuntimeException e) {
            close(); // nobody knows what the ends are doing now
            throw e;
        }
    }

    @Override
    EndPair pair(Job job) {
        return job.isReversed() ? new AgentPair(client, server, job) : new AgentPair(server, client, job);
    }

    /**
     * A command of ours, because only a comparison has the JVMs' flags and their warm-up. It includes the variables of
     * this process's environment that matter.
     */
    @Override
    String command(Point point, long iterations) {
        String devices = venue.hasDevices()
                ? venue.client().device().orElseThrow() + ","
                        + venue.server().device().orElseThrow()
                : "none";
        return variables() + "./isthmus compare --ways " + point.way().id() + " --benchmarks "
                + point.benchmark().id() + " --bytes " + point.bytes() + " --connections " + point.connections()
                + " --rounds 1 --messages " + iterations + " --seconds " + options.seconds() + " --warm-up "
                + options.warmUpSeconds() + " --devices " + devices
                + (point.rate() > 0 ? " --rates " + point.rate() : "")
                + point.route().map(route -> " --routes " + route.id()).orElse("")
                + (options.threadEach() ? " --thread-per-connection" : "");
    }

    /** The environment variables that affect a JVM or UCX, in a shell's notation, to put before a command. */
    private static String variables() {
        return new TreeMap<>(System.getenv())
                .entrySet().stream()
                        .filter(each -> each.getKey().matches("JDK_JAVA_OPTIONS|JAVA_TOOL_OPTIONS|UCX_.*"))
                        .map(each -> each.getKey() + "=" + Tool.quoted(each.getValue()) + " ")
                        .collect(Collectors.joining());
    }

    @Override
    List<String> jvmFlags() throws IOException, InterruptedException {
        start();
        return List.of(Agent.await(client.ask(AgentProgram.FLAGS), FLAGS_LIMIT).split(" ", -1));
    }

    @Override
    public void close() {
        if (server != null) {
            server.close();
        }
        if (client != null) {
            client.close();
        }
        server = null;
        client = null;
    }
}
