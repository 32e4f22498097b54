// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/**
 * Spark with two executors in processes of their own, which runs programs by {@code spark-submit} with the jar that users
 * have. The system property {@code isthmus.spark.jars} names the folder with Spark's jars.
 */
final class LocalCluster {

    /** Options of {@code spark-submit} that have executors fetch blocks from each other with this module. */
    static final List<String> UCX = List.of(
            "--conf",
            "spark.shuffle.manager=dev.isthmus.spark.UcxShuffleManager",
            "--conf",
            "spark.plugins=dev.isthmus.spark.UcxShufflePlugin");

    private static final String C1 =
            "-XX:TieredStopAtLevel=1"; // its code is there sooner, and most of a run is a start

    /** The time limit of a run; set the property for more data than in continuous integration. */
    private static final int MOST_SECONDS = Integer.getInteger("isthmus.spark.seconds", 840);

    private final Path home;

    /** What a run printed, and what its executors logged. */
    record Run(Map<String, String> results, String log) {

        long figure(String name) {
            return Long.parseLong(results.getOrDefault(name, "-1"));
        }

        /** The results of the program. */
        Map<String, String> computed() {
            var computed = new TreeMap<>(results);
            computed.keySet().retainAll(List.of("sorted", "summed", "grouped", "spread"));
            assertEquals(4, computed.size(), log);
            return computed;
        }
    }

    /** Spark in a new folder, whose programs are the classes beside this one. */
    LocalCluster(Path home) throws IOException {
        this.home = home;
        String jars = System.getProperty("isthmus.spark.jars");
        assertTrue(jars != null, "run ./testbed/tests --tier spark, which gets Spark's jars");
        Files.createSymbolicLink(home.resolve("jars"), Path.of(jars));
        Files.createFile(home.resolve("RELEASE")); // Spark checks that it exists
        Path classes = Path.of(ShuffleProgram.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .getPath());
        try (var jar = new JarOutputStream(Files.newOutputStream(home.resolve("program.jar")));
                Stream<Path> files = Files.list(classes.resolve("dev/isthmus/spark"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                jar.putNextEntry(new JarEntry(classes.relativize(file).toString()));
                Files.copy(file, jar);
            }
        }
    }

    /** Runs a program to its end, which must be good. */
    Run run(Class<?> program, List<String> options, List<String> arguments) throws Exception {
        Path folder = Files.createTempDirectory(home, "run");
        var command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), C1, "-Xmx512m"));
        command.addAll(List.of("-cp", home.resolve("jars") + "/*", "org.apache.spark.deploy.SparkSubmit"));
        command.addAll(List.of(
                "--master",
                "local-cluster[2,1,1024]",
                "--jars",
                IsthmusJar.find().toString()));
        for (String setting : List.of(
                "spark.ui.enabled=false",
                "spark.executor.extraJavaOptions=" + C1,
                "spark.shuffle.readHostLocalDisk=false", // or nothing would cross the network
                "spark.reducer.maxSizeInFlight=1m",
                "spark.reducer.maxReqsInFlight=1")) {
            command.addAll(List.of("--conf", setting));
        }
        command.addAll(options);
        command.addAll(List.of(
                "--class", program.getName(), home.resolve("program.jar").toString()));
        command.addAll(arguments);
        Path output = folder.resolve("output");
        var builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().put("SPARK_HOME", home.toString());
        builder.environment().put("SPARK_SCALA_VERSION", "2.13");
        builder.environment().put("SPARK_LOCAL_IP", "127.0.0.1");
        Process process = builder.start();
        try {
            assertTrue(process.waitFor(MOST_SECONDS, TimeUnit.SECONDS), () -> "it has not ended: " + read(output));
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        String log = read(output) + logs(folder);
        assertEquals(0, process.exitValue(), log);
        var results = new TreeMap<String, String>();
        read(output).lines().filter(line -> line.startsWith("RESULT ")).forEach(line -> {
            String[] parts = line.substring(7).split("=", 2);
            results.put(parts[0], parts[1]);
        });
        return new Run(results, log);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** What executors wrote; nothing if Spark did not get as far as to start any. */
    private String logs(Path folder) throws IOException {
        Path work = home.resolve("work");
        if (!Files.exists(work)) {
            return "";
        }
        try (Stream<Path> files = Files.walk(work)) {
            return files.filter(file -> file.endsWith("stderr"))
                    .map(LocalCluster::read)
                    .reduce("", String::concat);
        } finally {
            Files.move(work, folder.resolve("logs"));
        }
    }

    /** A list with more at its end. */
    static List<String> with(List<String> list, String... more) {
        var all = new ArrayList<>(list);
        all.addAll(List.of(more));
        return all;
    }
}
