// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The processes that a command starts. They end with it, together with their own children, whether {@link #close} or
 * Ctrl-C ends it.
 */
public final class Children implements AutoCloseable {

    /** The testbed needs a moment to take its devices down. */
    private static final long GRACE_SECONDS = 10;

    private final Optional<Path> crashReports;
    private final List<Process> running = new ArrayList<>();
    private final Thread hook = new Thread(this::endAll, "end-children");
    private boolean ending;

    /** Starts with no processes. JVMs that crash report to standard error: a file would be lost with the testbed. */
    public Children() {
        this(Optional.empty());
    }

    /**
     * Starts with no processes.
     *
     * @param crashReports a folder that outlives the testbed, for the reports of JVMs that crash
     */
    public Children(Path crashReports) {
        this(Optional.of(crashReports.toAbsolutePath()));
    }

    private Children(Optional<Path> crashReports) {
        this.crashReports = crashReports;
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Starts a program that inherits standard error, and whose input and output are pipes. */
    public Process start(List<String> command, Map<String, String> environment) throws IOException {
        return start(command, environment, Redirect.INHERIT, Redirect.PIPE);
    }

    /** Starts a program with given targets for its errors and output. */
    public synchronized Process start(
            List<String> command, Map<String, String> environment, Redirect error, Redirect output) throws IOException {
        if (ending) {
            throw new IOException("cannot start " + command.getFirst() + ": this program is ending");
        }
        var builder = new ProcessBuilder(command).redirectError(error).redirectOutput(output);
        builder.environment().putAll(environment);
        try {
            Process process = builder.start();
            running.removeIf(old -> !old.isAlive());
            running.add(process);
            return process;
        } catch (IOException e) {
            throw new IOException("cannot start " + command.getFirst() + ": is it installed? " + e.getMessage(), e);
        }
    }

    /**
     * What a program has printed by its end.
     *
     * @param status its exit status
     * @param output what it printed, or why that could not be read
     * @param errors what it printed as errors, or why that could not be read
     */
    public record Ended(int status, String output, String errors) {}

    /** Runs a program that has no input to its end. */
    public Ended run(List<String> command) throws IOException, InterruptedException {
        Process process = start(command, Map.of(), Redirect.PIPE, Redirect.PIPE);
        process.getOutputStream().close();
        var errors = new StringBuilder();
        Thread reader = Thread.ofPlatform().daemon().start(() -> errors.append(text(process.getErrorStream())));
        String output = text(process.getInputStream());
        int status = process.waitFor();
        reader.join();
        return new Ended(status, output, errors.toString());
    }

    private static String text(InputStream from) {
        try {
            return new String(from.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return e + "\n"; // as part of what is reported
        }
    }

    /** Takes what a program prints, a line at a time; throws if a line is wrong. */
    @FunctionalInterface
    public interface Listener {
        void take(String line) throws IOException;
    }

    /** Takes what a program without input prints to a pipe, until it has ended; returns its exit status. */
    public static int listen(Process process, Listener to) throws IOException, InterruptedException {
        process.getOutputStream().close();
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                to.take(line);
            }
        }
        return process.waitFor();
    }

    /** The folder for the reports of JVMs that crash; without one they go to standard error. */
    public Optional<Path> crashReports() {
        return crashReports;
    }

    private synchronized void endAll() {
        ending = true;
        List<ProcessHandle> all = new ArrayList<>();
        for (Process process : running) {
            all.add(process.toHandle());
            process.descendants().forEach(all::add); // orphans cannot be found again
        }
        running.forEach(Process::destroy);
        try {
            for (ProcessHandle process : all) {
                await(process);
            }
        } catch (InterruptedException e) {
            all.forEach(ProcessHandle::destroyForcibly);
            Thread.currentThread().interrupt();
        }
        running.clear();
    }

    private static void await(ProcessHandle process) throws InterruptedException {
        try {
            var _ = process.onExit().get(GRACE_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            process.destroyForcibly();
        } catch (ExecutionException e) {
            throw new IllegalStateException("waiting for process " + process.pid() + " to end has failed", e);
        }
    }

    @Override
    public void close() {
        endAll();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The JVM is ending, and the hook does the same.
        }
    }
}
