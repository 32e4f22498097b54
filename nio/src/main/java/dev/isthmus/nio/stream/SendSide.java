// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import dev.isthmus.verbs.MemoryRegion;
import java.nio.ByteBuffer;

/**
 * The sending half of a stream. It decides how much may be sent, by the room and the number of messages that the peer
 * has granted, and by the room in this side's ring and queue. It also knows where in the peer's ring the bytes go.
 * Guarded by the stream's lock.
 *
 * <p>The number of a request says how many requests and bytes were posted up to it. Requests complete in order, so one
 * completion stands for all requests before it, and only some are signaled.
 */
final class SendSide {

    /** The most bytes of one message: {@code RS_MAX_TRANSFER}. */
    private static final int MAX_TRANSFER = 65_536;

    private static final int COUNT_MASK = Integer.MAX_VALUE;
    private static final int SEQUENCE_MASK = 0xffff;

    private final Wire wire;
    private final Memory memory;
    private final ByteBuffer bytes;
    private final int ringBytes;
    private final int inline;
    private final int perWrite;
    private final int mostRequests; // for data
    private final int signalRequests;
    private final int signalBytes;
    private final Protocol protocol;
    private final int peerCredits;

    private int posted; // requests, 31 bits; so are those that are done
    private int done;
    private long postedBytes; // of the ring
    private long doneBytes;
    private int unsignaled;
    private int unsignaledBytes;
    private int sequence; // of the last data message, 16 bits
    private int lastSequence; // that the peer permits
    private long address; // of the current part of the peer's ring
    private int key;
    private int room; // in it; 0 until the peer grants another
    private final int[] controls = new int[Memory.CONTROLS]; // the number of the request that used each
    private int controlsPosted;
    private int controlsDone;

    SendSide(Protocol protocol, Wire wire, Memory memory, StreamOptions options, int inline, ConnectionData peer) {
        this.protocol = protocol;
        this.wire = wire;
        this.memory = memory;
        this.bytes = memory.outBytes();
        this.ringBytes = options.sendBuffer();
        this.inline = Math.min(inline, Memory.MAX_INLINE);
        this.perWrite = wire.requestsPerWrite();
        this.mostRequests = options.sendQueue() - Memory.CONTROLS;
        this.signalRequests = mostRequests / 4;
        this.signalBytes = ringBytes / 4;
        this.peerCredits = peer.credits();
        this.lastSequence = peerCredits;
        this.address = peer.buffer();
        this.key = peer.bufferKey();
        this.room = peer.bufferBytes();
    }

    /** Sends nothing until it is released. */
    void hold() {
        lastSequence = sequence;
        controlsDone = controlsPosted - Memory.CONTROLS;
    }

    /** Ends a hold. */
    void release() {
        lastSequence = peerCredits;
        controlsDone = controlsPosted;
    }

    /** Whether a byte can be sent. */
    boolean isReady() {
        return room > 0
                && sequence != lastSequence
                && mostRequests - inFlight() >= perWrite
                && postedBytes - doneBytes < ringBytes;
    }

    private int inFlight() {
        return (posted - done) & COUNT_MASK;
    }

    /** Sends as much of a buffer as can be sent now; returns how much. */
    int send(ByteBuffer from) throws ProtocolException {
        int begin = from.position();
        int left = from.remaining();
        int at = begin;
        while (left > 0 && isReady()) {
            int most = Math.min(left, room);
            boolean isInline = most <= inline;
            int offset = isInline ? memory.inlineOffset() : ringOffset();
            int length = isInline ? most : inRing(offset, most);
            bytes.put(offset, from, at, length);
            write(offset, length, isInline);
            at += length;
            left -= length;
            from.position(at); // each time, as the next copy throws if the buffer's memory has been freed meanwhile
        }
        return at - begin;
    }

    /**
     * Sends as much of several buffers as can be sent now; returns how much. Bytes that fit into one message go into
     * one, as a peer that does not read accepts a limited number of messages.
     */
    int send(ByteBuffer[] from, int first, long remaining) throws ProtocolException {
        long left = remaining;
        int next = first;
        while (left > 0 && isReady()) {
            int most = (int) Math.min(left, room);
            boolean isInline = most <= inline;
            int offset = isInline ? memory.inlineOffset() : ringOffset();
            int length = isInline ? most : inRing(offset, most);
            gather(from, next, offset, length);
            write(offset, length, isInline);
            next = advance(from, next, length);
            left -= length;
        }
        return (int) (remaining - left);
    }

