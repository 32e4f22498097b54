// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import java.util.Locale;

/** The tests of the family. */
public enum PerfTest {
    /** {@code ib_send_lat}. */
    SEND_LAT(Verb.SEND, false),

    /** {@code ib_write_lat}. */
    WRITE_LAT(Verb.WRITE, false),

    /** {@code ib_read_lat}. */
    READ_LAT(Verb.READ, false),

    /** {@code ib_atomic_lat}. */
    ATOMIC_LAT(Verb.ATOMIC, false),

    /** {@code ib_send_bw}. */
    SEND_BW(Verb.SEND, true),

    /** {@code ib_write_bw}. */
    WRITE_BW(Verb.WRITE, true),

    /** {@code ib_read_bw}. */
    READ_BW(Verb.READ, true),

    /** {@code ib_atomic_bw}. */
    ATOMIC_BW(Verb.ATOMIC, true);

    private final Verb verb;
    private final boolean bandwidth;

    PerfTest(Verb verb, boolean bandwidth) {
        this.verb = verb;
        this.bandwidth = bandwidth;
    }

    /** What it does. */
    public Verb verb() {
        return verb;
    }

    /** Whether it measures bandwidth; otherwise latency. */
    public boolean isBandwidth() {
        return bandwidth;
    }

    /** Our command, such as {@code send_lat}. */
    public String command() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** perftest's program, such as {@code ib_send_lat}. */
    public String program() {
        return "ib_" + command();
    }
}
