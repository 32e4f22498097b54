// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.compare;

import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;

/**
 * What was measured in one go: a slice of a warm-up, or the run that counts. Times are not a number of a throughput
 * benchmark, and where nobody took them.
 *
 * @param averageMicros mean time of an operation, or of a round trip
 * @param typicalMicros its median
 * @param p999Micros its 99.9th percentile
 * @param messagesPerSecond of all connections and directions
 * @param messages how many went over the wire, of all connections and directions; 0 when that is not known
 * @param seconds how long it took
 * @param compileMillis how long the JIT compilers of the ends were at work while it was measured
 * @param overlap of several that were to run at the same time, the part of the time in which all did; 1 of one
 */
record Measured(
        double averageMicros,
        double typicalMicros,
        double p999Micros,
        double messagesPerSecond,
        long messages,
        double seconds,
        long compileMillis,
        double overlap) {

    /** Fewer operations have no 99.9th percentile. */
    static final long MIN_TAIL = 1000;

    private static final double MICROS = 1e6;

    /** Of a throughput benchmark. */
    static Measured rate(double messagesPerSecond, long messages) {
        return new Measured(
                Double.NaN, Double.NaN, Double.NaN, messagesPerSecond, messages, messages / messagesPerSecond, 0, 1);
    }

    /** Of operations one after another, with so many messages in each. */
    static Measured times(double average, double typical, double p999, int messagesEach, long operations) {
        return new Measured(
                average,
                typical,
                operations < MIN_TAIL ? Double.NaN : p999,
                messagesEach * MICROS / average,
                messagesEach * operations,
                average * operations / MICROS,
                0,
                1);
    }

    /** Several that ran at the same time, each with connections of its own. */
    static Measured together(List<Measured> lanes) {
        if (lanes.size() == 1) {
            return lanes.getFirst();
        }
        boolean known = lanes.stream().allMatch(lane -> lane.messages > 0);
        return new Measured(
                lanes.stream().mapToDouble(Measured::averageMicros).average().orElse(Double.NaN),
                lanes.stream().mapToDouble(Measured::typicalMicros).average().orElse(Double.NaN),
                lanes.stream().mapToDouble(Measured::p999Micros).max().orElse(Double.NaN),
                lanes.stream().mapToDouble(Measured::messagesPerSecond).sum(),
                known ? lanes.stream().mapToLong(Measured::messages).sum() : 0,
                lanes.stream().mapToDouble(Measured::seconds).max().orElse(Double.NaN),
                // The ends of all lanes are in the same two JVMs, whose compilers each of them saw at work.
                lanes.stream().mapToLong(Measured::compileMillis).max().orElse(0),
                lanes.stream().mapToDouble(Measured::overlap).min().orElse(1));
    }

    Measured withCompileMillis(long millis) {
        return new Measured(
                averageMicros, typicalMicros, p999Micros, messagesPerSecond, messages, seconds, millis, overlap);
    }

    /** The same, of lanes of which all ran during a part of the time only. */
    Measured withOverlap(double part) {
        return new Measured(
                averageMicros, typicalMicros, p999Micros, messagesPerSecond, messages, seconds, compileMillis, part);
    }

    /** The same, where so many messages went over the wire; 0 where that is not known. */
    Measured withMessages(long count) {
        return new Measured(
                averageMicros, typicalMicros, p999Micros, messagesPerSecond, count, seconds, compileMillis, overlap);
    }

    /** What a detector of steadiness looks at: the median, or the mean time per message. */
    double figure() {
        return Double.isNaN(typicalMicros) ? MICROS / messagesPerSecond : typicalMicros;
    }

    static OptionalDouble optional(double value) {
        return Double.isFinite(value) ? OptionalDouble.of(value) : OptionalDouble.empty();
    }

    /** A line that {@link #parse} reads. */
    String format() {
        return DoubleStream.of(
                        averageMicros,
                        typicalMicros,
                        p999Micros,
                        messagesPerSecond,
                        (double) messages,
                        seconds,
                        (double) compileMillis,
                        overlap)
                .mapToObj(value -> String.format(Locale.ROOT, "%s", value))
                .collect(Collectors.joining(" "));
    }

    static Measured parse(String line) {
        String[] fields = line.strip().split(" ", -1);
        if (fields.length != 8) {
            throw new IllegalArgumentException("no figures: " + line);
        }
        double[] values = new double[fields.length];
        for (int i = 0; i < fields.length; i++) {
            values[i] = Double.parseDouble(fields[i]);
        }
        return new Measured(
                values[0], values[1], values[2], values[3], (long) values[4], values[5], (long) values[6], values[7]);
    }
}
