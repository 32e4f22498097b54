package dev.isthmus.perf.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;

/** The points that could not be measured, a line each, in a file beside the runs. */
final class Failures {

    static final String FILE = "failures.txt";

    private final Path file;
    private final Map<Point, Integer> points = new HashMap<>();

    /** None yet: those of an earlier attempt are tried again. */
    Failures(Path dir) throws IOException {
        file = dir.resolve(FILE);
        Files.deleteIfExists(file);
    }

    /** Notes one; returns the line. */
    String add(Point point, int round, String reason) throws IOException {
        points.merge(point, 1, Integer::sum);
        String line = title(point) + ", round " + round + ": "
                + reason.lines().findFirst().orElse("no reason");
        Files.writeString(file, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        return line;
    }

    /** Whether a point has failed more than once: it would again, and take its time. */
    boolean isHopeless(Point point) {
        return points.getOrDefault(point, 0) > 1;
    }

    /** How many points have. */
    int count() {
        return points.size();
    }

    /** A point in words. */
    static String title(Point point) {
        return point.way().title() + ", " + point.benchmark().title() + ", " + point.bytes() + " B"
                + (point.connections() == 1 ? "" : ", " + point.connections() + " connections");
    }
}
