// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.spark;

import dev.isthmus.perf.process.Children;
import dev.isthmus.perf.process.Placement;
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
final class StandaloneCluster {

    private static final Duration LIMIT = Duration.ofMinutes(10); // an emulated processor takes minutes
    private static final long POLL_MILLIS = 20;
    private static final String DAEMON_HEAP = "256m";
    private static final Pattern MASTER = Pattern.compile("Starting Spark master at (spark://\\S+)");
    private static final Pattern REGISTERED = Pattern.compile("Successfully registered with master");

    private final SparkHome spark;
    private final Children children;
    private final Path folder;
    private String url = "";

    private StandaloneCluster(SparkHome spark, Children children, Path folder) {
        this.spark = spark;
        this.children = children;
        this.folder = folder;
    }

    /**
     * Starts a cluster, and returns when both workers are ready.
     *
     * @param spark where Spark is
     * @param children which it ends with
     * @param folder for its logs, and for what its executors write
     * @param places of its workers; the master runs at the first
     * @param memory of each worker, in Spark's notation: {@code 2g}
     */
    static StandaloneCluster start(
            SparkHome spark, Children children, Path folder, List<WorkerPlace> places, String memory)
            throws IOException, InterruptedException {
        var cluster = new StandaloneCluster(spark, children, folder);
        String address = places.getFirst().address();
        cluster.url = cluster.daemon(
                        "master",
                        Placement.CLIENT,
                        address,
                        Map.of(),
                        "org.apache.spark.deploy.master.Master",
                        "--host",
                        address,
                        "--port",
                        "0",
                        "--webui-port",
                        "0")
                .await(MASTER)
                .group(1);
        var workers = new ArrayList<Daemon>();
        for (WorkerPlace place : places) {
            workers.add(cluster.worker(workers.size(), place, memory));
        }
        for (Daemon worker : workers) {
            worker.await(REGISTERED);
        }
        return cluster;
    }

    private Daemon worker(int number, WorkerPlace place, String memory) throws IOException {
        return daemon(
                "worker-" + number,
                number == 0 ? Placement.CLIENT : Placement.SERVER,
                place.address(),
                place.environment(),
                "org.apache.spark.deploy.worker.Worker",
                "--host",
                place.address(),
                "--port",
                "0",
                "--webui-port",
                "0",
                "--cores",
                "1",
                "--memory",
                memory,
                "--work-dir",
                folder.resolve("work-" + number).toString(),
                url);
    }

    private Daemon daemon(
            String name,
            Placement placement,
            String address,
            Map<String, String> more,
            String program,
            String... arguments)
            throws IOException {
        var environment = spark.environment(Optional.of(address));
        environment.put("SPARK_LOCAL_DIRS", folder.toString());
        environment.putAll(more);
        Path log = folder.resolve(name + ".log");
        Process process = children.start(
                placement.of(spark.java(DAEMON_HEAP, program, arguments)),
                environment,
                Redirect.appendTo(log.toFile()),
                Redirect.appendTo(log.toFile()));
        return new Daemon(name, process, log);
    }

    /** Where to submit programs. */
    String url() {
        return url;
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
