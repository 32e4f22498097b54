// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.process;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Runs other programs for a short answer. */
public final class Tool {

    private static final int END_LINES = 3;

    private Tool() {}

    /**
     * What a program has answered.
     *
     * @param status its exit status
     * @param text what it printed, errors included
     */
    public record Answer(int status, String text) {}

    /** A program of the project, in the folder that the launcher names, or else in the current one or those above it. */
    public static Optional<Path> ofProject(String path) {
        Path folder = Path.of(System.getProperty("isthmus.home", "")).toAbsolutePath();
        while (folder != null && !Files.isExecutable(folder.resolve(path))) {
            folder = folder.getParent();
        }
        return Optional.ofNullable(folder).map(home -> home.resolve(path));
    }

    /** The words of a line in which no word has a space; more can be added. */
    public static List<String> words(String line) {
        return new ArrayList<>(List.of(line.split(" +", -1)));
    }

    /** A word for the shell. */
    public static String quoted(String word) {
        return "'" + word.replace("'", "'\\''") + "'";
    }

    /** The last lines of an output that are not blank, for a message. */
    public static List<String> end(String output) {
        List<String> lines = output.lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .toList();
        return lines.subList(Math.max(0, lines.size() - END_LINES), lines.size());
    }

    /** Runs a program that uses our standard streams to its end; returns its exit status. */
    public static int run(List<String> command) throws IOException, InterruptedException {
        return new ProcessBuilder(command).inheritIO().start().waitFor();
    }

    /** Runs a program to its end. A caller that must stop gets an exception, and stays interrupted. */
    public static Answer ask(String... command) throws IOException {
        Process process;
        try {
            process = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            throw new IOException(command[0] + " cannot be started: is it installed? " + e.getMessage(), e);
        }
        try {
            String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Answer(process.waitFor(), text);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while " + command[0] + " was running");
        }
    }

    /** The first line of a program's output that is not empty; "unknown" if there is none. */
    public static String firstLine(String... command) throws IOException {
        return ask(command)
                .text()
                .lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .findFirst()
                .orElse("unknown");
    }
}
