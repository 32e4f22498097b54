// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import dev.isthmus.perf.tools.PerftestException;
import java.time.Duration;

/**
 * The channel by which the two ends of a test exchange addresses and wait for each other. Their protocol has one move:
 * both ends send a message of the same length, the client first. Belongs to a thread; every wait has a limit.
 */
abstract class OutOfBandChannel implements AutoCloseable {

    /** How long a peer may take over one message; it may first have to fill and register 16 MiB of memory. */
    static final Duration DEFAULT_DEADLINE = Duration.ofSeconds(20);

    /** The other end, for messages. */
    final String peer;

    /** How long the peer may take over one message if it has nothing to do before. */
    final Duration deadline;

    private final boolean client;

    OutOfBandChannel(boolean client, String peer, Duration deadline) {
        this.client = client;
        this.peer = peer;
        this.deadline = deadline;
    }

    /** An exchange within the deadline. */
    final byte[] exchange(byte[] mine) throws PerftestException {
        return exchange(mine, deadline);
    }

    /** Sends a message and receives the peer's of the same length, without looking at the content. */
    private byte[] exchange(byte[] mine, Duration patience) throws PerftestException {
        if (client) {
            write(mine);
            return read(mine.length, patience);
        }
        byte[] theirs = read(mine.length, patience);
        write(mine);
        return theirs;
    }

    /** Exchanges the addresses of queue pairs. */
    final PerftestDestination exchange(PerftestDestination mine, Duration patience) throws PerftestException {
        byte[] theirs = exchange(encode(mine), patience);
        try {
            return decode(theirs, mine.gid().isPresent());
        } catch (IllegalArgumentException e) {
            throw broken(e);
        }
    }

    /** A queue pair's address in the format that this kind of channel has. */
    abstract byte[] encode(PerftestDestination mine);

    /** The peer's; both ends have a GID, or none. */
    abstract PerftestDestination decode(byte[] theirs, boolean withGid);

    abstract void write(byte[] message) throws PerftestException;

    /** Receives a message of that length. */
    abstract byte[] read(int length, Duration patience) throws PerftestException;

    /** Sends perftest's last message, if this kind of channel has one; the peer does not answer. */
    void sendDone() {}

    /**
     * Ends this side's half, if there are halves, and waits until the peer has ended its own, or the time is up. Until
     * then the peer may send requests that this end's device must acknowledge.
     */
    void awaitPeerEnd(Duration patience) {}

    /** A failure that says what the peer did wrong. */
    final PerftestException broken(IllegalArgumentException cause) {
        return new PerftestException(
                "the peer at " + peer + " does not speak perftest's protocol: " + cause.getMessage(), cause);
    }

    @Override
    public abstract void close();
}
