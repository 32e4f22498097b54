// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/**
 * What one run of a point measured. Of a latency benchmark {@code averageMicros} is the time of an operation or of a
 * whole round trip; of a throughput benchmark the rates count, and times may be absent.
 *
 * @param round the number of the run of this point, from 1
 * @param averageMicros mean time of an operation in microseconds
 * @param p999Micros the time in microseconds that 99.9 % of the operations stayed below
 * @param messagesPerSecond messages of all connections and directions together
 * @param bytesPerSecond payload of all connections and directions together
 * @param overheadBytesPerMessage bytes on the wire beyond the payload, by the port's counters where the device counts
 * @param overlap the part of the time in which all connections were measuring, where each had programs of its own
 * @param steady whether its programs were steady before it began, as those in C are that are new each time
 * @param processorMicrosPerMessage of both ends together, program and kernel
 * @param offeredPerSecond how many round trips were to begin in a second, where the rate was fixed
 * @param times those of all operations, where they are known
 * @param command the command that repeats this run, both ends
 * @param jvmFlags what the JVMs of the ends were told, both the same; empty for programs in C
 */
@JsonPropertyOrder({"point", "round", "steady", "behind", "doubtful", "command", "jvmFlags"})
record Run(
        @JsonUnwrapped Point point,
        int round,
        OptionalDouble averageMicros,
        OptionalDouble medianMicros,
        OptionalDouble p999Micros,
        double messagesPerSecond,
        double bytesPerSecond,
        OptionalDouble overheadBytesPerMessage,
        OptionalDouble overlap,
        boolean steady,
        OptionalDouble processorMicrosPerMessage,
        OptionalDouble offeredPerSecond,
        Optional<Distribution> times,
        String command,
        List<String> jvmFlags) {

    Run {
        jvmFlags = List.copyOf(jvmFlags);
    }

    /** Below this, the rates of a run's connections are not what they would be together. */
    static final double LEAST_OVERLAP = 0.8;

    /** The fraction of its rate that it must reach; below that, it counts as behind. */
    private static final double LEAST_RATE = 0.995;

    /** Throws an {@link IllegalArgumentException} if a time or a rate is negative, or a figure is not a number. */
    void requireFigures() {
        boolean right = Stream.of(averageMicros, medianMicros, p999Micros, processorMicrosPerMessage, offeredPerSecond)
                        .allMatch(figure -> isFigure(figure.orElse(0)))
                && isFigure(messagesPerSecond)
                && isFigure(bytesPerSecond)
                && Double.isFinite(overheadBytesPerMessage.orElse(0));
        if (!right) {
            throw new IllegalArgumentException("negative, or not a number: " + this);
        }
    }

    private static boolean isFigure(double value) {
        return value >= 0 && value < Double.POSITIVE_INFINITY;
    }

    /** Whether it could not keep up with its rate. Then it has no times. */
    @JsonProperty("behind")
    boolean isBehind() {
        return offeredPerSecond.isPresent() && isBehind(messagesPerSecond, offeredPerSecond.getAsDouble());
    }

    /** Whether this many messages, two for each round trip, fall short of the round trips that should have begun. */
    static boolean isBehind(double messagesPerSecond, double offeredPerSecond) {
        return messagesPerSecond < 2 * LEAST_RATE * offeredPerSecond;
    }

    /** Whether its figures should be taken with a grain of salt. */
    @JsonProperty("doubtful")
    boolean isDoubtful() {
        return !steady || isApart() || isBehind();
    }

    /** What percentages of the operations did not exceed, in microseconds; for programs that read no histogram. */
    @JsonProperty("percentiles")
    Optional<Map<String, Double>> percentiles() {
        return times.map(Distribution::percentiles);
    }

    /** Whether its connections mostly measured at different times. */
    boolean isApart() {
        return overlap.orElse(1) < LEAST_OVERLAP;
    }
}
