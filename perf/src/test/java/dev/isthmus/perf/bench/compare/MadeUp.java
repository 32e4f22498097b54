// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.IntStream;

/** Invented runs, for tests. */
final class MadeUp {

    /** Text that a program or a user could bring into a report. */
    static final String HOSTILE = "</td><script>alert(1)</script> & \"quoted\", 'too'\n=2+3\u0000]]>";

    private static final List<Way> WAYS = List.of(Way.values());
    private static final int LARGEST = 20;
    private static final double WIRE = 3e9;

    private MadeUp() {}

    /** An end on the loopback interface. */
    static Job job(Job.Role role, Point point, long iterations, int port) {
        Venue.End here = Venue.loopback().client();
        return new Job(role, point, here, here, false, port, iterations);
    }

    static Setting setting(List<Point> points) {
        Map<String, String> lines = new LinkedHashMap<>();
        lines.put("machine", "2 x a cpu");
        lines.put("rdma-core", "44.0");
        lines.put("flags", "--rounds 3");
        lines.put(Setting.DATE, "2026-01-01");
        return new Setting(lines, points);
    }

    /** Every way in each benchmark, 1 B to 1 MiB with one connection, and three payloads with up to 16. */
    static List<Point> points() {
        List<Point> points = new ArrayList<>();
        for (Benchmark benchmark : Benchmark.values()) {
            for (Way way : Way.values()) {
                for (int power = 0; power <= LARGEST; power++) {
                    points.add(new Point(way, benchmark, 1L << power, 1));
                }
                for (int connections = 2; connections <= 16; connections *= 2) {
                    for (int power : new int[] {0, LARGEST / 2, LARGEST}) {
                        points.add(new Point(way, benchmark, 1L << power, connections));
                    }
                }
            }
        }
        return points;
    }

    /** Three runs of a point, a tenth below and above the second. */
    static List<Run> runs(Point point) {
        List<Run> runs = new ArrayList<>();
        for (int round = 1; round <= 3; round++) {
            double micros = (1.5 + 0.4 * WAYS.indexOf(point.way()) + point.bytes() / WIRE * 1e6)
                    * (1 + 0.1 * (round - 2))
                    * Math.sqrt(point.connections());
            double rate = point.connections() * 2e6 / micros;
            runs.add(run(point, round, micros, rate, "run " + point.way().id() + " -s " + point.bytes()));
        }
        return runs;
    }

    /** The same, measured by programs that were not steady, or whose connections only measured together for a while. */
    static Run doubtful(Run run, boolean steady, double overlap) {
        return new Run(
                run.point(),
                run.round(),
                run.averageMicros(),
                run.medianMicros(),
                run.p999Micros(),
                run.messagesPerSecond(),
                run.bytesPerSecond(),
                run.overheadBytesPerMessage(),
                OptionalDouble.of(overlap),
                steady,
                run.processorMicrosPerMessage(),
                run.offeredPerSecond(),
                run.times(),
                run.command(),
                run.jvmFlags());
    }

    /** The same, with a rate that it was to keep. */
    static Run offered(Run run, double perSecond) {
        return new Run(
                run.point(),
                run.round(),
                run.averageMicros(),
                run.medianMicros(),
                run.p999Micros(),
                run.messagesPerSecond(),
                run.bytesPerSecond(),
                run.overheadBytesPerMessage(),
                run.overlap(),
                run.steady(),
                run.processorMicrosPerMessage(),
                OptionalDouble.of(perSecond),
                run.times(),
                run.command(),
                run.jvmFlags());
    }

    /** A thousand, of which one in ten takes twice as long, and one in a hundred three times. */
    private static Distribution times(double micros) {
        return Distribution.ofMicros(IntStream.range(0, 1000)
                .mapToDouble(i -> micros * (i % 100 == 0 ? 3 : i % 10 == 0 ? 2 : 1))
                .toArray());
    }

    static Run run(Point point, int round, double micros, double messagesPerSecond, String command) {
        return new Run(
                point,
                round,
                OptionalDouble.of(micros),
                OptionalDouble.of(2 * micros),
                OptionalDouble.of(3 * micros),
                messagesPerSecond,
                messagesPerSecond * point.bytes(),
                point.way().id().contains("verbs") ? OptionalDouble.of(58) : OptionalDouble.empty(),
                OptionalDouble.empty(),
                true,
                OptionalDouble.of(micros / 2),
                OptionalDouble.empty(),
                point.benchmark().isThroughput() ? Optional.empty() : Optional.of(times(micros)),
                command,
                List.of("-XX:+UseSerialGC", "-Xmx256m"));
    }
}
