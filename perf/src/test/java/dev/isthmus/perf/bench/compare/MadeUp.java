// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

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
        lines.put(Setting.DATE, "2026-01-01");
        return new Setting(lines, new Comparison.Options(3, 1, 15), points);
    }

    /** A run, measured by programs that were not steady, or whose connections only measured together for a while. */
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

    /** A run, with a rate that it was to keep. */
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
