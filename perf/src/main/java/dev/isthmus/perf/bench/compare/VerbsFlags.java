// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.tools.perftest.PerfTest;
import java.util.ArrayList;
import java.util.List;

/** The flags by which perftest's programs, in C and ours, run a point. */
final class VerbsFlags {

    private VerbsFlags() {}

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
    static List<String> of(Point point, Venue.End end, int port, long iterations) {
        List<String> flags = new ArrayList<>(List.of("-F", "-d", end.device().orElseThrow(), "-p", "" + port));
        end.gidIndex().ifPresent(index -> flags.addAll(List.of("-x", "" + index)));
        flags.addAll(List.of("-s", "" + point.bytes(), "-n", "" + iterations));
        if (isBandwidth(point)) {
            flags.add("-N");
            if (point.connections() > 1) {
                flags.addAll(List.of("-q", "" + point.connections()));
            }
        }
        if (isSingleWrite(point)) {
            flags.addAll(List.of("-t", "1", "-Q", "1"));
        }
        if (point.benchmark() == Benchmark.BOTH_WAYS) {
            flags.add("-b");
        }
        return flags;
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
}
