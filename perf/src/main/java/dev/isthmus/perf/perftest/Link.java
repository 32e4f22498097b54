// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.perftest;

import java.time.Duration;

/**
 * How the two ends of a test talk, and the one move that their protocol knows: both ends send a message of the same
 * length, the client first. Belongs to a thread; every wait has an end.
 */
interface Link extends AutoCloseable {

    /** How long a peer may take over one message; it may have 16 MiB of memory to fill and to register before. */
    Duration DEFAULT_DEADLINE = Duration.ofSeconds(20);

    /** Whether this is the client's end, which writes first. */
    boolean isClient();

    /** The other end, for messages. */
    String peer();

    /** How long the peer may take over one message, where it has nothing to do before. */
    Duration deadline();

    /** An exchange within the deadline. */
    default byte[] exchange(byte[] mine) throws PerftestException {
        return exchange(mine, deadline());
    }

    /** Sends a message and receives the peer's of the same length, or the other way round; nothing is looked at yet. */
    byte[] exchange(byte[] mine, Duration patience) throws PerftestException;

    /** The same with a queue pair's address, in the format that this kind of link has for it. */
    PerftestDestination exchange(PerftestDestination mine, Duration patience) throws PerftestException;

    /** Says that all is over, where there is a way to; nobody answers. */
    void goodbye();

    /**
     * Says that this end has finished, and waits until the peer has, or the time is over. Until then the peer may send what
     * this end's device must acknowledge.
     */
    void leave(Duration patience);

    /** A failure that says what the peer did wrong. */
    default PerftestException broken(IllegalArgumentException cause) {
        return new PerftestException(
                "the peer at " + peer() + " does not speak perftest's protocol: " + cause.getMessage(), cause);
    }

    @Override
    void close();
}
