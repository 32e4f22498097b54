// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.common.Spent;
import dev.isthmus.perf.common.Timetable;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * What was measured in one go: a slice of a warm-up, or the run that counts.
 *
 * @param times how long operations took; none in a throughput benchmark
 * @param messagesPerSecond of all connections and directions
 * @param messages how many went over the wire, of all connections and directions; 0 if unknown
 * @param seconds how long it took
 * @param spent what the ends spent while it was measured; for new processes, everything that they spent
 * @param overlap of several pairs of ends that ran at the same time, the fraction of the time in which all were
 *     measuring; 1 for a single one
 */
record Measured(Times times, double messagesPerSecond, long messages, double seconds, Spent spent, double overlap) {

    /**
     * How long operations took. What nobody measured is not a number.
     *
     * @param averageMicros mean time of an operation, or of a round trip
     * @param typicalMicros the median
     * @param p999Micros the 99.9th percentile
     * @param all those of all operations, if known
     */
    record Times(double averageMicros, double typicalMicros, double p999Micros, Optional<Distribution> all) {

        private static final Times NONE = new Times(Double.NaN, Double.NaN, Double.NaN, Optional.empty());

        private static Times of(Distribution all, double averageMicros) {
            double p999 = all.count() < MIN_TAIL ? Double.NaN : all.micros(99.9);
            return new Times(averageMicros, all.micros(50), p999, Optional.of(all));
        }

        /** The median of all operations, if their times are known. */
        double medianMicros() {
            return all.map(each -> each.micros(50)).orElse(typicalMicros);
        }
    }

    /** Fewer operations have no 99.9th percentile. */
    static final long MIN_TAIL = 1000;

    /** The result of an end that measures nothing. */
    static final Measured NOTHING = rate(Double.NaN, 0);

    private static final double MICROS = 1e6;

    /** The result of a throughput benchmark. */
    static Measured rate(double messagesPerSecond, long messages) {
        return new Measured(Times.NONE, messagesPerSecond, messages, messages / messagesPerSecond, Spent.NOTHING, 1);
    }

    /** The result of operations one after another, each with this many messages. */
    static Measured times(double average, double typical, double p999, int messagesEach, long operations) {
        double tail = operations < MIN_TAIL ? Double.NaN : p999;
        return times(new Times(average, typical, tail, Optional.empty()), messagesEach, operations);
    }

    /** The same, if the times of all operations are known. */
    static Measured times(Distribution times, double average, int messagesEach) {
        return times(Times.of(times, average), messagesEach, times.count());
    }

    private static Measured times(Times times, int messagesEach, long operations) {
        return new Measured(
                times,
                messagesEach * MICROS / times.averageMicros(),
                messagesEach * operations,
                times.averageMicros() * operations / MICROS,
                Spent.NOTHING,
                1);
    }

    /** The result of round trips at a fixed rate. */
    static Measured trips(Timetable timetable) {
        return trips(Distribution.of(timetable.times()), timetable.perSecond());
    }

    /** The same, with the number of round trips in a second. */
    static Measured trips(Distribution times, double perSecond) {
        Times all = Times.of(times, times.averageMicros());
        return new Measured(all, 2 * perSecond, 2 * times.count(), times.count() / perSecond, Spent.NOTHING, 1);
    }

    /** The result of several pairs of ends that ran at the same time, each with connections of its own. */
    static Measured together(List<Measured> pairs) {
        if (pairs.size() == 1) {
            return pairs.getFirst();
        }
        List<Distribution> all =
                pairs.stream().flatMap(pair -> pair.times.all().stream()).toList();
        var times = new Times(
                mean(pairs, pair -> pair.times.averageMicros()),
                mean(pairs, pair -> pair.times.typicalMicros()),
                max(pairs, pair -> pair.times.p999Micros()),
                all.size() == pairs.size() ? Optional.of(Distribution.together(all)) : Optional.empty());
        boolean known = pairs.stream().allMatch(pair -> pair.messages > 0);
        return new Measured(
                times,
                pairs.stream().mapToDouble(Measured::messagesPerSecond).sum(),
                known ? pairs.stream().mapToLong(Measured::messages).sum() : 0,
                max(pairs, Measured::seconds),
                // The ends of all pairs are in the same two JVMs, so each pair reports what all of them spent.
                new Spent((long) max(pairs, pair -> (double) pair.spent.compileMillis()), (long)
                        max(pairs, pair -> (double) pair.spent.processorNanos())),
                1);
    }

    private static double mean(List<Measured> pairs, ToDoubleFunction<Measured> figure) {
        return pairs.stream().mapToDouble(figure).average().orElseThrow();
    }

    private static double max(List<Measured> pairs, ToDoubleFunction<Measured> figure) {
        return pairs.stream().mapToDouble(figure).max().orElseThrow();
    }

    /** The same for round trips at a fixed rate, whose times are known: the percentile is of all of them. */
    static Measured tripsTogether(List<Measured> pairs) {
        Measured sum = together(pairs);
        Distribution times = sum.times.all().orElseThrow();
        return sum.with(Times.of(times, times.averageMicros()));
    }

    private Measured with(Times other) {
        return new Measured(other, messagesPerSecond, messages, seconds, spent, overlap);
    }

    Measured withSpent(Spent all) {
        return new Measured(times, messagesPerSecond, messages, seconds, all, overlap);
    }

    /** The same, for pairs of ends that all ran during only a fraction of the time. */
    Measured withOverlap(double part) {
        return new Measured(times, messagesPerSecond, messages, seconds, spent, part);
    }

    /** The same, with the number of messages that went over the wire; 0 if unknown. */
    Measured withMessages(long count) {
        return new Measured(times, messagesPerSecond, count, seconds, spent, overlap);
    }

    /** The same, with the times of all operations. */
    Measured withAll(Distribution all) {
        return with(new Times(times.averageMicros, times.typicalMicros, times.p999Micros, Optional.of(all)));
    }

    /** How many messages were measured, without those before that only went over the wire. */
    double counted() {
        return messagesPerSecond * seconds;
    }

    /** What the detector of steadiness looks at: the median, or the mean time per message. */
    double figure() {
        return Double.isNaN(times.typicalMicros) ? MICROS / messagesPerSecond : times.typicalMicros;
    }
}
