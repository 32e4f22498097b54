// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import dev.isthmus.perf.tools.PerftestException;
import java.time.Duration;

/**
 * The channel by which the two ends of a test exchange addresses and wait for each other. Their protocol has one move:
 * both ends send a message of the same length, the client first. Belongs to a thread; every wait has a limit.
 */
interface OutOfBandChannel extends AutoCloseable {

    /** How long a peer may take over one message; it may first have to fill and register 16 MiB of memory. */
    Duration DEFAULT_DEADLINE = Duration.ofSeconds(20);

    /** Whether this is the client's end, which writes first. */
    boolean isClient();

    /** The other end, for messages. */
    String peer();

    /** How long the peer may take over one message if it has nothing to do before. */
    Duration deadline();

    /** An exchange within the deadline. */
    default byte[] exchange(byte[] mine) throws PerftestException {
        return exchange(mine, deadline());
    }

    /**
     * Sends a message and receives the peer's of the same length, or the other way round, without looking at
     * the content.
     */
    default byte[] exchange(byte[] mine, Duration patience) throws PerftestException {
        if (isClient()) {
            write(mine);
            return read(mine.length, patience);
        }
        byte[] theirs = read(mine.length, patience);
        write(mine);
        return theirs;
    }

    /** Sends a message. */
    void write(byte[] message) throws PerftestException;

    /** Receives a message of that length. */
    byte[] read(int length, Duration patience) throws PerftestException;

    /** Exchanges the addresses of queue pairs, in the format that this kind of channel has for them. */
    PerftestDestination exchange(PerftestDestination mine, Duration patience) throws PerftestException;

    /** Sends perftest's last message, if this kind of channel has one; the peer does not answer. */
    void sendDone();

    /**
     * Ends this side's half, and waits until the peer has ended its own, or the time is up. Until then the peer may
     * send requests that this end's device must acknowledge.
     */
    void awaitPeerEnd(Duration patience);

    /** A failure that says what the peer did wrong. */
    default PerftestException broken(IllegalArgumentException cause) {
        return new PerftestException(
                "the peer at " + peer() + " does not speak perftest's protocol: " + cause.getMessage(), cause);
    }

    @Override
    void close();
}
