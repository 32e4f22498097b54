// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.compare;

import dev.isthmus.perf.instructions.Twins;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The program in C beside {@link Writes}, compiled by this machine's compiler in a folder that ends with this; none where
 * there is no compiler, or nobody needs it.
 */
final class WriteTwin implements AutoCloseable {

    /** Of a setting: figures of the twin and of perftest do not belong into one report. */
    static final String LINE = "one-sided RDMA WRITE";

    private static final String NAME = "writes";
    private static final String SOURCE = NAME + ".c";
    private static final List<String> LIBRARIES = List.of("-libverbs");

    private final Path folder; // null without a program
    private final String how;

    private WriteTwin(Path folder, String how) {
        this.folder = folder;
        this.how = how;
    }

    /** No program. */
    static WriteTwin none(String why) {
        return new WriteTwin(null, why);
    }

    /** Compiles it if it is needed and can be; else perftest and ours, with the same flags, have to do, and that is said. */
    static WriteTwin of(List<Point> points, PrintStream says) throws IOException, InterruptedException {
        if (points.stream().noneMatch(VerbsFlags::isSingleWrite)) {
            return none("");
        }
        WriteTwin twin = compile();
        if (!twin.isThere()) {
            says.println(LINE + ": " + twin.how);
        }
        return twin;
    }

    private static WriteTwin compile() throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("isthmus-compare-");
        try {
            Path source = folder.resolve(SOURCE);
            try (InputStream text = WriteTwin.class.getResourceAsStream(SOURCE)) {
                Files.copy(text, source);
            }
            Twins.compile(source, folder.resolve(NAME), LIBRARIES);
            return new WriteTwin(folder, "the same loop in C and Java, " + Twins.compiler());
        } catch (IOException e) {
            delete(folder);
            return none("perftest's, without percentiles: " + e.getMessage());
        }
    }

    /** Whether there is a program. */
    boolean isThere() {
        return folder != null;
    }

    /** Adds to the lines of a setting how one WRITE at a time is measured, if it is. */
    void note(Map<String, String> lines) {
        if (!how.isEmpty()) {
            lines.put(LINE, how);
        }
    }

    /** The program, and what it is told. */
    List<String> command(List<String> words) {
        List<String> command = new ArrayList<>(List.of(folder.resolve(NAME).toString()));
        command.addAll(words);
        return command;
    }

    /** The commands that repeat a run by hand, from the project's folder. */
    static String byHand(List<String> words) {
        return "cc -O2 -o /tmp/" + NAME + " perf/src/main/resources/dev/isthmus/perf/compare/" + SOURCE + " "
                + String.join(" ", LIBRARIES) + " && /tmp/" + NAME + " " + String.join(" ", words);
    }

    private static void delete(Path folder) throws IOException {
        for (String name : List.of(SOURCE, NAME)) {
            Files.deleteIfExists(folder.resolve(name));
        }
        Files.delete(folder);
    }

    @Override
    public void close() throws IOException {
        if (isThere()) {
            delete(folder);
        }
    }
}
