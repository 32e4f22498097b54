// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.ReceiveRequest;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The receiving half of a stream: the ring that the peer writes to, half by half, and the receives for its messages.
 * Guarded by the stream's lock.
 *
 * <p>What has arrived is copied, or lent where it is. While the program keeps something of a half, another block is
 * granted in its place, as rsocket lets each grant name any memory: so what a program keeps never holds the peer up.
 */
final class ReceiveSide {

    /** How many more receives are posted than the peer may use: receives are reposted in chains of this length. */
    static final int SPARE = 32;

    /** How many blocks a peer has that fills one while the other is read. */
    private static final int RING_BLOCKS = 2;

    private static final int MAX_BLOCKS = 32;

    private final QueuePair queuePair;
    private final int half;
    private final int credits;
    private final ReceiveRequest[] chain;
    private final boolean numbered; // each receive has a place of its own
    private final ReceiveRequest single;
    private final Memory memory;

    private ReceiveBlock reading; // null if it has read all that is granted
    private ReceiveBlock next; // is granted, too; null if it is not
    private int at; // the position of the next byte to read
    private int available;
    private long granted; // bytes, in total
    private long received;
    private final ReceiveBlock[] free = new ReceiveBlock[MAX_BLOCKS]; // that can be granted
    private int freeCount;
    private int blocks = RING_BLOCKS;
    private int kept; // blocks that are read, and of which something is lent
    private boolean isFull; // no more memory can be registered
    private int used; // receives that wait to be posted again

    ReceiveSide(QueuePair queuePair, Wire wire, Memory memory, StreamOptions options) {
        this.queuePair = queuePair;
        this.memory = memory;
        this.half = options.receiveBuffer() / RING_BLOCKS;
        this.credits = options.receiveQueue();
        this.granted = half;
        ByteBuffer ring = memory.inBytes();
        this.reading = new ReceiveBlock(memory.in(), ring, 0);
        reading.hold();
        this.free[freeCount++] = new ReceiveBlock(memory.in(), ring, half);
        this.numbered = wire.hasPlaces();
        this.single = wire.receive(0);
        this.chain = new ReceiveRequest[SPARE];
        for (int i = SPARE - 1; i >= 0; i--) {
            chain[i] = wire.receive(0).wrId(Stream.RECEIVE);
            chain[i].next(i == SPARE - 1 ? null : chain[i + 1]);
        }
    }

    void shareUnder(ReentrantLock lock) {
        single.shareUnder(lock);
        for (ReceiveRequest receive : chain) {
            receive.shareUnder(lock);
        }
    }

    /** Posts the first receives. */
    void begin() throws ProtocolException {
        int first = 0;
        while (!numbered && first <= credits) {
            postChain();
            first += SPARE;
        }
        for (int i = first; i < credits + SPARE; i++) {
            post(i);
        }
    }

    private void postChain() throws ProtocolException {
        if (queuePair.tryPostChain(chain[0]) != null) {
            throw new ProtocolException("the receive queue is full, though it should have room");
        }
    }

    private void post(int number) throws ProtocolException {
        single.wrId(Stream.RECEIVE | number);
        if (numbered) {
            single.range(memory.receivedOffset(number), memory.messageBytes());
        }
        if (!queuePair.tryPost(single)) {
            throw new ProtocolException("the receive queue is full, though it should have room");
        }
    }

    /** A receive has completed, and can be posted again. */
    void used(long number) throws ProtocolException {
        if (numbered) {
            post((int) (number & Integer.MAX_VALUE));
        } else if (++used == SPARE) {
            used = 0;
            postChain();
        }
    }

    /** The peer has written. */
    void data(int length) throws ProtocolException {
        if (length == 0 || length > granted - received) {
            throw new ProtocolException(
                    "the peer wrote " + length + " bytes, but had room for " + (granted - received));
        }
        received += length;
        available += length;
    }

