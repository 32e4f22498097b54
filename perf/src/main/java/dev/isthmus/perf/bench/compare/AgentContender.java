// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.process.Children;
import dev.isthmus.perf.process.Placement;
import dev.isthmus.perf.process.Ports;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/** Two JVMs of this project that stay up between runs. After a failure, two new ones replace them. */
abstract class AgentContender implements Contender {

    /** A JVM that has just run a point answers at once, except on an emulated processor. */
    private static final Duration FLAGS_LIMIT = Duration.ofMinutes(1);

    private final Venue venue;
    private final Children children;
    private final Comparison.Options options;
    private Agent server;
    private Agent client;

    AgentContender(Venue venue, Children children, Comparison.Options options) {
        this.venue = venue;
        this.children = children;
        this.options = options;
    }

    Venue venue() {
        return venue;
    }

    /** What an end has in its environment; by default the same as this JVM. */
    Map<String, String> environment(Venue.End end) {
        return Map.of();
    }

    /** By default one lane, which has all connections. */
    @Override
    public int lanes(Point point) {
        return 1;
    }

    /** Whether a lane's server is the end that is the client in other lanes. */
    boolean isReversed(Point point, int lane) {
        return false;
    }

    /** Whether the kernel's TCP table lists its servers; if not, a client tries until it finds one. */
    boolean listensByTcp() {
        return true;
    }

    /** The server's job. */
    abstract String serve(Point point, Venue.End end, int port, long iterations);

    /** The client's job. */
    abstract String ask(Point point, Venue.End end, Venue.End server, int port, long iterations);

    /** Turns a lane's figures into those of the point's connection. */
    Measured read(Point point, Measured measured, long iterations) {
        return measured;
    }

    @Override
    public boolean warmsUp() {
        return true;
    }

    private void start() throws IOException {
        if (client == null || !server.isAlive() || !client.isAlive()) { // made after the server
            close();
            server = new Agent(children, Placement.SERVER, environment(venue.server()));
            client = new Agent(children, Placement.CLIENT, environment(venue.client()));
        }
    }

    /** Makes the client do something that needs no server. */
    Measured alone(String job, Duration limit) throws IOException, InterruptedException {
        start();
        try {
            return Measured.parse(Agent.await(client.ask(job), limit));
        } catch (IOException | InterruptedException | RuntimeException e) {
            close();
            throw e;
        }
    }

    @Override
    public Measured run(Point point, long iterations, Duration limit) throws IOException, InterruptedException {
        start();
        List<Lane> lanes = new ArrayList<>();
        for (int port : Ports.free(lanes(point))) {
            lanes.add(lane(point, lanes.size(), port, iterations));
        }
        try {
            return Lane.run(lanes, limit);
        } catch (IOException | InterruptedException | RuntimeException e) {
            close(); // nobody knows what the ends are doing now
            throw e;
        }
    }

    @Override
    public final String command(Point point, long iterations) {
        return Contender.again(point, iterations, options, venue);
    }

    @Override
    public List<String> jvmFlags() throws IOException, InterruptedException {
        start();
        return List.of(Agent.await(client.ask(AgentProgram.FLAGS), FLAGS_LIMIT).split(" ", -1));
    }

    private Lane lane(Point point, int number, int port, long iterations) {
        boolean reversed = isReversed(point, number);
        Venue.End near = reversed ? venue.client() : venue.server();
        Venue.End far = reversed ? venue.server() : venue.client();
        return new AgentLane(
                new AgentLane.End(reversed ? client : server, serve(point, near, port, iterations)),
                new AgentLane.End(reversed ? server : client, ask(point, far, near, port, iterations)),
                listensByTcp() ? OptionalInt.of(port) : OptionalInt.empty(),
                measured -> read(point, measured, iterations));
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
