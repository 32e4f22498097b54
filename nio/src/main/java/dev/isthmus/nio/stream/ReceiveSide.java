// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.isthmus.verbs.MemoryRegion;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.WorkCompletions;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The receiving half of a stream: the ring that the peer writes to, the half that is granted next, and how many
 * messages the peer may send. Guarded by the stream's lock.
 *
 * <p>rsocket keeps the length of each message until it is read, so the number of unread messages is limited. This class
 * only counts bytes, and is done with a message as soon as it has arrived.
 */
final class ReceiveSide {

    /** How many more receives are posted than the peer may use: receives are reposted in chains of this length. */
    static final int SPARE = 32;

    private static final int SEQUENCE_MASK = 0xffff;

    private final QueuePair queuePair;
    private final ByteBuffer ring;
    private final int ringBytes;
    private final int half;
    private final MemoryRegion region;
    private final int credits;
    private final ReceiveRequest[] chain;
    private final boolean numbered; // each receive has a place of its own
    private final ReceiveRequest single;
    private final Memory memory;

    private int at; // the position of the next byte to read
    private int available;
    private long granted; // bytes, in total
    private long received;
    private int free; // bytes that are not granted
    private int nextGrant;
    private long messages; // with data
    private long messagesGranted;
    private int used; // receives that wait to be posted again

    ReceiveSide(QueuePair queuePair, Wire wire, Memory memory, StreamOptions options) {
        this.queuePair = queuePair;
        this.memory = memory;
        this.ring = memory.inBytes();
        this.ringBytes = options.receiveBuffer();
        this.half = ringBytes / 2;
        this.region = memory.in();
        this.credits = options.receiveQueue();
        this.granted = half;
        this.free = half;
        this.nextGrant = half;
        this.messagesGranted = credits;
        this.numbered = wire.requestsPerWrite() > 1;
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
            single.range(memory.receivedOffset(number), Memory.MESSAGE_BYTES);
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

    /** The message of a completed receive. */
    int message(WorkCompletions done, int i) throws ProtocolException {
        if (numbered ? done.byteLength(i) != Memory.MESSAGE_BYTES : !done.hasImmediate(i)) {
            throw new ProtocolException("the peer sent " + done.byteLength(i) + " bytes that are not a message");
        }
        return numbered
                ? memory.in().segment().get(JAVA_INT, memory.receivedOffset((int) (done.wrId(i) & Integer.MAX_VALUE)))
                : done.immediate(i);
    }

    /** The peer has written. */
    void data(int length) throws ProtocolException {
        if (length == 0 || length > granted - received) {
            throw new ProtocolException(
                    "the peer wrote " + length + " bytes, but had room for " + (granted - received));
        }
        counted();
        received += length;
        available += length;
    }

    /** Counts a message against the peer's credits. */
    void counted() throws ProtocolException {
        if (messages == messagesGranted) {
            throw new ProtocolException("the peer sent more messages than it had credits for");
        }
        messages++;
    }

    /** How many bytes can be read. */
    int available() {
        return available;
    }

    /** Reads as many bytes as there are and the buffer has room for; returns how many. */
    int receive(ByteBuffer into) {
        int length = Math.min(into.remaining(), available);
        copy(at, into, length);
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
            copy((at + length) % ringBytes, into[i], part);
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

    private void copy(int from, ByteBuffer into, int length) {
        int position = into.position();
        int first = Math.min(length, ringBytes - from);
        into.put(position, ring, from, first);
        if (first < length) {
            into.put(position + first, ring, 0, length - first);
        }
    }

    private void took(int length) {
        at += length;
        if (at >= ringBytes) {
            at -= ringBytes;
        }
        available -= length;
        free += length;
    }

    /** Drops the unread bytes. */
    void drop() {
        took(available);
    }

    /** Whether it is worth a message to let the peer send more. */
    boolean isGrantDue() {
        return free >= half || messages - (messagesGranted - credits) >= credits / 2;
    }

    /** Lets the peer send more, if that is due and there is room for a control message. */
    void grant(SendSide sends) throws ProtocolException {
        while (isGrantDue() && sends.hasControls(free >= half ? sends.requestsToGrant() : 1)) {
            messagesGranted = messages + credits;
            int message = Message.of(Message.CREDITS, (int) (messagesGranted & SEQUENCE_MASK));
            if (free >= half) {
                sends.grant(region.address() + nextGrant, region.rkey(), half, message);
                free -= half;
                granted += half;
                nextGrant = nextGrant == 0 ? half : 0;
            } else {
                sends.sendControl(message);
            }
        }
    }

    String state() {
        return available + " bytes to read, the peer may send " + (granted - received) + " bytes and "
                + (messagesGranted - messages) + " messages";
    }

    /** The private data that this side sends in the handshake. */
    ConnectionData connectionData() {
        return new ConnectionData(
                ConnectionData.isBigEndian(),
                credits,
                memory.iomapSize(),
                memory.in().address() + ringBytes,
                region.rkey(),
                region.address(),
                region.rkey(),
                half);
    }
}
