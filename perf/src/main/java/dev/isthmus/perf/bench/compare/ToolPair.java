// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.process.Children;
import dev.isthmus.perf.process.ToolRun;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** Two new processes of a tool in C. */
final class ToolPair implements EndPair {

    private final ToolRunner.Tool tool;
    private final Job job;
    private final Children children;
    private ToolRun serving;

    ToolPair(ToolRunner.Tool tool, Job job, Children children) {
        this.tool = tool;
        this.job = job;
        this.children = children;
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
