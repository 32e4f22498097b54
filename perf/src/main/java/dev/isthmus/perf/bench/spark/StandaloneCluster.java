// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.spark;

import dev.isthmus.perf.process.Children;
import dev.isthmus.perf.process.Placement;
import dev.isthmus.perf.process.Tool;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Spark's standalone cluster on this machine: a master and two workers with one core each, on free ports. Its processes
 * belong to the {@link Children} that it was started with.
 */
record StandaloneCluster(SparkHome spark, Children children, Path folder) {

    private static final Duration LIMIT = Duration.ofMinutes(10); // an emulated processor takes minutes
    private static final long POLL_MILLIS = 20;
    private static final String DAEMON_HEAP = "256m";
    private static final Pattern MASTER = Pattern.compile("Starting Spark master at (spark://\\S+)");
    private static final Pattern REGISTERED = Pattern.compile("Successfully registered with master");

    /**
     * Starts a cluster, and returns when both workers are ready: where to submit programs.
     *
     * @param places of its workers; the master runs at the first
     * @param memory of each worker, in Spark's notation: {@code 2g}
     */
    String start(List<WorkerPlace> places, String memory) throws IOException, InterruptedException {
        WorkerPlace first = places.getFirst();
        String url = daemon("master", Placement.CLIENT, first, Map.of(), "master.Master")
                .await(MASTER)
                .group(1);
        var workers = new ArrayList<Daemon>();
        for (WorkerPlace place : places) {
            String name = "worker-" + workers.size();
            workers.add(daemon(
                    name,
                    workers.isEmpty() ? Placement.CLIENT : Placement.SERVER,
                    place,
                    place.environment(),
                    "worker.Worker",
                    "--cores",
                    "1",
                    "--memory",
                    memory,
                    "--work-dir",
                    folder.resolve(name).toString(),
                    url));
        }
        for (Daemon worker : workers) {
            worker.await(REGISTERED);
        }
        return url;
    }

    private Daemon daemon(
            String name,
            Placement placement,
            WorkerPlace place,
            Map<String, String> more,
            String program,
            String... arguments)
            throws IOException {
        var environment = spark.environment(Optional.of(place.address()));
        environment.put("SPARK_LOCAL_DIRS", folder.toString());
        environment.putAll(more);
        List<String> command = spark.java(DAEMON_HEAP, "org.apache.spark.deploy." + program);
        command.addAll(Tool.words("--host " + place.address() + " --port 0 --webui-port 0"));
        command.addAll(List.of(arguments));
        Path log = folder.resolve(name + ".log");
        Redirect output = Redirect.appendTo(log.toFile());
        return new Daemon(name, children.start(placement.of(command), environment, output, output), log);
    }

    private record Daemon(String name, Process process, Path log) {

        /** Returns when the log matches. */
        Matcher await(Pattern words) throws IOException, InterruptedException {
            long end = System.nanoTime() + LIMIT.toNanos();
            while (true) {
                boolean over = process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS);
                Matcher found = words.matcher(Files.readString(log));
                if (found.find()) {
                    return found;
                }
                if (over || System.nanoTime() - end > 0) {
                    throw new IOException("Spark's " + name
                            + (over ? " has ended with status " + process.exitValue() : " is not ready") + ": "
                            + LogTail.of(log));
                }
            }
        }
    }
}
