// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/**
 * What is measured of a way to communicate: the benchmarks by which papers on JVM networking compare, and a fixed rate.
 */
enum Benchmark {
    /** One end sends as fast as it can, its queue kept full, and the other receives. */
    ONE_WAY,
    /** Both ends send and receive as fast as they can. */
    BOTH_WAYS,
    /** One end writes to or reads from the other's memory, and waits for each operation's completion. */
    ONE_SIDED,
    /** A message goes there and one of the same size comes back; the time is that of the whole round trip. */
    PING_PONG,
    /**
     * Round trips that begin at fixed times, however long the earlier ones take, like the requests of many users. The
     * time of each counts from when it should have begun.
     */
    FIXED_RATE;

    /** The name in options and files. */
    @JsonValue
    String id() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Whether messages and bytes per second count, rather than the time of an operation. */
    boolean isThroughput() {
        return this == ONE_WAY || this == BOTH_WAYS;
    }

    /** Whether each message is answered by one of the same size. */
    boolean isRoundTrip() {
        return this == PING_PONG || this == FIXED_RATE;
    }
}
