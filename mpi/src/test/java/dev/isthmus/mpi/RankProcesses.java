// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import dev.isthmus.testbed.MpiRun;
import dev.isthmus.testbed.TestDeadlines;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** JVMs that {@code mpiexec} has started for the tests of a class. They run one test after another, by its name. */
final class RankProcesses {

    private static final String OPTION = "isthmus.test."; // of ./isthmus test --with

    private static final Pattern FUNCTION =
            Pattern.compile("dev\\.isthmus\\.(?:bindings\\.mpi\\.mpi_abi_h\\w*|mpi\\.Calls)\\$(MPI_\\w+) ");

    private final Path logs; // a file for each rank, with the classes that it has loaded
    private final Process launcher;
    private final Duration deadline; // for one test on all ranks
    private final Writer commands;
    private final List<String> lines = new ArrayList<>(); // guarded by itself
    private final Thread reader;
    private int read;

    RankProcesses(Class<?> tests, Ranks ranks) throws IOException {
        logs = Files.createTempDirectory("isthmus-mpi-");
        var command = new ArrayList<>(List.of("mpiexec"));
        if (ranks.tcp()) {
            command.addAll(MpiRun.OVER_TCP);
        }
        command.addAll(List.of("-n", String.valueOf(ranks.value())));
        deadline = TestDeadlines.ofSeconds(ranks.seconds());
        command.addAll(MpiRun.javaWith("-Xlog:class+load:file=" + logs + "/%p.log"));
        System.getProperties().stringPropertyNames().stream()
                .filter(name -> name.startsWith(OPTION))
                .forEach(name -> command.add("-D" + name + "=" + System.getProperty(name)));
        command.addAll(List.of(
                "-cp",
                System.getProperty("java.class.path"),
                RanksMain.class.getName(),
                tests.getName(),
                ranks.level().name()));
        launcher = new ProcessBuilder(command).redirectErrorStream(true).start();
        commands = launcher.outputWriter(StandardCharsets.UTF_8);
        reader = Thread.ofPlatform().daemon().start(this::read);
    }

    private void read() {
        try (BufferedReader from = launcher.inputReader(StandardCharsets.UTF_8)) {
            for (String line = from.readLine(); line != null; line = from.readLine()) {
                synchronized (lines) {
                    lines.add(line);
                    lines.notifyAll();
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            synchronized (lines) {
                lines.notifyAll();
            }
        }
    }

    /** Runs a test on all ranks; throws if it fails on one. */
    void run(String test) throws IOException, InterruptedException {
        commands.write(test + "\n");
        commands.flush();
        long end = System.nanoTime() + deadline.toNanos();
        var said = new StringBuilder();
        synchronized (lines) {
            while (true) {
                for (; read < lines.size(); read++) {
                    String line = lines.get(read);
                    if (line.equals(RanksMain.PASSED + test)) {
                        read++;
                        return;
                    }
                    said.append(line).append('\n');
                }
                long millis = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
                if (millis <= 0 || !reader.isAlive()) {
                    throw new AssertionError(
                            (reader.isAlive() ? "has not ended; " : "failed; ") + "the ranks said:\n" + said);
                }
                lines.wait(Math.min(millis, 100)); // the reader's end is no line
            }
        }
    }

    /** Ends the ranks, which must succeed. */
    void end() throws IOException, InterruptedException {
        commands.close();
        boolean ended = launcher.waitFor(deadline.toMillis(), TimeUnit.MILLISECONDS);
        kill();
        if (!ended || launcher.exitValue() != 0) {
            throw new AssertionError(
                    "mpiexec " + (ended ? "ended with " + launcher.exitValue() : "did not end") + ": " + lines);
        }
    }

    /** Kills them all. */
    void kill() throws InterruptedException {
        launcher.descendants().forEach(ProcessHandle::destroyForcibly);
        launcher.destroyForcibly();
        launcher.waitFor();
    }

    /**
     * The functions of C that the ranks have called so far: the generated code has a class for each, which the JVM loads with
     * the first call. To be asked once, at the end.
     */
    Set<String> called() throws IOException {
        var called = new TreeSet<String>();
        try (Stream<Path> files = Files.list(logs)) {
            for (Path file : files.toList()) {
                Matcher matcher = FUNCTION.matcher(Files.readString(file));
                while (matcher.find()) {
                    called.add(matcher.group(1));
                }
                Files.delete(file);
            }
        }
        Files.delete(logs);
        return called;
    }
}
