// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.common.Spent;
import dev.isthmus.perf.process.Children;
import dev.isthmus.perf.process.Placement;
import dev.isthmus.perf.process.ToolRun;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Two new processes of a tool in C. */
final class ToolLane implements Lane {

    /** Reads the figures from the client's output. */
    @FunctionalInterface
    interface Reader {
        Measured read(String output) throws IOException;
    }

    /** Waits until a server listens. */
    @FunctionalInterface
    interface Readiness {
        void await(ToolRun server) throws IOException, InterruptedException;
    }

    /** One end: what it runs, and where. */
    record End(List<String> command, Map<String, String> environment, Placement placement) {}

    private final End server;
    private final End client;
    private final int port;
    private final Children children;
    private final Readiness readiness;
    private final Reader reader;
    private ToolRun serving;

    /** Creates a lane whose server shows in the kernel's TCP table. */
    ToolLane(End server, End client, int port, Children children, Reader reader) {
        this(server, client, port, children, serving -> serving.awaitListening(port), reader);
    }

    ToolLane(End server, End client, int port, Children children, Readiness readiness, Reader reader) {
        this.server = server;
        this.client = client;
        this.port = port;
        this.children = children;
        this.readiness = readiness;
        this.reader = reader;
    }

    /** Runs lanes at the same time. What their processes spend counts from their start to their end. */
    static Measured run(List<ToolLane> lanes, Duration limit) throws IOException, InterruptedException {
        Spent before = Spent.byChildren();
        return Lane.run(lanes, limit).withSpent(Spent.byChildren().since(before));
    }

    @Override
    public void listen(Duration limit) throws IOException, InterruptedException {
        serving = new ToolRun(server.placement(), server.command(), server.environment(), children);
        readiness.await(serving);
    }

    @Override
    public Optional<Process> server() {
        return Optional.of(serving.process());
    }

    @Override
    public Measured measure(Duration limit, Optional<Runnable> connected) throws IOException, InterruptedException {
        try (var running = new ToolRun(client.placement(), client.command(), client.environment(), children)) {
            if (connected.isPresent()) {
                running.awaitConnected(port);
                connected.get().run();
            }
            String output = running.awaitOutput(limit);
            serving.awaitOutput(limit);
            return reader.read(output);
        }
    }

    @Override
    public void close() throws IOException {
        if (serving != null) {
            serving.close();
        }
    }
}
