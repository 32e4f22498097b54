// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.process.Tool;
import dev.isthmus.perf.tools.perftest.CFormat;
import dev.isthmus.perf.tools.perftest.LatencyReport;
import dev.isthmus.perf.tools.perftest.LatencyStatistics;
import dev.isthmus.perf.tools.perftest.PerfTest;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/** perftest's programs, and the flags by which they, in C and ours, run a point. */
final class VerbsTool implements ToolRunner.Tool {

    private static final String HOST = "127.0.0.1";
    private static final double MEBIBYTE = 1 << 20;
    private static final double MILLION = 1e6;

    /**
     * perftest prints rates with six digits after the point, in millions, and bandwidths with two, in MiB. From this
     * payload on, the bandwidth is the more precise.
     */
    private static final int LARGE_BYTES = 1 << 14;

    /** The program. */
    static PerfTest test(Point point) {
        boolean bandwidth = isBandwidth(point);
        return switch (point.way()) {
            case C_VERBS_SEND, JAVA_VERBS_SEND -> bandwidth ? PerfTest.SEND_BW : PerfTest.SEND_LAT;
            case C_VERBS_WRITE, JAVA_VERBS_WRITE -> bandwidth ? PerfTest.WRITE_BW : PerfTest.WRITE_LAT;
            case C_VERBS_READ, JAVA_VERBS_READ -> bandwidth ? PerfTest.READ_BW : PerfTest.READ_LAT;
            default -> throw new IllegalArgumentException(point.way() + " is not verbs");
        };
    }

    /**
     * Whether it is a bandwidth program. Such a program, with one outstanding operation, also measures one RDMA WRITE:
     * write_lat is a ping-pong.
     */
    static boolean isBandwidth(Point point) {
        return point.benchmark().isThroughput() || isSingleWrite(point);
    }

    /** Whether writes are made one after another. */
    static boolean isSingleWrite(Point point) {
        return point.benchmark() == Benchmark.ONE_SIDED && isWrite(point.way());
    }

    /** Whether round trips begin at fixed times. */
    static boolean isOnTime(Point point) {
        return point.benchmark() == Benchmark.FIXED_RATE
                && (point.way() == Way.C_VERBS_SEND || point.way() == Way.JAVA_VERBS_SEND);
    }

    private static boolean isWrite(Way way) {
        return way == Way.C_VERBS_WRITE || way == Way.JAVA_VERBS_WRITE;
    }

    /** The flags of an end; a client also gets the server's address. */
    static List<String> flags(Job job) {
        Point point = job.point();
        String line = "-F -d " + job.local().device().orElseThrow() + " -p " + job.port();
        if (job.local().gidIndex().isPresent()) {
            line += " -x " + job.local().gidIndex().getAsInt();
        }
        line += " -s " + point.bytes() + " -n " + job.iterations();
        if (isBandwidth(point)) {
            line += " -N" + (point.connections() > 1 ? " -q " + point.connections() : "");
        }
        if (isSingleWrite(point)) {
            line += " -t 1 -Q 1";
        }
        return Tool.words(line + (point.benchmark() == Benchmark.BOTH_WAYS ? " -b" : ""));
    }

    /** The messages of a run, of all connections and directions. */
    static long messages(Point point, long iterations) {
        return iterations * point.connections() * (point.benchmark() == Benchmark.BOTH_WAYS ? 2 : 1);
    }

    /**
     * How many pairs of ends a point has, and so threads, or processes in C: a latency program has one connection, a
     * bandwidth program as many as it is told.
     */
    static int pairs(Point point, boolean threadEach) {
        return isBandwidth(point) && !threadEach ? 1 : point.connections();
    }

    /** What each of them is told to run. */
    static Point ofPair(Point point, boolean threadEach) {
        return isBandwidth(point) ? point.with(point.connections() / pairs(point, threadEach)) : point;
    }

    /** The result of a bandwidth run. */
    static Measured ofRate(Point point, double messagesPerSecond, long iterations) {
        return isSingleWrite(point)
                ? Measured.times(1e6 / messagesPerSecond, Double.NaN, Double.NaN, 1, iterations)
                : Measured.rate(messagesPerSecond, messages(point, iterations));
    }

    /**
     * By how much to multiply perftest's time of an operation: it is half a round trip, but a whole
     * one-sided operation.
     */
    static double parts(Point point) {
        return point.benchmark() == Benchmark.ONE_SIDED ? 1 : 2;
    }

    /**
     * The result of a latency run.
     *
     * @param average by perftest, like {@code typical}
     * @param times of whole operations
     */
    static Measured ofTimes(Point point, double average, double typical, Distribution times, long iterations) {
        double parts = parts(point);
        return Measured.times(average * parts, typical * parts, times.micros(99.9), (int) parts, iterations)
                .withAll(times);
    }

    @Override
    public List<String> command(Job job) {
        List<String> command = flags(job);
        command.addFirst(test(job.point()).program());
        if (job.isClient()) {
            // -U for all times: perftest computes its 99.9 % differently.
            command.addAll(isBandwidth(job.point()) ? List.of(HOST) : List.of("-U", HOST));
        }
        return command;
    }

    @Override
    public int usualPort() {
        return 18515;
    }

    @Override
    public Measured read(Point point, long iterations, String output) throws IOException {
        String program = test(point).program();
        if (!isBandwidth(point)) {
            try {
                LatencyStatistics figures = LatencyReport.parse(output);
                check(figures.average()); // the deviation may be no number: C squares an int, which 46 ms overflow
                double[] times = LatencyReport.parseTimes(output);
                if (times.length == 0) {
                    throw none(program, output);
                }
                double parts = parts(point);
                var whole = Distribution.ofMicros(
                        Arrays.stream(times).map(each -> each * parts).toArray());
                return ofTimes(point, figures.average(), figures.typical(), whole, iterations);
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
        return ofRate(point, rate, iterations);
    }

    private static IOException none(String program, String output) {
        return new IOException(program + " printed no figures, but: " + String.join(" | ", Tool.end(output)));
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
