// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.spark;

import dev.isthmus.perf.process.Children;
import dev.isthmus.perf.process.JavaChild;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Where Spark is, and how to start its programs. */
record SparkHome(Path folder, boolean installed) {

    private static final String VERSION = "-[0-9.]+(-SNAPSHOT)?\\.jar";

    /** A Spark that is installed on this machine. */
    static SparkHome installed(Path folder) throws IOException {
        if (!Files.isDirectory(folder.resolve("jars"))) {
            throw new IOException(
                    folder + " is not a Spark: it has no folder jars; give --spark-home the folder above jars");
        }
        return new SparkHome(folder, true);
    }

    /** A minimal Spark made of its jars: only what its programs need. */
    static SparkHome of(Path jars, Path folder) throws IOException {
        if (!Files.isDirectory(jars)) {
            throw new IOException("no folder " + jars);
        }
        Files.createDirectories(folder);
        Files.createSymbolicLink(folder.resolve("jars"), jars.toAbsolutePath());
        Files.createFile(folder.resolve("RELEASE")); // Spark checks that it exists
        return new SparkHome(folder, false);
    }

    /** Has Maven download Spark's jars, if it has not yet: where they are. */
    static Path download(Children children) throws IOException, InterruptedException {
        Path script = home().resolve("testbed").resolve("spark-jars");
        var said = new StringBuilder();
        int status = Children.listen(children.start(List.of(script.toString()), Map.of()), said::append);
        if (status != 0) {
            throw new IOException(script + " has failed, exit status " + status + ": what it said is above");
        }
        return Path.of(said.toString());
    }

    private static Path home() {
        return Path.of(System.getProperty("isthmus.home", ""));
    }

    /** The jar that users add to their programs: the module spark, with its dependencies. */
    static Path isthmusJar() throws IOException {
        return jar("spark", "isthmus-spark");
    }

    /** The jar of the program that is submitted. */
    static Path programJar() throws IOException {
        return jar("spark/trial", "isthmus-spark-trial");
    }

    private static Path jar(String module, String name) throws IOException {
        Path target = home().resolve(module).resolve("target");
        if (Files.isDirectory(target)) {
            try (Stream<Path> files = Files.list(target)) {
                Optional<Path> jar = files.filter(
                                file -> file.getFileName().toString().matches(name + VERSION))
                        .findFirst();
                if (jar.isPresent()) {
                    return jar.get().toAbsolutePath();
                }
            }
        }
        throw new IOException("no " + name + " jar in " + target + ": run ./isthmus build");
    }

    /** The command that submits programs: the installed one, which reads its own configuration. */
    List<String> submit() {
        Path script = folder.resolve("bin").resolve("spark-submit");
        return installed && Files.isExecutable(script)
                ? List.of(script.toString())
                : java("512m", "org.apache.spark.deploy.SparkSubmit");
    }

    /** The command that runs a program of Spark's. */
    List<String> java(String heap, String program) {
        return new ArrayList<>(List.of(
                JavaChild.java(),
                "-Xmx" + heap,
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1", // they start the executors, which do the work
                "-cp",
                folder.resolve("jars") + "/*",
                program));
    }

    /** The environment of these programs; without an address, they find one themselves. */
    Map<String, String> environment(Optional<String> address) {
        var environment = new TreeMap<>(Map.of(
                "SPARK_HOME",
                folder.toString(),
                "SPARK_SCALA_VERSION",
                "2.13",
                "JAVA_HOME",
                System.getProperty("java.home")));
        address.ifPresent(one -> environment.put("SPARK_LOCAL_IP", one));
        return environment;
    }
}
