// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import java.util.List;
import java.util.Optional;

/** Is notified of a test's progress and results, in the order of the methods. Each does nothing unless overridden. */
public interface Observer {

    /** The server listens: clients can connect from now on. */
    default void waiting() {}

    /**
     * Both ends know each other.
     *
     * @param plan the test
     * @param setup what this end's device has for it
     * @param terms what the ends agreed on
     * @param mine this end's queue pairs
     * @param theirs the other end's
     */
    default void connected(
            Plan plan,
            Setup setup,
            PerftestSession.Terms terms,
            List<PerftestDestination> mine,
            List<PerftestDestination> theirs) {}

    /** Figures will follow. */
    default void columns() {}

    /**
     * A latency run with a number of messages.
     *
     * @param bytes the size of a message
     * @param posted when each was posted, nanoseconds
     */
    default void latency(int bytes, long[] posted) {}

    /**
     * A latency run with a duration.
     *
     * @param bytes the size of a message
     * @param count how many there were while it was measured
     * @param nanos how long that was
     */
    default void timedLatency(int bytes, long count, long nanos) {}

    /**
     * A bandwidth run.
     *
     * @param mine what was measured here, or by the peer in tests where this end has nothing to do
     * @param theirs in a bidirectional test what the peer measured
     */
    default void bandwidth(Bandwidth mine, Optional<Bandwidth> theirs) {}

    /** All went well. */
    default void finished() {}
}
