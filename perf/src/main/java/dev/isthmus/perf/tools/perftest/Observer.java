// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import java.util.List;
import java.util.Optional;

/** Is notified of a test's progress and results, in the order of the methods. Each does nothing unless overridden. */
public interface Observer {

    /** The server listens: clients can connect from now on. */
    default void waiting() {}

    /** Both ends know each other, by their queue pairs. */
    default void connected(
            Plan plan,
            Setup setup,
            PerftestSession.Terms terms,
            List<PerftestDestination> mine,
            List<PerftestDestination> theirs) {}

    /** Figures will follow. */
    default void columns() {}

    /** A latency run with a number of messages, and when each was posted, nanoseconds. */
    default void latency(int bytes, long[] posted) {}

    /** A latency run with a duration: how many messages there were while it was measured, and how long that was. */
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
