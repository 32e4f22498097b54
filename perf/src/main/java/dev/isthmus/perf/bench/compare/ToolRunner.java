// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.common.Spent;
import dev.isthmus.perf.process.Children;
import dev.isthmus.perf.process.ToolRun;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Runs points by a tool in C: two new processes for each pair of ends in each run. */
final class ToolRunner extends Runner {

    /** A tool in C: its commands and its figures. */
    interface Tool {

        /** The command of an end. */
        List<String> command(Job job);

        /** Variables for the environment of an end. */
        default Map<String, String> environment(Job job) {
            return Map.of();
        }

        /** The port in commands for people. */
        int usualPort();

        /** Returns when a server listens, which the kernel's table of TCP shows. */
        default void awaitListening(ToolRun server, int port) throws IOException, InterruptedException {
            server.awaitListening(port);
        }

        /** Reads the figures from a client's output. */
        Measured read(Point point, long iterations, String output) throws IOException;
    }

    /** A tool has printed something that is not a number; the next time it will, probably. */
    static final class NoFigureException extends IOException {

        private static final long serialVersionUID = 1;

        NoFigureException(String message) {
            super(message + ", " + ATTEMPTS + " times");
        }
    }

    private static final int ATTEMPTS = 5;

    private final Tool tool;
    private final VerbsTwin twin;
    private final Children children;

    /** Creates it. The twin takes the tool's place where it can. */
    ToolRunner(Tool tool, VerbsTwin twin, Venue venue, Children children, Comparison.Options options) {
        super(venue, options);
        this.tool = tool;
        this.twin = twin;
        this.children = children;
    }

    /** What the processes spend counts from their start to their end. */
    @Override
    Measured run(Point point, long iterations, Duration limit) throws IOException, InterruptedException {
        for (int attempt = 1; ; attempt++) {
            Spent before = Spent.byChildren();
            try {
                Measured measured = twin.runs(point)
                        ? twin.run(point, venue, iterations, children, limit)
                        : runPairs(point, iterations, limit);
                return measured.withSpent(Spent.byChildren().since(before));
            } catch (NoFigureException e) {
                if (attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    @Override
    EndPair pair(Job job) {
        return new ToolPair(job);
    }

    /** The commands of both ends for a shell. The client must start once the server listens. */
    @Override
    String command(Point point, long iterations) {
        if (twin.runs(point)) {
            return VerbsTwin.byHand(point, venue, iterations);
        }
        Job job = job(point, 0, tool.usualPort(), iterations);
        String both = byHand(job) + " & sleep 2; " + byHand(job.as(Job.Role.CLIENT));
        int pairs = pairs(point);
        if (pairs == 1) {
            return both;
        }
        return both + " # " + pairs + " such pairs at the same time, each with a port of its own"
                + (pairs > point.connections() ? ", every second one the other way round" : "");
    }

    private String byHand(Job job) {
        return tool.environment(job).entrySet().stream()
                        .map(each -> each.getKey() + "=" + each.getValue() + " ")
                        .collect(Collectors.joining())
                + String.join(" ", job.placement().of(tool.command(job)));
    }

    /** Two new processes of a tool in C. */
    private final class ToolPair implements EndPair {

        private final Job job;
        private ToolRun serving;

        ToolPair(Job job) {
            this.job = job;
        }

        private ToolRun start(Job end) throws IOException {
            return new ToolRun(end.placement(), tool.command(end), tool.environment(end), children);
        }

        @Override
        public void listen(Duration limit) throws IOException, InterruptedException {
            serving = start(job.as(Job.Role.SERVER));
            tool.awaitListening(serving, job.port());
        }

        @Override
        public Optional<Process> server() {
            return Optional.of(serving.process());
        }

        @Override
        public Measured measure(Duration limit, Optional<Runnable> connected) throws IOException, InterruptedException {
            try (var running = start(job.as(Job.Role.CLIENT))) {
                if (connected.isPresent()) {
                    running.awaitConnected(job.port());
                    connected.get().run();
                }
                String output = running.awaitOutput(limit);
                serving.awaitOutput(limit);
                return tool.read(job.point(), job.iterations(), output);
            }
        }

        @Override
        public void close() throws IOException {
            if (serving != null) {
                serving.close();
            }
        }
    }
}
