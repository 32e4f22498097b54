// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.tools.perftest.CFormat;
import dev.isthmus.perf.tools.perftest.LatencyReport;
import dev.isthmus.perf.tools.perftest.LatencyStatistics;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** perftest's programs. */
final class VerbsTool implements ToolRunner.Tool {

    private static final String HOST = "127.0.0.1";
    private static final double MEBIBYTE = 1 << 20;
    private static final double MILLION = 1e6;

    /**
     * perftest prints rates with six digits after the point, in millions, and bandwidths with two, in MiB. From this
     * payload on, the bandwidth is the more precise.
     */
    private static final int LARGE_BYTES = 1 << 14;

    private static final int REASON_LINES = 3;

    @Override
    public List<String> server(Runner.Share share) {
        return command(share, share.near());
    }

    @Override
    public List<String> client(Runner.Share share) {
        List<String> command = command(share, share.far());
        if (!VerbsFlags.isBandwidth(share.point())) {
            command.add("-U"); // all times: perftest computes its 99.9 % differently
        }
        command.add(HOST);
        return command;
    }

    private static List<String> command(Runner.Share share, Venue.End end) {
        List<String> command =
                new ArrayList<>(List.of(VerbsFlags.test(share.point()).program()));
        command.addAll(VerbsFlags.of(share.point(), end, share.port(), share.iterations()));
        return command;
    }

    @Override
    public int usualPort() {
        return 18515;
    }

    @Override
    public Measured read(Point point, long iterations, String output) throws IOException {
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

    private static void check(double figure) throws IOException {
        if (!Double.isFinite(figure) || figure <= 0) {
            throw new ToolRunner.NoFigureException(
                    "perftest measured its clock wrongly, and printed no numbers"); // after it has ended
        }
    }
}
