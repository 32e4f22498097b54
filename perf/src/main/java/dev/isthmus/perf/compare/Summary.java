// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.compare;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;

/**
 * All runs of a point together.
 *
 * @param runs how many there are, at least one
 * @param overlap the fraction of the time in which all connections were measuring
 * @param unsteady how many runs began before their programs were steady
 * @param apart how many runs had connections that measured at different times
 * @param behind how many runs could not keep up with their rate, and so have no times
 * @param times of each run, if known
 * @param command the command of the last run
 */
record Summary(
        Point point,
        int runs,
        Optional<Spread> averageMicros,
        Optional<Spread> medianMicros,
        Optional<Spread> p999Micros,
        Spread messagesPerSecond,
        Spread bytesPerSecond,
        Optional<Spread> overheadBytesPerMessage,
        Optional<Spread> overlap,
        int unsteady,
        int apart,
        Optional<Spread> processorMicrosPerMessage,
        Optional<Spread> offeredPerSecond,
        int behind,
        List<Distribution> times,
        String command) {

    private static final Comparator<Point> ORDER = Comparator.comparing(Point::benchmark)
            .thenComparingInt(Point::connections)
            .thenComparingLong(Point::rate)
            .thenComparing(point -> point.route().map(UcxRoute::id).orElse(""))
            .thenComparing(Point::way)
            .thenComparingLong(Point::bytes);

    /** A summary of each point, by benchmark, connections, rate, route, way and payload. */
    static List<Summary> of(List<Run> runs) {
        Map<Point, List<Run>> byPoint = new TreeMap<>(ORDER);
        runs.forEach(run ->
                byPoint.computeIfAbsent(run.point(), point -> new ArrayList<>()).add(run));
        return byPoint.entrySet().stream()
                .map(entry -> of(entry.getKey(), entry.getValue()))
                .toList();
    }

    private static Summary of(Point point, List<Run> runs) {
        return new Summary(
                point,
                runs.size(),
                optional(runs, Run::averageMicros),
                optional(runs, Run::medianMicros),
                optional(runs, Run::p999Micros),
                required(runs, Run::messagesPerSecond),
                required(runs, Run::bytesPerSecond),
                optional(runs, Run::overheadBytesPerMessage),
                optional(runs, Run::overlap),
                (int) runs.stream().filter(run -> !run.steady()).count(),
                (int) runs.stream().filter(Run::isApart).count(),
                optional(runs, Run::processorMicrosPerMessage),
                optional(runs, Run::offeredPerSecond),
                (int) runs.stream().filter(Run::isBehind).count(),
                runs.stream().flatMap(run -> run.times().stream()).toList(),
                runs.getLast().command());
    }

    /** Whether its figures should be taken with a grain of salt. */
    boolean isDoubtful() {
        return unsteady > 0 || apart > 0 || behind > 0;
    }

    private static Optional<Spread> optional(List<Run> runs, Function<Run, OptionalDouble> figure) {
        return Spread.of(runs.stream()
                .map(figure)
                .flatMapToDouble(
                        value -> value.isPresent() ? DoubleStream.of(value.getAsDouble()) : DoubleStream.empty())
                .toArray());
    }

    private static Spread required(List<Run> runs, ToDoubleFunction<Run> figure) {
        return Spread.of(runs.stream().mapToDouble(figure).toArray()).orElseThrow();
    }
}
