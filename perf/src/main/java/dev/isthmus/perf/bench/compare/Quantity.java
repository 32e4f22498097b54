// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.stream.DoubleStream;

/** What a run measures, in the order of the columns of results.csv. */
enum Quantity {
    AVERAGE("average_usec", Run::averageMicros, "average time, µs"),
    MEDIAN("median_usec", Run::medianMicros, "median time, µs"),
    P999("p999_usec", Run::p999Micros, "99.9 % stayed below, µs"),
    MESSAGES("messages_per_second", run -> OptionalDouble.of(run.messagesPerSecond()), "messages/s"),
    BYTES("bytes_per_second", run -> OptionalDouble.of(run.bytesPerSecond()), "throughput, MB/s"),
    OVERHEAD("overhead_bytes_per_message", Run::overheadBytesPerMessage, "protocol overhead, bytes/message"),
    OVERLAP("overlap", Run::overlap, "overlap"),
    PROCESSOR("processor_usec_per_message", Run::processorMicrosPerMessage, "processor time of both ends, µs/message"),
    OFFERED("offered_per_second", Run::offeredPerSecond, "rate that is to be kept, round trips/s");

    private final String column;

    @SuppressWarnings("ImmutableEnumChecker") // all of them are functions without state
    private final Function<Run, OptionalDouble> figure;

    private final String title;

    Quantity(String column, Function<Run, OptionalDouble> figure, String title) {
        this.column = column;
        this.figure = figure;
        this.title = title;
    }

    /** Its name in files. */
    String column() {
        return column;
    }

    /** Its name above a table, with the unit there. */
    String title() {
        return title;
    }

    /** The figure of a point, if it was measured. */
    Optional<Spread> of(Summary summary) {
        return Spread.of(summary.runs().stream()
                .map(figure)
                .flatMapToDouble(
                        value -> value.isPresent() ? DoubleStream.of(value.getAsDouble()) : DoubleStream.empty())
                .toArray());
    }
}
