package dev.isthmus.perf.compare;

import java.util.Optional;

/** What a curve or a column shows of a point. */
enum Quantity {
    AVERAGE("average time", "µs"),
    P999("99.9 % stayed below", "µs"),
    MESSAGES("messages", "messages/s"),
    MEGABYTES("throughput", "MB/s"),
    OVERHEAD("protocol overhead", "bytes/message");

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

    /** It, where it was measured. */
    Optional<Spread> of(Summary summary) {
        return switch (this) {
            case AVERAGE -> summary.averageMicros();
            case P999 -> summary.p999Micros();
            case MESSAGES -> Optional.of(summary.messagesPerSecond());
            case MEGABYTES -> Optional.of(summary.bytesPerSecond().dividedBy(MEGABYTE));
            case OVERHEAD -> summary.overheadBytesPerMessage();
        };
    }
}
