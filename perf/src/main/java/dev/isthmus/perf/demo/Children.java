// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.demo;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The processes that a demo started. They end with it, whatever ends it: {@link #close} or Ctrl-C.
 */
public final class Children implements AutoCloseable {

    /** The testbed needs a moment to take its devices down. */
    private static final long GRACE_SECONDS = 10;

    private final Optional<Path> crashReports;
    private final List<Process> running = new ArrayList<>();
    private final Thread hook = new Thread(this::endAll, "end-children");
    private boolean ending;

    /** None yet. JVMs that crash report to standard error: a file would be lost with the testbed. */
    public Children() {
        this(Optional.empty());
    }

    /**
     * None yet.
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

    /**
     * Starts a program whose errors are ours, and whose input and output are pipes.
     *
     * @param command the program and its arguments
     * @param environment what is added to ours
     * @return the process, which ends with this
     * @throws IOException if it cannot be started
     */
    public Process start(List<String> command, Map<String, String> environment) throws IOException {
        return start(command, environment, Redirect.INHERIT, Redirect.PIPE);
    }

    /** Starts a program whose output goes elsewhere. */
    synchronized Process start(List<String> command, Map<String, String> environment, Redirect error, Redirect output)
            throws IOException {
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

    /** The folder for the reports of JVMs that crash; without one they go to standard error. */
    Optional<Path> crashReports() {
        return crashReports;
    }

    private synchronized void endAll() {
        ending = true;
        running.forEach(Process::destroy);
        try {
            for (Process process : running) {
                if (!process.waitFor(GRACE_SECONDS, TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                }
            }
        } catch (InterruptedException e) {
            running.forEach(Process::destroyForcibly);
            Thread.currentThread().interrupt();
        }
        running.clear();
    }

    @Override
    public void close() {
        endAll();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The JVM is ending, and the hook does the same as we did.
        }
    }
}
