// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.common.Spent;
import dev.isthmus.perf.process.Children;
import dev.isthmus.perf.process.Placement;
import dev.isthmus.perf.process.Ports;
import dev.isthmus.perf.process.ToolRun;
import dev.isthmus.perf.tools.perftest.CFormat;
import dev.isthmus.perf.tools.perftest.LatencyReport;
import dev.isthmus.perf.tools.perftest.LatencyStatistics;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** perftest's programs: two new processes for each run. */
final class VerbsTools implements Contender {

    private static final String HOST = "127.0.0.1";
    private static final double MEBIBYTE = 1 << 20;
    private static final double MILLION = 1e6;

    /**
     * perftest prints rates with six digits after the point, in millions, and bandwidths with two, in MiB. From this
     * payload on, the bandwidth is the more precise.
     */
    private static final int LARGE_BYTES = 1 << 14;

    private static final int REASON_LINES = 3;

    /** perftest measures how fast its clock ticks after it has ended, and a busy machine can spoil that. */
    private static final int ATTEMPTS = 5;

    private final Venue venue;
    private final Children children;
    private final VerbsTwin twin;
    private final boolean threadEach;

    VerbsTools(Venue venue, Children children, VerbsTwin twin, boolean threadEach) {
        this.venue = venue;
        this.children = children;
        this.twin = twin;
        this.threadEach = threadEach;
    }

    private boolean isTwin(Point point) {
        return VerbsFlags.isOnTime(point) || (twin.isThere() && VerbsFlags.isSingleWrite(point));
    }

    @Override
    public boolean warmsUp() {
        return false;
    }

    @Override
    public int lanes(Point point) {
        return VerbsFlags.lanes(point, threadEach);
    }

    @Override
    public Measured run(Point point, long iterations, Duration limit) throws IOException, InterruptedException {
        if (isTwin(point)) {
            List<String> command = twin.command(VerbsEnd.words(point, venue, iterations));
            Spent before = Spent.byChildren();
            try (var writing = new ToolRun(Placement.CLIENT, command, Map.of(), children)) {
                Measured measured = VerbsTwin.read(point, writing.awaitOutput(limit), iterations);
                return measured.withSpent(Spent.byChildren().since(before));
            }
        }
        for (int attempt = 1; attempt < ATTEMPTS; attempt++) {
            try {
                return once(point, iterations, limit);
            } catch (NoFigureException e) {
                // Tries once more.
            }
        }
        return once(point, iterations, limit);
    }

    private Measured once(Point point, long iterations, Duration limit) throws IOException, InterruptedException {
        List<ToolLane> lanes = new ArrayList<>();
        Point each = VerbsFlags.lane(point, threadEach);
        for (int port : Ports.free(lanes(point))) {
            lanes.add(new ToolLane(
                    new ToolLane.End(server(each, port, iterations), Map.of(), Placement.SERVER),
                    new ToolLane.End(client(each, port, iterations), Map.of(), Placement.CLIENT),
                    port,
                    children,
                    output -> read(each, iterations, output)));
        }
        return ToolLane.run(lanes, limit);
    }

    private List<String> server(Point point, int port, long iterations) {
        List<String> command = new ArrayList<>(List.of(VerbsFlags.test(point).program()));
        command.addAll(VerbsFlags.of(point, venue.server(), port, iterations));
        return command;
    }

    private List<String> client(Point point, int port, long iterations) {
        List<String> command = new ArrayList<>(List.of(VerbsFlags.test(point).program()));
        command.addAll(VerbsFlags.of(point, venue.client(), port, iterations));
        if (!VerbsFlags.isBandwidth(point)) {
            command.add("-U"); // all times: perftest computes its 99.9 % differently
        }
        command.add(HOST);
        return command;
    }

    /** Reads the client's output. */
    static Measured read(Point point, long iterations, String output) throws IOException {
        String program = VerbsFlags.test(point).program();
        if (!VerbsFlags.isBandwidth(point)) {
            try {
                LatencyStatistics figures = LatencyReport.parse(output);
                check(figures.average()); // the deviation may be no number: C squares an int, which 46 ms overflow
                double[] times = LatencyReport.parseTimes(output);
                if (times.length == 0) {
                    throw none(program, output);
                }
                double parts = VerbsFlags.parts(point);
                var whole = Distribution.ofMicros(
                        Arrays.stream(times).map(each -> each * parts).toArray());
                return VerbsFlags.ofTimes(point, figures.average(), figures.typical(), whole, iterations);
            } catch (IllegalArgumentException e) {
                IOException none = none(program, output);
                none.initCause(e);
                throw none;
            }
        }
        String[] fields = bandwidth(program, output);
        double megabytes = CFormat.number(fields[3]);
        double millions = CFormat.number(fields[4]);
        double rate = point.bytes() >= LARGE_BYTES ? megabytes * MEBIBYTE / point.bytes() : millions * MILLION;
        check(rate);
        return VerbsFlags.ofRate(point, rate, iterations);
    }

    private static IOException none(String program, String output) {
        List<String> lines = output.lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .toList();
        List<String> end = lines.subList(Math.max(0, lines.size() - REASON_LINES), lines.size());
        return new IOException(program + " printed no figures, but: " + String.join(" | ", end));
    }

    private static String[] bandwidth(String program, String output) throws IOException {
        List<String> lines = output.lines().toList();
        for (int i = 0; i + 1 < lines.size(); i++) {
            String[] fields = lines.get(i + 1).strip().split("\\s+", -1);
            if (lines.get(i).contains("BW average") && fields.length >= 5) {
                return fields;
            }
        }
        throw none(program, output);
    }

    private static void check(double figure) throws NoFigureException {
        if (!Double.isFinite(figure) || figure <= 0) {
            throw new NoFigureException();
        }
    }

    @Override
    public String command(Point point, long iterations) {
        if (isTwin(point)) {
            return VerbsTwin.byHand(VerbsEnd.words(point, venue, iterations));
        }
        Point each = VerbsFlags.lane(point, threadEach);
        return Contender.byHand(
                point,
                String.join(" ", Placement.SERVER.of(server(each, 18515, iterations))),
                String.join(" ", Placement.CLIENT.of(client(each, 18515, iterations))),
                lanes(point));
    }

    @Override
    public void close() {
        // Nothing is kept between runs.
    }

    /** perftest's clock was spoilt. */
    static final class NoFigureException extends IOException {
        private static final long serialVersionUID = 1;

        NoFigureException() {
            super("perftest measured its clock wrongly, and printed no numbers, " + ATTEMPTS + " times");
        }
    }
}
