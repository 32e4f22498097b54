// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.process.Children;
import dev.isthmus.perf.process.Placement;
import dev.isthmus.perf.process.ToolRun;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Two new processes of a tool in C. */
final class ToolPair implements EndPair {

    /** One end: what it runs, and where. */
    record End(List<String> command, Map<String, String> environment, Placement placement) {

        private ToolRun start(Children children) throws IOException {
            return new ToolRun(placement, command, environment, children);
        }

        /** In a shell's notation. */
        String byHand() {
            return environment.entrySet().stream()
                            .map(each -> each.getKey() + "=" + each.getValue() + " ")
                            .collect(Collectors.joining())
                    + String.join(" ", placement.of(command));
        }
    }

    private final ToolRunner.Tool tool;
    private final Runner.Share share;
    private final End server;
    private final End client;
    private final Children children;
    private ToolRun serving;

    ToolPair(ToolRunner.Tool tool, Runner.Share share, End server, End client, Children children) {
        this.tool = tool;
        this.share = share;
        this.server = server;
        this.client = client;
        this.children = children;
    }

    @Override
    public void listen(Duration limit) throws IOException, InterruptedException {
        serving = server.start(children);
        tool.awaitListening(serving, share.port());
    }

    @Override
    public Optional<Process> server() {
        return Optional.of(serving.process());
    }

    @Override
    public Measured measure(Duration limit, Optional<Runnable> connected) throws IOException, InterruptedException {
        try (var running = client.start(children)) {
            if (connected.isPresent()) {
                running.awaitConnected(share.port());
                connected.get().run();
            }
            String output = running.awaitOutput(limit);
            serving.awaitOutput(limit);
            return tool.read(share.point(), share.iterations(), output);
        }
    }

    @Override
    public void close() throws IOException {
        if (serving != null) {
            serving.close();
        }
    }
}
