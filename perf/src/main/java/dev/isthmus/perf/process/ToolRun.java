// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.process;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A running C tool in one of its roles. Its output goes to files, so that no thread must read it meanwhile, and a
 * failure can be reported with its reason.
 */
public final class ToolRun implements AutoCloseable {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final String name;
    private final Process process;
    private final Path output;
    private final Path errors;

    /** Starts it. */
    public ToolRun(Placement role, List<String> command, Map<String, String> environment, Children children)
            throws IOException {
        name = command.getFirst() + " (" + role.name().toLowerCase(Locale.ROOT) + ")";
        output = Files.createTempFile("isthmus-", ".out");
        errors = Files.createTempFile("isthmus-", ".err");
        try {
            process = children.start(
                    role.of(command), environment, Redirect.to(errors.toFile()), Redirect.to(output.toFile()));
        } catch (IOException e) {
            deleteFiles();
            throw e;
        }
    }

    /** Returns when it listens at a TCP port. Throws if it ends before, or takes a minute. */
    public void awaitListening(int port) throws IOException, InterruptedException {
        await(() -> Listening.isListening(port), "listen on port " + port);
    }

    /** Returns when it is connected to a server's port. Throws if it ends before, or takes a minute. */
    public void awaitConnected(int port) throws IOException, InterruptedException {
        await(() -> Listening.isConnected(port), "connect to port " + port);
    }

    /** Returns when it has printed something. Throws if it ends before, or takes a minute. */
    public void awaitPrinted(String words) throws IOException, InterruptedException {
        await(() -> Files.readString(output).contains(words), "print \"" + words + "\"");
    }

    private void await(Listening.Probe probe, String what) throws IOException, InterruptedException {
        try {
            Listening.await(probe, process, LIMIT, what);
        } catch (IOException e) {
            throw failed(e.getMessage());
        }
    }

    /** The process itself. */
    public Process process() {
        return process;
    }

    /** Waits until it has ended; returns what it has printed. Throws if it fails, or the time is over. */
    public String awaitOutput(Duration limit) throws IOException, InterruptedException {
        if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
            throw failed("did not end within " + limit.toSeconds() + " s");
        }
        if (process.exitValue() != 0) {
            throw failed("ended with status " + process.exitValue());
        }
        return Files.readString(output);
    }

    /** The failure, with the end of its standard error or, if that is empty, of its standard output. */
    private IOException failed(String how) throws IOException {
        List<String> end = Tool.end(Files.readString(errors));
        end = end.isEmpty() ? Tool.end(Files.readString(output)) : end;
        return new IOException(name + ": " + how + (end.isEmpty() ? "" : "; it said: " + String.join(" | ", end)));
    }

    private void deleteFiles() throws IOException {
        Files.deleteIfExists(output);
        Files.deleteIfExists(errors);
    }

    @Override
    public void close() throws IOException {
        process.destroy(); // nothing to do when it has ended
        deleteFiles();
    }
}
