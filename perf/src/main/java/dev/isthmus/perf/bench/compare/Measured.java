// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.common.Spent;
import dev.isthmus.perf.common.Timetable;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;

/**
 * What was measured in one go: a slice of a warm-up, or the run that counts. Times are not a number in a throughput
 * benchmark, or if nobody took them.
 *
 * @param averageMicros mean time of an operation, or of a round trip
 * @param typicalMicros the median
 * @param p999Micros the 99.9th percentile
 * @param messagesPerSecond of all connections and directions
 * @param messages how many went over the wire, of all connections and directions; 0 if unknown
 * @param seconds how long it took
 * @param spent what the ends spent while it was measured; for new processes, everything that they spent
 * @param overlap of several lanes that ran at the same time, the fraction of the time in which all were measuring; 1
 *     for a single one
 * @param times those of all operations, if known
 */
record Measured(
        double averageMicros,
        double typicalMicros,
        double p999Micros,
        double messagesPerSecond,
        long messages,
        double seconds,
        Spent spent,
        double overlap,
        Optional<Distribution> times) {

    /** Fewer operations have no 99.9th percentile. */
    static final long MIN_TAIL = 1000;

    private static final double MICROS = 1e6;

    /** The numbers in a line before the times. */
    private static final int NUMBERS = 9;

    private static final String NO_TIMES = "-";

    /** The result of a throughput benchmark. */
    static Measured rate(double messagesPerSecond, long messages) {
        return new Measured(
                Double.NaN,
                Double.NaN,
                Double.NaN,
                messagesPerSecond,
                messages,
                messages / messagesPerSecond,
                Spent.NOTHING,
                1,
                Optional.empty());
    }

    /** The result of operations one after another, each with this many messages. */
    static Measured times(double average, double typical, double p999, int messagesEach, long operations) {
        return new Measured(
                average,
                typical,
                operations < MIN_TAIL ? Double.NaN : p999,
                messagesEach * MICROS / average,
                messagesEach * operations,
                average * operations / MICROS,
                Spent.NOTHING,
                1,
                Optional.empty());
    }

    /** The same, if the times of all operations are known. */
    static Measured times(Distribution times, double average, int messagesEach) {
        return times(average, times.micros(50), times.micros(99.9), messagesEach, times.count())
                .withTimes(times);
    }

    /** The result of round trips at a fixed rate. */
    static Measured trips(Timetable timetable) {
        return trips(Distribution.of(timetable.times()), timetable.perSecond());
    }

    /** The same, with the number of round trips in a second. */
    static Measured trips(Distribution times, double perSecond) {
        Measured closed = times(times, times.averageMicros(), 2);
        return new Measured(
                closed.averageMicros,
                closed.typicalMicros,
                closed.p999Micros,
                2 * perSecond,
                closed.messages,
                times.count() / perSecond,
                Spent.NOTHING,
                1,
                closed.times);
    }

    /** The result of several lanes that ran at the same time, each with connections of its own. */
    static Measured together(List<Measured> lanes) {
        if (lanes.size() == 1) {
            return lanes.getFirst();
        }
        List<Distribution> times =
                lanes.stream().flatMap(lane -> lane.times.stream()).toList();
        boolean known = lanes.stream().allMatch(lane -> lane.messages > 0);
        return new Measured(
                lanes.stream().mapToDouble(Measured::averageMicros).average().orElse(Double.NaN),
                lanes.stream().mapToDouble(Measured::typicalMicros).average().orElse(Double.NaN),
                lanes.stream().mapToDouble(Measured::p999Micros).max().orElse(Double.NaN),
                lanes.stream().mapToDouble(Measured::messagesPerSecond).sum(),
                known ? lanes.stream().mapToLong(Measured::messages).sum() : 0,
                lanes.stream().mapToDouble(Measured::seconds).max().orElse(Double.NaN),
                // The ends of all lanes are in the same two JVMs, so each lane reports what all of them spent.
                new Spent(
                        lanes.stream()
                                .mapToLong(lane -> lane.spent.compileMillis())
                                .max()
                                .orElse(0),
                        lanes.stream()
                                .mapToLong(lane -> lane.spent.processorNanos())
                                .max()
                                .orElse(0)),
                lanes.stream().mapToDouble(Measured::overlap).min().orElse(1),
                times.size() == lanes.size() ? Optional.of(Distribution.together(times)) : Optional.empty());
    }

    /** The same for round trips at a fixed rate, whose times are known: the percentile is of all of them. */
    static Measured tripsTogether(List<Measured> lanes) {
        Measured all = together(lanes);
        Distribution times = all.times.orElseThrow();
        return new Measured(
                times.averageMicros(),
                times.micros(50),
                times.count() < MIN_TAIL ? Double.NaN : times.micros(99.9),
                all.messagesPerSecond,
                all.messages,
                all.seconds,
                all.spent,
                all.overlap,
                all.times);
    }

    Measured withSpent(Spent all) {
        return new Measured(
                averageMicros, typicalMicros, p999Micros, messagesPerSecond, messages, seconds, all, overlap, times);
    }

    /** The same, for lanes that all ran during only a fraction of the time. */
    Measured withOverlap(double part) {
        return new Measured(
                averageMicros, typicalMicros, p999Micros, messagesPerSecond, messages, seconds, spent, part, times);
    }

    /** The same, with the number of messages that went over the wire; 0 if unknown. */
    Measured withMessages(long count) {
        return new Measured(
                averageMicros, typicalMicros, p999Micros, messagesPerSecond, count, seconds, spent, overlap, times);
    }

    /** The same, with the times of all operations. */
    Measured withTimes(Distribution all) {
        return new Measured(
                averageMicros,
                typicalMicros,
                p999Micros,
                messagesPerSecond,
                messages,
                seconds,
                spent,
                overlap,
                Optional.of(all));
    }

    /** How many messages were measured, without those before that only went over the wire. */
    double counted() {
        return messagesPerSecond * seconds;
    }

    /** The median of all operations, if their times are known. */
    double medianMicros() {
        return times.map(all -> all.micros(50)).orElse(typicalMicros);
    }

    /** What the detector of steadiness looks at: the median, or the mean time per message. */
    double figure() {
        return Double.isNaN(typicalMicros) ? MICROS / messagesPerSecond : typicalMicros;
    }

    static OptionalDouble optional(double value) {
        return Double.isFinite(value) ? OptionalDouble.of(value) : OptionalDouble.empty();
    }

    /** A line that {@link #parse} reads. */
    String format() {
        DoubleStream numbers = DoubleStream.of(
                averageMicros,
                typicalMicros,
                p999Micros,
                messagesPerSecond,
                (double) messages,
                seconds,
                (double) spent.compileMillis(),
                (double) spent.processorNanos(),
                overlap);
        return numbers.mapToObj(value -> String.format(Locale.ROOT, "%s", value))
                        .collect(Collectors.joining(" "))
                + " " + times.map(Distribution::encode).orElse(NO_TIMES);
    }

    static Measured parse(String line) {
        String[] fields = line.strip().split(" ", -1);
        if (fields.length != NUMBERS + 1) {
            throw new IllegalArgumentException("no figures: " + line);
        }
        double[] values = new double[NUMBERS];
        for (int i = 0; i < NUMBERS; i++) {
            values[i] = Double.parseDouble(fields[i]);
        }
        String times = fields[NUMBERS];
        return new Measured(
                values[0],
                values[1],
                values[2],
                values[3],
                (long) values[4],
                values[5],
                new Spent((long) values[6], (long) values[7]),
                values[8],
                times.equals(NO_TIMES) ? Optional.empty() : Optional.of(Distribution.decode(times)));
    }
}