    /** How many bytes can be read. */
    int available() {
        return available;
    }

    /** Reads as many bytes as there are and the buffer has room for; returns how many. */
    int receive(ByteBuffer into) {
        int length = Math.min(into.remaining(), available);
        copy(0, into, length);
        into.position(into.position() + length);
        took(length);
        return length;
    }

    /**
     * Reads as many bytes as there are and the buffers have room for; returns how many. If one of the buffers cannot be
     * written to, nothing is read.
     */
    int receive(ByteBuffer[] into, int offset, int count) {
        int length = 0;
        for (int i = offset; i < offset + count && length < available; i++) {
            int part = Math.min(into[i].remaining(), available - length);
            copy(length, into[i], part);
            length += part;
        }
        int left = length;
        for (int i = offset; left > 0 && i < offset + count; i++) {
            int part = Math.min(into[i].remaining(), left);
            into[i].position(into[i].position() + part);
            left -= part;
        }
        took(length);
        return length;
    }

    /** Copies bytes that come so far behind the next one. */
    private void copy(int behind, ByteBuffer into, int length) {
        int position = into.position();
        int from = at + behind;
        int first = Math.clamp(half - (long) from, 0, length);
        if (first > 0) {
            into.put(position, reading.bytes(), reading.start() + from, first);
        }
        if (first < length) {
            into.put(position + first, next.bytes(), next.start() + from + first - half, length - first);
        }
    }

    private void took(int length) {
        available -= length;
        at += length;
        while (at >= half) {
            at -= half;
            pass();
        }
    }

    private void pass() {
        if (reading.letGo()) {
            free[freeCount++] = reading;
        } else {
            kept++;
        }
        reading = next;
        next = null;
    }

    /**
     * Lends bytes that are there, up to the end of their block.
     *
     * @param bound how many bytes the program may keep
     * @return how many; 0 if the program keeps so much that they must be copied
     */
    int lend(Loan loan, Stream by, int most, long bound) {
        if (blocks < kept + RING_BLOCKS && bound > 0) {
            grow();
        }
        if (blocks < kept + RING_BLOCKS || (long) kept * half >= bound) {
            return 0;
        }
        int length = Math.min(Math.min(most, available), half - at);
        reading.hold();
        loan.begin(by, reading, at);
        took(length);
        return length;
    }

    /** Adds a block in the place of one that the program keeps. */
    private void grow() {
        if (isFull || blocks == MAX_BLOCKS) {
            return;
        }
        ReceiveBlock made = memory.allocateBlock(half);
        if (made == null) {
            isFull = true;
        } else {
            blocks++;
            free[freeCount++] = made;
        }
    }

    /** The last loan from a block that was read has ended. */
    void returned(ReceiveBlock block) {
        kept--;
        free[freeCount++] = block;
    }

    /** Whether the program keeps something of a block that was read. */
    boolean isKept() {
        return kept > 0;
    }

    /** Nothing will be read any more. */
    void end() {
        if (reading != null) {
            pass();
        }
    }

    /** Drops the unread bytes. */
    void drop() {
        took(available);
    }

    /** The length of the blocks that are granted. */
    int blockBytes() {
        return half;
    }

    /** The block that is granted first. */
    ReceiveBlock firstBlock() {
        return reading;
    }

    /** Whether there is a block that can be granted. */
    boolean hasBlock() {
        return next == null && freeCount > 0;
    }

    /** Whether the peer has written all that it was granted. */
    boolean isFilled() {
        return received == granted;
    }

    /** Takes a block that is granted from now on. */
    ReceiveBlock nextBlock() {
        ReceiveBlock block = free[--freeCount];
        block.hold();
        if (reading == null) {
            reading = block;
        } else {
            next = block;
        }
        granted += half;
        return block;
    }

    String state() {
        return available + " bytes to read, the peer may send " + (granted - received) + " bytes, " + kept + " of "
                + blocks + " blocks are lent";
    }
}
