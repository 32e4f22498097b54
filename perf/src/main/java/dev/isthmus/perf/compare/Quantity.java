// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.compare;

import java.util.List;
import java.util.Optional;

/** The figure of a point that a curve or a column shows. */
enum Quantity {
    AVERAGE("average time", "µs"),
    P999("99.9 % stayed below", "µs"),
    /** The same, of all operations, whatever the way. */
    P999_OF_ALL("99.9 % stayed below", "µs"),
    /** For a curve over percentiles, which belongs to a single point. */
    TIME("time of an operation", "µs"),
    MESSAGES("messages", "messages/s"),
    MEGABYTES("throughput", "MB/s"),
    OVERHEAD("protocol overhead", "bytes/message"),
    PROCESSOR("processor time of both ends", "µs/message"),
    OFFERED("rate that is to be kept", "round trips/s");

    /** The mark after the name of a way whose percentiles are of the last messages only. */
    static final String LAST_MESSAGES = " †";

    /** What that mark means. */
    static final String LAST_MESSAGES_NOTE = LAST_MESSAGES.strip()
            + " of the last 2048 messages of a run, its rank rounded down, as ucx_perftest prints it; the others are of all"
            + " messages, their rank rounded up.";

    private static final double MEGABYTE = 1e6;

    private final String title;
    private final String unit;

    Quantity(String title, String unit) {
        this.title = title;
        this.unit = unit;
    }

    String title() {
        return title;
    }

    String unit() {
        return unit;
    }

    /** The times that a benchmark has: at a fixed rate the ends keep all of them. */
    static List<Quantity> times(Benchmark benchmark) {
        return List.of(AVERAGE, benchmark == Benchmark.FIXED_RATE ? P999_OF_ALL : P999);
    }

    /** Whether some of the percentiles are of the last messages only. */
    static boolean isMixed(List<Summary> summaries) {
        return summaries.stream()
                .anyMatch(each -> each.point().way().isOfLastMessages()
                        && each.point().benchmark() != Benchmark.FIXED_RATE
                        && each.p999Micros().isPresent());
    }

    /** The figure of a point, if it was measured. */
    Optional<Spread> of(Summary summary) {
        return switch (this) {
            case AVERAGE -> summary.averageMicros();
            case P999, P999_OF_ALL -> summary.p999Micros();
            case MESSAGES -> Optional.of(summary.messagesPerSecond());
            case MEGABYTES -> Optional.of(summary.bytesPerSecond().dividedBy(MEGABYTE));
            case TIME -> Optional.empty();
            case PROCESSOR -> summary.processorMicrosPerMessage();
            case OFFERED -> summary.offeredPerSecond();
            case OVERHEAD -> summary.overheadBytesPerMessage();
        };
    }
}
