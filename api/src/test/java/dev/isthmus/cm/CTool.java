package dev.isthmus.cm;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A C program of rdma-core that runs beside the test. */
final class CTool implements AutoCloseable {

    private final Process process;
    private final Path output;

    CTool(String... command) {
        try {
            output = Files.createTempFile("isthmus", ".out");
            process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    boolean isRunning() {
        return process.isAlive();
    }

    /** Waits for its end, which must be a success; returns what it printed. */
    List<String> ended() throws InterruptedException {
        boolean ended = process.waitFor(60, TimeUnit.SECONDS);
        if (!ended || process.exitValue() != 0) {
            throw new AssertionError((ended ? "status " + process.exitValue() : "still running") + ": " + lines());
        }
        return lines();
    }

    List<String> lines() {
        try {
            return Files.readAllLines(output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends it as if its host had: by SIGKILL. */
    void kill() {
        process.destroyForcibly();
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            Files.delete(output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
