// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.bench.instructions.CPrograms;
import dev.isthmus.perf.common.Timetable;
import dev.isthmus.perf.process.Children;
import dev.isthmus.perf.process.Placement;
import dev.isthmus.perf.process.ToolRun;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * The C counterpart of {@link Writes} and {@link SendTrips}, compiled by this machine's compiler in a folder that is
 * removed on close. There is none if there is no compiler, or nobody needs it.
 */
record VerbsTwin(CPrograms programs, Path program, String how) implements AutoCloseable {

    /** The setting's line for it: figures of the twin and of perftest do not belong in one report. */
    static final String LINE = "one-sided RDMA WRITE";

    private static final String NAME = "verbs";
    private static final List<String> LIBRARIES = List.of("-libverbs");
    private static final int DIGITS = 3;
    private static final double NANOS = 1e9;
    private static final double MICROS = 1e3;

    /** No program. */
    static VerbsTwin none(String why) {
        return new VerbsTwin(null, null, why);
    }

    /**
     * Compiles it if it is needed and possible. Otherwise perftest and ours, with the same flags, take its place, and
     * the user is told so.
     */
    static VerbsTwin of(List<Point> points, PrintStream err) throws IOException, InterruptedException {
        boolean writes = points.stream().anyMatch(VerbsTool::isSingleWrite);
        boolean trips = points.stream().anyMatch(VerbsTwin::isOfTwin);
        if (!writes && !trips) {
            return none("");
        }
        var programs = new CPrograms();
        try {
            Path program = programs.compile(VerbsTwin.class, NAME, LIBRARIES);
            String how = "the same loop in C and Java, " + CPrograms.compiler();
            return new VerbsTwin(programs, program, writes ? how : "");
        } catch (IOException e) {
            programs.close();
            String how = "perftest's, without percentiles: " + e.getMessage();
            if (writes) {
                err.println(LINE + ": " + how);
            }
            if (trips) {
                err.println("left out: " + Way.C_VERBS_SEND.id() + ", at a fixed rate: " + how);
            }
            return none(writes ? how : "");
        }
    }

    /** The points that can be measured: perftest has no fixed rate. */
    List<Point> measurable(List<Point> points) {
        return points.stream().filter(point -> isThere() || !isOfTwin(point)).toList();
    }

    private static boolean isOfTwin(Point point) {
        return point.way() == Way.C_VERBS_SEND && VerbsTool.isOnTime(point);
    }

    /** Whether there is a program. */
    boolean isThere() {
        return programs != null;
    }

    /** Adds to a setting's lines how single WRITEs are measured, if they are. */
    void note(Map<String, String> lines) {
        if (!how.isEmpty()) {
            lines.put(LINE, how);
        }
    }

    /** Whether it takes the place of perftest's programs. */
    boolean runs(Point point) {
        return VerbsTool.isOnTime(point) || (isThere() && VerbsTool.isSingleWrite(point));
    }

    /** Runs the program, which is both ends. */
    Measured run(Point point, Venue venue, long iterations, Children children, Duration limit)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(arguments(point, venue, iterations));
        try (var running = new ToolRun(Placement.CLIENT, command, Map.of(), children)) {
            return read(point, running.awaitOutput(limit), iterations);
        }
    }

    private static List<String> arguments(Point point, Venue venue, long iterations) {
        List<String> words = new ArrayList<>();
        for (Venue.End end : List.of(venue.client(), venue.server())) {
            words.add(end.device().orElseThrow());
            words.add("" + end.gidIndex().orElse(0));
        }
        words.addAll(List.of("" + point.bytes(), "" + iterations));
        if (point.benchmark() == Benchmark.FIXED_RATE) {
            words.add("" + point.rate());
        }
        return words;
    }

    /** The commands that repeat a run by hand, from the project's folder. */
    static String byHand(Point point, Venue venue, long iterations) {
        return "cc -O2 -pthread -o /tmp/" + NAME + " perf/src/main/resources/dev/isthmus/perf/bench/compare/" + NAME
                + ".c"
                + " " + String.join(" ", LIBRARIES) + " && /tmp/" + NAME + " "
                + String.join(" ", arguments(point, venue, iterations));
    }

    /** Reads the program's output for this many writes or, at a fixed rate, round trips. */
    static Measured read(Point point, String output, long iterations) throws IOException {
        Iterator<String> lines = output.lines().iterator();
        try {
            boolean onTime = VerbsTool.isOnTime(point);
            String[] head = onTime ? lines.next().split(" ", 2) : new String[0];
            var histogram = new Histogram(DIGITS);
            double sum = 0;
            while (lines.hasNext()) {
                String[] fields = lines.next().split(" ", 2);
                long nanos = Long.parseLong(fields[0]);
                long count = Long.parseLong(fields[1]);
                histogram.recordValueWithCount(nanos, count);
                sum += (double) nanos * count;
            }
            if (histogram.getTotalCount() != iterations) {
                throw new IOException("of " + iterations + " operations the program printed the times of "
                        + histogram.getTotalCount());
            }
            Distribution times = Distribution.of(histogram);
            return onTime
                    ? Measured.trips(times, perSecond(point, histogram, head))
                    : Measured.times(times, sum / MICROS / iterations, 1);
        } catch (RuntimeException e) { // no number, or too few
            throw new IOException("the program printed no times, but: " + output.strip(), e);
        }
    }

    private static double perSecond(Point point, Histogram times, String[] head) {
        double taken = Double.parseDouble(head[0]);
        double late = Double.parseDouble(head[1]);
        return Timetable.perSecond(
                times.getTotalCount(), NANOS / point.rate(), taken, (double) times.getMinValue(), late);
    }

    @Override
    public void close() throws IOException {
        if (isThere()) {
            programs.close();
        }
    }
}
