// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.testbed;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A program that runs beside the test, such as one of rdma-core's. A test can wait for what it prints. It is killed
 * when this is closed.
 */
public final class ChildProgram implements AutoCloseable {

    /** For programs that hang; less than JUnit's limit for a test. */
    static final Duration DEADLINE = TestDeadlines.ofSeconds(240);

    private final List<String> command;
    private final Process process;
    private final List<String> lines = new ArrayList<>(); // guarded by itself
    private final Thread reader;

    /**
     * Starts a program.
     *
     * @param command the program and its arguments
     */
    public ChildProgram(String... command) {
        this(List.of(command));
    }

    /**
     * Starts a program.
     *
     * @param command the program and its arguments
     */
    public ChildProgram(List<String> command) {
        this.command = command;
        try {
            process = new ProcessBuilder(OtherProcessor.of(command))
                    .redirectErrorStream(true)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        reader = Thread.ofPlatform().daemon().start(this::read);
    }

    private void read() {
        try (BufferedReader from = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = from.readLine(); line != null; line = from.readLine()) {
                add(line);
            }
        } catch (IOException e) {
            add(e.toString()); // so that a failure shows it
        }
    }

    private void add(String line) {
        synchronized (lines) {
            lines.add(line);
            lines.notifyAll();
        }
    }

    /** Whether it is still running. */
    public boolean isRunning() {
        return process.isAlive();
    }

    /** Its process number. */
    public long pid() {
        return process.pid();
    }

    /** What it has printed, on standard output and error. */
    public List<String> lines() {
        synchronized (lines) {
            return List.copyOf(lines);
        }
    }

    /**
     * Waits for a line.
     *
     * @param start what the line begins with
     * @return the rest of the first such line
     */
    public String await(String start) throws InterruptedException {
        return await(start, DEADLINE);
    }

    /**
     * Waits for a line.
     *
     * @param start what the line begins with
     * @param most how long
     * @return the rest of the first such line
     */
    public String await(String start, Duration most) throws InterruptedException {
        long end = System.nanoTime() + most.toNanos();
        synchronized (lines) {
            int seen = 0;
            while (true) {
                for (; seen < lines.size(); seen++) {
                    if (lines.get(seen).startsWith(start)) {
                        return lines.get(seen).substring(start.length());
                    }
                }
                long millis = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
                if (millis <= 0 || !reader.isAlive()) {
                    throw new AssertionError(command + " has not printed \"" + start + "\", but " + lines);
                }
                lines.wait(Math.min(millis, 100)); // its end is not a line
            }
        }
    }

    /** Waits for its end, which must be a success; returns what it printed. */
    public List<String> ended() throws InterruptedException {
        return ended(DEADLINE);
    }

    /**
     * Waits for its end, which must be a success.
     *
     * @param most how long
     * @return what it printed
     */
    public List<String> ended(Duration most) throws InterruptedException {
        boolean ended = process.waitFor(most.toMillis(), TimeUnit.MILLISECONDS);
        if (ended) {
            reader.join();
        }
        if (!ended || process.exitValue() != 0) {
            throw new AssertionError(
                    command + (ended ? ": status " + process.exitValue() : ": still running") + ": " + lines());
        }
        return lines();
    }

    /**
     * Writes a line to its standard input.
     *
     * @param line the line
     */
    public void tell(String line) throws IOException {
        OutputStream into = process.getOutputStream();
        into.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        into.flush();
    }

    /** Kills it with SIGKILL, as the end of its host would. */
    public void kill() {
        process.destroyForcibly();
    }

    /**
     * Sends it a signal.
     *
     * @param name the signal's name, such as {@code STOP}
     */
    public void signal(String name) throws InterruptedException {
        try (var kill = new ChildProgram("sh", "-c", "kill -" + name + " " + process.pid())) {
            kill.ended();
        }
    }

    /** Kills it if it is still running, and waits until its descriptors are closed. */
    @Override
    public void close() {
        kill();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