    /**
     * Sends as much of registered memory as can be sent now, without a copy; returns how much. The memory is the
     * device's until everything that was {@linkplain #posted posted} is {@linkplain #isDone done}, unless it went
     * inline.
     */
    int send(MemoryRegion from, long offset, int length) throws ProtocolException {
        int left = length;
        while (left > 0 && isReady()) {
            int most = Math.min(left, room);
            boolean isInline = most <= inline;
            int part = isInline ? most : Math.min(most, mayPost());
            boolean signaled = isSignaled(part, isInline, perWrite);
            sequence = (sequence + 1) & SEQUENCE_MASK;
            long to = address;
            address += part;
            room -= part;
            check(wire.write(
                    from,
                    offset + (length - left),
                    part,
                    isInline,
                    to,
                    key,
                    Message.of(Message.DATA, part),
                    signaled,
                    number(perWrite)));
            left -= part;
            if (room == 0) {
                protocol.nextRoom();
            }
        }
        return length - left;
    }

    /** How many more bytes may be under way. Those that are sent without a copy leave as much of the ring unused. */
    private int mayPost() {
        return (int) Math.min(MAX_TRANSFER, ringBytes - (postedBytes - doneBytes));
    }

    /** The number of the last request. */
    int posted() {
        return posted;
    }

    /** The largest message that goes inline, in bytes. */
    int inline() {
        return inline;
    }

    /** Copies the bytes of the next message from several buffers, and leaves their positions as they are. */
    private void gather(ByteBuffer[] from, int first, int offset, int length) {
        int done = 0;
        for (int i = first; done < length; i++) {
            int part = Math.min(length - done, from[i].remaining());
            bytes.put(offset + done, from[i], from[i].position(), part);
            done += part;
        }
    }

    /** Moves positions behind the bytes that were written; returns which buffer is next. */
    private static int advance(ByteBuffer[] from, int first, int length) {
        int left = length;
        int next = first;
        while (true) {
            int part = Math.min(left, from[next].remaining());
            from[next].position(from[next].position() + part);
            left -= part;
            if (left == 0) {
                return next;
            }
            next++;
        }
    }

    private int ringOffset() {
        return (int) (postedBytes % ringBytes);
    }

    private int inRing(int offset, int most) {
        int length = Math.min(Math.min(most, MAX_TRANSFER), ringBytes - offset);
        return (int) Math.min(length, ringBytes - (postedBytes - doneBytes));
    }

    private void write(int offset, int length, boolean isInline) throws ProtocolException {
        boolean signaled = isSignaled(length, isInline, perWrite);
        sequence = (sequence + 1) & SEQUENCE_MASK;
        long to = address;
        address += length;
        room -= length;
        check(wire.write(
                offset, length, isInline, to, key, Message.of(Message.DATA, length), signaled, number(perWrite)));
        if (room == 0) {
            protocol.nextRoom();
        }
    }

    /** Counts the request that is posted next; returns whether it is to be signaled. */
    private boolean isSignaled(int length, boolean isInline, int requests) {
        if (!isInline) {
            postedBytes += length;
            unsignaledBytes += length;
        }
        unsignaled += requests;
        boolean signaled = unsignaled >= signalRequests || unsignaledBytes >= signalBytes;
        if (signaled) {
            noneUnsignaled();
        }
        return signaled;
    }

    /**
     * Writes as much of a buffer as can be sent now to memory of the peer outside its ring. Sends no message.
     *
     * @return whether that was all
     */
    boolean place(ByteBuffer from, long to, int toKey) throws ProtocolException {
        int begin = from.position();
        int at = begin;
        int left = from.remaining();
        while (left > 0 && isReady()) {
            boolean isInline = left <= inline;
            int offset = isInline ? memory.inlineOffset() : ringOffset();
            int length = isInline ? left : inRing(offset, left);
            bytes.put(offset, from, at, length);
            boolean signaled = isSignaled(length, isInline, 1);
            check(wire.place(offset, length, isInline, to + (at - begin), toKey, signaled, number(1)));
            at += length;
            left -= length;
        }
        from.position(at);
        return left == 0;
    }

