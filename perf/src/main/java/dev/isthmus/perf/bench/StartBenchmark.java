// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench;

import dev.isthmus.bindings.ucx.ucp_h;
import dev.isthmus.ucx.UcpContext;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.spi.ToolProvider;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * From the start of a JVM to its first completed message over UCX, with and without what the JDK can keep of an earlier
 * run: for commands, functions and whatever else lives for a second.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class StartBenchmark {

    /** What is kept of an earlier run. */
    public enum Kept {
        /** What the JDK comes with. */
        NOTHING("", ""),
        /** AppCDS: classes as they are after loading. */
        CLASSES("-XX:ArchiveClassesAtExit=", "-XX:SharedArchiveFile="),
        /** The AOT cache of JDK 25: classes, linked, with what was initialized in them, and profiles. */
        AOT_CACHE("-XX:AOTCacheOutput=", "-XX:AOTCache=");

        private final String write;
        private final String read;

        Kept(String write, String read) {
            this.write = write;
            this.read = read;
        }

        private List<String> option(boolean reads, Path file) {
            return this == NOTHING ? List.of() : List.of((reads ? read : write) + file);
        }
    }

    @Param
    private Kept kept;

    private Path folder;
    private Path file;
    private String classPath;
    private Process process;

    /** Makes jars, as what is kept is of jars only, and keeps a run. */
    @Setup(Level.Trial)
    public void keep() throws IOException, InterruptedException {
        folder = Files.createTempDirectory("isthmus-start-");
        file = folder.resolve("kept");
        classPath = classPath();
        firstMessage(false);
        end();
    }

    /** Removes them. */
    @TearDown(Level.Trial)
    public void remove() throws IOException {
        try (var files = Files.walk(folder)) {
            for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }

    private String classPath() {
        List<String> jars = new ArrayList<>();
        for (Class<?> type : List.of(FirstMessage.class, UcpContext.class, ucp_h.class)) {
            Path place = Path.of(
                    type.getProtectionDomain().getCodeSource().getLocation().getPath());
            jars.add(Files.isDirectory(place) ? jar(place, jars.size()).toString() : place.toString());
        }
        return String.join(File.pathSeparator, jars);
    }

    private Path jar(Path classes, int number) {
        Path jar = folder.resolve(number + ".jar");
        ToolProvider tool = ToolProvider.findFirst("jar").orElseThrow();
        int status =
                tool.run(System.out, System.err, "--create", "--file", jar.toString(), "-C", classes.toString(), ".");
        if (status != 0) {
            throw new IllegalStateException("jar ended with " + status);
        }
        return jar;
    }

    /**
     * Starts a JVM, until it says that its message has come.
     *
     * @throws IOException if it does not
     */
    @Benchmark
    public void firstMessage() throws IOException {
        firstMessage(true);
    }

    private void firstMessage(boolean reads) throws IOException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        List<String> command = new ArrayList<>(List.of(java, "--enable-native-access=ALL-UNNAMED"));
        command.add("-XX:+UseSerialGC");
        command.addAll(kept.option(reads, file));
        command.addAll(List.of("-cp", classPath, FirstMessage.class.getName()));
        process = new ProcessBuilder(command).redirectErrorStream(true).start();
        var lines = process.inputReader(StandardCharsets.UTF_8);
        var said = new StringBuilder();
        String line = lines.readLine();
        while (line != null && !line.equals(FirstMessage.DONE)) {
            said.append(line).append('\n');
            line = lines.readLine();
        }
        if (line == null) {
            throw new IOException("the JVM ended without a message: " + said);
        }
    }

    /** Its end is not measured. */
    @TearDown(Level.Invocation)
    public void end() throws IOException, InterruptedException {
        process.inputReader(StandardCharsets.UTF_8).transferTo(java.io.Writer.nullWriter());
        int status = process.waitFor();
        if (status != 0) {
            throw new IOException("the JVM ended with " + status);
        }
    }
}
