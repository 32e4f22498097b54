// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.jmh;

import dev.isthmus.bindings.ucx.ucp_h;
import dev.isthmus.perf.process.JavaChild;
import dev.isthmus.perf.process.Scratch;
import dev.isthmus.ucx.UcpContext;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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
 * The time from the start of a JVM to its first completed message over UCX, with and without the caches that the JDK
 * can keep from an earlier run. It matters for commands, functions and other programs that live for a second.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class StartBenchmark {

    /** What is kept from an earlier run. */
    public enum Kept {
        /** Only what the JDK comes with. */
        NOTHING("", ""),
        /** AppCDS: loaded classes. */
        CLASSES("-XX:ArchiveClassesAtExit=", "-XX:SharedArchiveFile="),
        /** The AOT cache of JDK 25: loaded and linked classes, initialized state, and profiles. */
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

    /** Builds jars, as only classes from jars can be kept, and keeps the data of a run. */
    @Setup(Level.Trial)
    public void keep() throws IOException, InterruptedException {
        folder = Files.createTempDirectory("isthmus-start-");
        file = folder.resolve("kept");
        classPath = classPath();
        firstMessage(false);
        end();
    }

    /** Removes the jars and the data. */
    @TearDown(Level.Trial)
    public void remove() throws IOException {
        Scratch.remove(folder);
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

    /** Starts a JVM, and waits until it says that its message has arrived. */
    @Benchmark
    public void firstMessage() throws IOException {
        firstMessage(true);
    }

    private void firstMessage(boolean reads) throws IOException {
        List<String> command = new ArrayList<>(List.of(JavaChild.java(), "--enable-native-access=ALL-UNNAMED"));
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

    /** Ends the JVM, which is not measured. */
    @TearDown(Level.Invocation)
    public void end() throws IOException, InterruptedException {
        process.inputReader(StandardCharsets.UTF_8).transferTo(java.io.Writer.nullWriter());
        int status = process.waitFor();
        if (status != 0) {
            throw new IOException("the JVM ended with " + status);
        }
    }
}