    /** Sends a message that the peer counts like one with data. Call it only when this is ready. */
    void sendCounted(int message) throws ProtocolException {
        sequence = (sequence + 1) & SEQUENCE_MASK;
        noneUnsignaled();
        check(wire.post(message, number(1)));
    }

    private void noneUnsignaled() {
        unsignaled = 0;
        unsignaledBytes = 0;
    }

    /** The number of the next post, which takes the given count of requests. */
    private long number(int requests) {
        posted = (posted + requests) & COUNT_MASK;
        return (long) posted << Integer.SIZE | (postedBytes & 0xffff_ffffL);
    }

    static void check(boolean taken) throws ProtocolException {
        if (!taken) {
            throw new ProtocolException("the send queue is full, though it should have room");
        }
    }

    /** A request has completed, and with it all before it. */
    void completed(long number) {
        done = (int) (number >>> Integer.SIZE);
        doneBytes += (int) number - (int) doneBytes;
        while (controlsPosted != controlsDone && isDone(controls[controlsDone & (Memory.CONTROLS - 1)])) {
            controlsDone++;
        }
    }

    /** Whether a request, and with it all before it, has completed. */
    boolean isDone(int number) {
        return ((done - number) & COUNT_MASK) < COUNT_MASK / 2;
    }

    /**
     * Whether everything that was posted has completed. True only if the last request was a control message, as others
     * may be unsignaled.
     */
    boolean isAllDone() {
        return posted == done;
    }

    /** Whether there is room for a control message of the given count of requests. */
    boolean hasControls(int requests) {
        return controlsPosted - controlsDone + requests <= Memory.CONTROLS;
    }

    /** Sends a message without data. */
    void sendControl(int message) throws ProtocolException {
        check(wire.post(message, nextControl()));
    }

    /** Sends an empty write, which only the peer's device notices. */
    void keepAlive() throws ProtocolException {
        check(wire.keepAlive(nextControl()));
    }

    /** Counts a control message of one request, which is signaled and posted next; returns its number. */
    long nextControl() {
        noneUnsignaled();
        long number = number(1);
        control();
        return number;
    }

    private void control() {
        controls[controlsPosted++ & (Memory.CONTROLS - 1)] = posted;
    }

    /** Sends a message without data, and with it some bytes from this side's memory to the peer's. */
    void sendControl(int offset, int length, long to, int toKey, int message) throws ProtocolException {
        noneUnsignaled();
        long number = number(perWrite);
        for (int i = 0; i < perWrite; i++) {
            control();
        }
        boolean isInline = inline >= length;
        int from = offset;
        if (isInline) {
            from = memory.inlineOffset();
            bytes.put(from, bytes, offset, length);
        }
        check(wire.write(from, length, isInline, to, toKey, message, true, number));
    }

    /** How many control messages were sent. */
    int controls() {
        return controlsPosted;
    }

    /** The memory to send from. */
    ByteBuffer bytes() {
        return bytes;
    }

    /** The number of the last message that was sent. */
    int sequence() {
        return sequence;
    }

    /** The number of the last message that the peer accepts. */
    int permitted() {
        return lastSequence;
    }

    /** How many messages the peer accepts, if it accepts them up to a number. */
    int messagesUpTo(int number) {
        return (number - sequence) & SEQUENCE_MASK;
    }

    /** The peer accepts messages up to a number. */
    void permit(int upTo) {
        lastSequence = upTo & SEQUENCE_MASK;
    }

    /** How many bytes there is room for at the peer. */
    int room() {
        return room;
    }

    /** The peer has room for bytes there. */
    void granted(long at, int withKey, int length) {
        address = at;
        key = withKey;
        room = length;
    }

    String state() {
        return "may send " + room + " bytes and " + ((lastSequence - sequence) & SEQUENCE_MASK) + " messages, "
                + inFlight() + " requests under way with " + (postedBytes - doneBytes) + " bytes, "
                + (controlsPosted - controlsDone) + " of them control messages";
    }
}
