// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Sends messages to one peer, from memory that all peers share. Messages wait their turn if there is no room. Blocks
 * leave part of the peer's share to its other messages. Confined to the transport's thread.
 */
final class Outbox implements SharedPool.SliceWaiter {

    /** A peer with this many waiting messages accepts none, and is given up. */
    static final int MAX_WAITING = 10_000;

    private static final int MESSAGES = 1;
    private static final int BLOCKS = 2; // half the share of other messages

    private final Peer peer;
    private final SharedPool pool;
    private final Deque<PeerMessage> waiting = new ArrayDeque<>();
    private int underWay;
    private long ended;

    Outbox(SharedPool pool, Peer peer) {
        this.pool = pool;
        this.peer = peer;
    }

    /** Sends a message as soon as there is memory for it. */
    void send(PeerMessage message) {
        if (peer.isGone() || (waiting.isEmpty() && trySend(message)) || peer.isGone()) {
            return;
        }
        if (waiting.size() == MAX_WAITING) {
            peer.fail("it accepts none of the " + MAX_WAITING + " messages that wait for it");
            return;
        }
        waiting.add(message);
        pool.waitFor(this);
    }

    private boolean trySend(PeerMessage message) {
        long slice = tryAcquire(MESSAGES);
        if (slice == 0) {
            return false;
        }
        send(slice, PeerMessage.write(message, peer.header(), buffer(slice)));
        return true;
    }

    /** Memory for a message with blocks, which the caller writes; 0 if there is none now, or if others wait. */
    long tryAcquireForBlocks() {
        return waiting.isEmpty() ? tryAcquire(BLOCKS) : 0;
    }

    /** Gives up the peer if there is no memory at all. */
    private long tryAcquire(int share) {
        long slice = pool.tryAcquire(underWay, share);
        if (slice != 0) {
            underWay++;
        } else if (pool.isUnused()) { // nobody holds one that could be released
            peer.fail("there is no memory for messages");
        }
        return slice;
    }

    /** Whether messages wait for memory. */
    boolean isFull() {
        return !waiting.isEmpty();
    }

    /** How many messages are under way, or being written. */
    int underWay() {
        return underWay;
    }

    /** How many messages have left, or failed, so far. */
    long ended() {
        return ended;
    }

    ByteBuffer buffer(long slice) {
        return pool.segment(slice).asByteBuffer();
    }

    /** Sends a written slice, and releases it afterwards. */
    void send(long slice, ByteBuffer written) {
        if (peer.isGone()) {
            release(slice);
            return;
        }
        var _ = peer.send(written, pool.segment(slice)).whenComplete((_, failure) -> {
            ended++;
            release(slice);
            if (failure != null) {
                peer.lose("a send failed: " + failure.getMessage());
            }
        });
    }

    /** Releases a slice without sending it. */
    void release(long slice) {
        underWay--;
        pool.release(slice);
    }

    /** There may be memory for the waiting messages. */
    @Override
    public void pump() {
        while (!waiting.isEmpty() && trySend(waiting.peek())) {
            waiting.poll(); // null if that send has failed, which ends everything
        }
        if (!waiting.isEmpty()) {
            pool.waitFor(this);
        } else if (!peer.isGone()) {
            peer.serving().pump();
        }
    }

    /** The peer is gone. */
    void end() {
        waiting.clear();
        pool.remove(this);
    }
}
