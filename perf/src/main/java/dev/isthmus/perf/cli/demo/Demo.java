// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.cli.demo;

import dev.isthmus.perf.common.Machine;
import dev.isthmus.perf.common.Progress;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Runs the demo's parts, and reports what was measured, even after a failure.
 *
 * @param json where to write the figures
 * @param reports the folder for a JVM's error report
 * @param out where to print the table
 * @param errors where to print the rest
 */
record Demo(Optional<Path> json, Path reports, PrintWriter out, PrintStream errors) {

    /** Returns false if a part has failed. */
    boolean run(List<DemoPart> parts) throws IOException, InterruptedException {
        String date = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
        Map<String, Machine> machines = new LinkedHashMap<>();
        List<DemoReport.Sample> samples = new ArrayList<>();
        List<DemoReport.Failure> failures = new ArrayList<>();
        boolean complete = true;
        try (var progress = Progress.on(errors)) {
            for (DemoPart part : parts) {
                progress.update("starting the " + part.path() + " part");
                DemoPart.Result result = part.run(progress::update, progress::say, reports);
                result.machine().ifPresent(machine -> machines.put(part.path(), machine));
                samples.addAll(result.samples());
                failures.addAll(result.failures());
                complete &= result.isComplete();
            }
        }
        var report = new DemoReport(date, machines, DuelResult.of(samples), samples, failures);
        out.print(DemoTable.format(report));
        out.flush();
        failures.stream()
                .filter(failure -> !failure.repeated())
                .forEach(failure -> errors.println("demo: " + failure.reason()));
        if (json.isPresent()) {
            report.write(json.get());
        }
        return complete;
    }
}
