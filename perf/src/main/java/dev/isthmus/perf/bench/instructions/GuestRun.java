// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.instructions;

import dev.isthmus.perf.common.Progress;
import dev.isthmus.perf.common.Side;
import dev.isthmus.perf.process.Children;
import dev.isthmus.perf.process.Testbed;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** One run of the testbed, whose clock counts instructions. It ends with this process. */
final class GuestRun {

    private final int seconds;
    private final Progress progress;

    GuestRun(int seconds, Progress progress) {
        this.seconds = seconds;
        this.progress = progress;
    }

    /** Compiles the twins and runs all programs; blocks until the testbed has ended. */
    void run(Map<Suite, List<? extends Row>> rows, GuestOutput output) throws IOException, InterruptedException {
        Testbed testbed = Testbed.find()
                .orElseThrow(
                        () -> new IOException("there is no testbed/testbed in this folder or above it: run ./isthmus"));
        try (var twins = new Twins();
                var children = new Children()) {
            var script = new GuestScript();
            for (var suite : rows.entrySet()) {
                progress.update("compiles " + suite.getKey().twin() + ".c");
                Path twin = twins.compile(suite.getKey());
                for (Side side : Side.values()) {
                    if (suite.getKey().counts(side)) {
                        script.add(suite.getKey(), side, twin, suite.getValue());
                    }
                }
            }
            progress.update("the testbed boots");
            Process process = children.start(command(testbed, script), Map.of());
            int status = Children.listen(process, line -> progress.update(output.take(line)));
            if (status != 0) {
                throw new IOException("the testbed ended with exit status " + status + "; its output is above");
            }
            output.checkComplete();
        }
    }

    private List<String> command(Testbed testbed, GuestScript script) {
        return List.of(
                testbed.script().toString(),
                "--where=vm",
                "--icount",
                "--quiet",
                "--timeout=" + seconds,
                "--",
                "sh",
                "-c",
                script.toString());
    }
}
