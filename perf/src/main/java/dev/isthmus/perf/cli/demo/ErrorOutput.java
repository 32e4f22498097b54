// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.cli.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * Passes on what a part writes to its standard error. A JVM's error report has a thousand lines: it passes on the
 * beginning, and writes all of it to a file.
 */
final class ErrorOutput extends Thread {

    private static final String HEADING = "# A fatal error has been detected by the Java Runtime Environment:";

    /** The signal, the versions, and the frame it happened in. */
    private static final int BEGINNING_LINES = 14;

    private final InputStream from;
    private final Consumer<String> to;
    private final Path folder;
    private volatile String last = "";

    /** Passes standard error on a line at a time; an error report goes to a file in a folder. */
    ErrorOutput(InputStream from, Consumer<String> to, Path folder) {
        super("standard error");
        this.from = from;
        this.to = to;
        this.folder = folder;
        setDaemon(true);
    }

    /** The last line that was not empty and not part of the report; empty if there was none. */
    String lastLine() {
        return last;
    }

    @Override
    public void run() {
        try (var lines = new BufferedReader(new InputStreamReader(from, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.equals(HEADING)) {
                    keep(lines);
                    return;
                }
                to.accept(line);
                last = line.isBlank() || line.equals("#") ? last : line.strip();
            }
        } catch (IOException e) {
            to.accept("demo: the output of a JVM is lost: " + e.getMessage());
        }
    }

    private void keep(BufferedReader lines) throws IOException {
        Path file = Files.createTempFile(folder, "isthmus-jvm-", ".log");
        to.accept(HEADING);
        try (var all = new PrintWriter(Files.newBufferedWriter(file))) {
            all.println(HEADING);
            int count = 1;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                all.println(line);
                if (count++ < BEGINNING_LINES) {
                    to.accept(line);
                }
            }
        }
        to.accept("demo: the rest of the JVM's error report is in " + file);
    }
}
