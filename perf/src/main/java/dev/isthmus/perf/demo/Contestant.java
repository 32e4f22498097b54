// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.demo;

import java.io.IOException;
import java.time.Duration;

/** One side of a {@link Duel}: it can run a ping-pong between two processes repeatedly. */
public interface Contestant extends AutoCloseable {

    /**
     * Runs one ping-pong.
     *
     * @param bytes the size of a message
     * @param iterations how many messages each end sends
     * @return what it took
     * @throws IOException if it failed, with one line that says why
     * @throws InterruptedException if the demo is to stop
     */
    Latency round(int bytes, int iterations) throws IOException, InterruptedException;

    /** Ends the processes that it keeps between rounds, if it does. */
    @Override
    default void close() {}

    /** How long a C tool may take for a round: a message takes less than a millisecond wherever this runs. */
    static Duration limit(int iterations) {
        return Duration.ofMinutes(1).plusMillis(iterations);
    }
}
