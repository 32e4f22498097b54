// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import java.util.Locale;

/** The tests of the family. */
public enum PerfTest {
    SEND_LAT(Verb.SEND, false),
    WRITE_LAT(Verb.WRITE, false),
    READ_LAT(Verb.READ, false),
    ATOMIC_LAT(Verb.ATOMIC, false),
    SEND_BW(Verb.SEND, true),
    WRITE_BW(Verb.WRITE, true),
    READ_BW(Verb.READ, true),
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
