// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.testbed;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Runs a main class of the tests in a JVM of its own, on the class path of this one, for what would end or change this
 * JVM, such as a crash, other rights, or other options.
 */
public final class ChildJvm {

    /** A child lives for a short time, often on emulated processors. */
    private static final List<String> QUICK_START = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

    private final List<String> wrapper = new ArrayList<>();
    private final List<String> options = new ArrayList<>();
    private String classPath = System.getProperty("java.class.path");
    private Duration deadline = ChildProgram.DEADLINE;

    /** How a child ended, and what it printed. */
    public record Result(int status, String output) {}

    /**
     * The command that starts the JVM, such as {@code setpriv} with its options.
     *
     * @param command the command, which runs the arguments that follow it
     * @return this
     */
    public ChildJvm under(String... command) {
        wrapper.addAll(List.of(command));
        return this;
    }

    /**
     * Options of the JVM.
     *
     * @param jvmOptions the options
     * @return this
     */
    public ChildJvm options(String... jvmOptions) {
        options.addAll(List.of(jvmOptions));
        return this;
    }

    /**
     * Sets the class path, if it differs from this JVM's.
     *
     * @param path the class path
     * @return this
     */
    public ChildJvm classPath(String path) {
        classPath = path;
        return this;
    }

    /**
     * Sets how long it may run; by default four minutes on a quiet machine.
     *
     * @param most the longest, from {@link TestDeadlines}
     * @return this
     */
    public ChildJvm deadline(Duration most) {
        deadline = most;
        return this;
    }

    /**
     * The command that runs the class, for a {@link ChildProgram}.
     *
     * @param main the class
     * @param arguments its arguments
     * @return the command
     */
    public List<String> command(Class<?> main, String... arguments) {
        return command(main.getName(), arguments);
    }

    /**
     * The command that runs a class that this JVM need not have, for a {@link ChildProgram}.
     *
     * @param main the class's name
     * @param arguments its arguments
     * @return the command
     */
    public List<String> command(String main, String... arguments) {
        var command = new ArrayList<>(wrapper);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(QUICK_START);
        command.add(TestDeadlines.option());
        command.addAll(options);
        command.addAll(List.of("-cp", classPath, main));
        command.addAll(List.of(arguments));
        return command;
    }

    /**
     * Runs the class and waits until it has ended.
     *
     * @param main the class
     * @param arguments its arguments
     * @return its exit status, and its standard output and error together
     */
    public Result run(Class<?> main, String... arguments) {
        List<String> command = command(main, arguments);
        try {
            Path output = Files.createTempFile("isthmus", ".out");
            try {
                return run(command, output);
            } finally {
                Files.delete(output);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for " + command, e);
        }
    }

    private Result run(List<String> command, Path output) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(OtherProcessor.of(command))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            if (!process.waitFor(deadline.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new AssertionError("still running after " + deadline.toSeconds() + " s: " + command + "\n"
                        + Files.readString(output, StandardCharsets.UTF_8));
            }
            return new Result(process.exitValue(), Files.readString(output, StandardCharsets.UTF_8));
        } finally {
            process.destroyForcibly();
        }
    }
}
