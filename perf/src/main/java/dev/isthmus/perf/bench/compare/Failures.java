// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.common.WholeFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The runs that failed, one a line, in a file beside the runs that succeeded. */
final class Failures {

    static final String FILE = "failures.txt";

    private final Path file;
    private final Map<Schedule.Step, String> missing = new LinkedHashMap<>();
    private final Map<Point, Integer> times = new HashMap<>();

    /** Begins empty: runs that failed in an earlier attempt are tried again. */
    Failures(Path dir) throws IOException {
        file = dir.resolve(FILE);
        Files.deleteIfExists(file);
    }

    /** Notes a failed run; returns its line. */
    String add(Schedule.Step step, String reason) throws IOException {
        times.merge(step.point(), 1, Integer::sum);
        return put(step, reason.lines().findFirst().orElse("no reason"));
    }

    /** Notes a run that was not tried, because its point is hopeless. */
    void skipped(Schedule.Step step) throws IOException {
        put(step, "not tried, as two others failed");
    }

    private String put(Schedule.Step step, String reason) throws IOException {
        String line = step.title() + ": " + reason;
        missing.put(step, line);
        write();
        return line;
    }

    /** A run was made; perhaps it had failed before. */
    void made(Schedule.Step step) throws IOException {
        if (missing.remove(step) != null) {
            write();
        }
    }

    private void write() throws IOException {
        if (missing.isEmpty()) {
            Files.deleteIfExists(file);
            return;
        }
        String lines = String.join("\n", missing.values()) + "\n";
        WholeFile.write(file, lines.getBytes(StandardCharsets.UTF_8));
    }

    /** Whether a point has failed more than once: it would fail again, and take time. */
    boolean isHopeless(Point point) {
        return times.getOrDefault(point, 0) > 1;
    }

    /** The runs that are missing. */
    List<Schedule.Step> missing() {
        return List.copyOf(missing.keySet());
    }

    /** A line for each missing run. */
    List<String> lines() {
        return List.copyOf(missing.values());
    }
}
