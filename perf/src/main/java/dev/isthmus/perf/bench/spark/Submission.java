// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.spark;

import dev.isthmus.perf.common.Progress;
import dev.isthmus.perf.process.Children;
import dev.isthmus.perf.process.Placement;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Submits the program that is run each way.
 *
 * @param spark where Spark is
 * @param master where to submit
 * @param address of this machine, which the driver is to use; empty if Spark is to choose
 * @param settings as {@code KEY=VALUE}, the same each way; of two with the same key the last counts
 * @param program its class
 * @param arguments those behind the file for its results
 * @param folder for logs and results
 */
record Submission(
        SparkHome spark,
        String master,
        Optional<String> address,
        List<String> settings,
        String program,
        List<String> arguments,
        Path folder) {

    private static final String OUTPUT_PREFIX = "trial: ";

    /** Runs it to its end. */
    Trial run(ShuffleWay way, int round, Children children, Progress progress)
            throws IOException, InterruptedException {
        String name = "round " + round + ", " + way.title();
        progress.update(name + ": starting executors");
        Path results = folder.resolve("results-" + way + "-" + round);
        Path log = folder.resolve("driver-" + way + "-" + round + ".log");
        var environment = spark.environment(address);
        environment.put("SPARK_LOCAL_DIRS", folder.toString());
        Process process = children.start(
                Placement.CLIENT.of(command(way, results)), environment, Redirect.to(log.toFile()), Redirect.PIPE);
        int status = Children.listen(process, line -> {
            if (line.startsWith(OUTPUT_PREFIX)) {
                progress.update(name + ": " + line.substring(OUTPUT_PREFIX.length()));
            }
        });
        if (status != 0 || !Files.exists(results)) {
            throw new IOException("Spark's program has ended with status " + status + "; " + LogTail.of(log));
        }
        return Trial.read(way, results);
    }

    private List<String> command(ShuffleWay way, Path results) throws IOException {
        var command = new ArrayList<>(spark.submit());
        command.addAll(List.of("--master", master, "--deploy-mode", "client", "--name", "isthmus spark"));
        for (String setting : settings) {
            command.addAll(List.of("--conf", setting));
        }
        for (String setting : way.settings()) {
            command.addAll(List.of("--conf", setting));
        }
        command.addAll(List.of(
                "--jars",
                SparkHome.isthmusJar().toString(),
                "--class",
                program,
                SparkHome.programJar().toString(),
                results.toString()));
        command.addAll(arguments);
        return command;
    }
}
