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
 * What a stream receives: the ring that the peer writes to, the half of it that is granted next, and how many messages the
 * peer may send. Guarded by the stream's lock.
 *
 * <p>rsocket keeps the length of each message until it is read, and takes no more messages than there is room for that. Here
 * bytes are counted, and a message is done with when it has come.
 */
final class ReceiveSide {

    /** So many receives are posted more than the peer was told of: they are posted again in chains of this length. */
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

    private int at; // of the next byte to be read
    private int available;
    private long granted; // bytes, since the beginning
    private long received;
    private int free; // bytes, that are not granted
    private int nextGrant;
    private long messages; // with data
    private long messagesGranted;
    private int used; // receives, that are to be posted again

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
        for (int i = 0; i < credits + SPARE; i++) {
            post(i);
        }
    }

    private void post(int number) throws ProtocolException {
        single.wrId(Stream.RECEIVE | number);
        if (numbered) {
            single.range(memory.receivedOffset(number), Memory.MESSAGE_BYTES);
        }
        if (!queuePair.tryPost(single)) {
            throw new ProtocolException("the receive queue is full before it can be");
        }
    }

    /** A receive has completed, and can be posted again. */
    void used(long number) throws ProtocolException {
        if (numbered) {
            post((int) (number & Integer.MAX_VALUE));
        } else if (++used == SPARE) {
            used = 0;
            if (queuePair.tryPostChain(chain[0]) != null) {
                throw new ProtocolException("the receive queue is full before it can be");
            }
        }
    }

    /** The message that a receive got. */
    int message(WorkCompletions done, int i) throws ProtocolException {
        if (numbered ? done.byteLength(i) != Memory.MESSAGE_BYTES : !done.hasImmediate(i)) {
            throw new ProtocolException("the peer sent " + done.byteLength(i) + " bytes that are no message");
        }
        return numbered
                ? memory.in().segment().get(JAVA_INT, memory.receivedOffset((int) (done.wrId(i) & Integer.MAX_VALUE)))
                : done.immediate(i);
    }

    /** The peer has written. */
    void data(int length) throws ProtocolException {
        if (length == 0 || length > granted - received) {
            throw new ProtocolException(
                    "the peer wrote " + length + " bytes, and had room for " + (granted - received));
        }
        if (messages == messagesGranted) {
            throw new ProtocolException("the peer sent more messages than it was told that it may");
        }
        messages++;
        received += length;
        available += length;
    }

    /** How many bytes can be read. */
    int available() {
        return available;
    }

    /** Reads as much as there is and a buffer has room for; returns how much. */
    int receive(ByteBuffer into) {
        int position = into.position();
        int length = Math.min(into.remaining(), available);
        int first = Math.min(length, ringBytes - at);
        into.put(position, ring, at, first);
        if (first < length) {
            into.put(position + first, ring, 0, length - first);
        }
        into.position(position + length);
        took(length);
        return length;
    }

    private void took(int length) {
        at += length;
        if (at >= ringBytes) {
            at -= ringBytes;
        }
        available -= length;
        free += length;
    }

    /** Drops what is there and will not be read. */
    void drop() {
        took(available);
    }

    /** Whether the peer is to be told that it can send more. */
    boolean hasToTell() {
        return free >= half || messages - (messagesGranted - credits) >= credits / 2;
    }

    /** Tells the peer that it can send more, if there is anything to tell, and room for a control message. */
    void tell(SendSide sends) throws ProtocolException {
        while (hasToTell() && sends.hasControls(free >= half ? sends.requestsToGrant() : 1)) {
            messagesGranted = messages + credits;
            int message = Message.of(Message.CREDITS, (int) (messagesGranted & SEQUENCE_MASK));
            if (free >= half) {
                sends.grant(region.address() + nextGrant, region.rkey(), half, message);
                free -= half;
                granted += half;
                nextGrant = nextGrant == 0 ? half : 0;
            } else {
                sends.tell(message);
            }
        }
    }

    /** What the peer is told when the connection is made. */
    ConnectionData connectionData() {
        return new ConnectionData(
                ConnectionData.isBigEndian(),
                credits,
                memory.in().address() + ringBytes,
                region.rkey(),
                region.address(),
                region.rkey(),
                half);
    }
}
