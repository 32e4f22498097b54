// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.common.Timetable;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * The round trips of one connection: one after another, or by a timetable. Allocates nothing while it counts, once it
 * has seen the longest.
 */
final class Trips {

    private static final int DIGITS = 3;
    private static final double MICROS = 1e3;

    private final Timetable timetable; // null if each begins when the previous one has returned
    private final Histogram histogram = new Histogram(DIGITS);
    private long began;
    private long last;

    private Trips(Timetable timetable) {
        this.timetable = timetable;
    }

    /** Those of an end's connection, by its number. */
    static Trips of(Job job, int connection) {
        boolean timed = job.isClient() && job.benchmark() == Benchmark.FIXED_RATE;
        return new Trips(timed ? timetable(job, connection) : null);
    }

    /** The times at which the round trips of a connection begin, at a fixed rate. */
    static Timetable timetable(Job job, int connection) {
        return new Timetable(System::nanoTime, job.point().rate(), connection, job.connections(), job.iterations());
    }

    boolean isTimed() {
        return timetable != null;
    }

    Timetable timetable() {
        return timetable;
    }

    void start(long nanos) {
        if (isTimed()) {
            timetable.start(nanos);
        }
        began = nanos;
        last = nanos;
    }

    /** Notes that a round trip has returned, and the next one begins. */
    void stamp() {
        long now = System.nanoTime();
        histogram.recordValue(now - last);
        last = now;
    }

    private Measured measured() {
        if (isTimed()) {
            return Measured.trips(timetable);
        }
        Distribution times = Distribution.of(histogram);
        return Measured.times(times, (last - began) / MICROS / times.count(), 2);
    }

    /** What all connections of an end have measured, from its first message to its last. */
    static Measured together(Job job, List<Trips> connections, long nanos) {
        if (job.benchmark().isRoundTrip()) {
            List<Measured> each = connections.stream().map(Trips::measured).toList();
            return job.benchmark() == Benchmark.FIXED_RATE ? Measured.tripsTogether(each) : Measured.together(each);
        }
        long messages = job.iterations() * job.connections() * (job.benchmark() == Benchmark.BOTH_WAYS ? 2 : 1);
        return Measured.rate(messages / (nanos / 1e9), messages);
    }
}
