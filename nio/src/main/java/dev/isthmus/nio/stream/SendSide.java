// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * What a stream sends: how much may go, by the room that the peer has granted, by the number of messages that it takes, and by
 * the room in the ring and in the queue of this side; and where it goes. Guarded by the stream's lock.
 *
 * <p>A request carries as its number how many requests and bytes were posted up to it. Requests complete in order, so one that
 * completes tells of all before it, and only some are signaled.
 */
final class SendSide {

    /** As much as one message carries: {@code RS_MAX_TRANSFER}. */
    private static final int MOST_AT_ONCE = 65_536;

    private static final int COUNT_MASK = Integer.MAX_VALUE;
    private static final int SEQUENCE_MASK = 0xffff;

    // Of struct rs_sge.
    private static final int KEY = 8;
    private static final int LENGTH = 12;

    private final Wire wire;
    private final Memory memory;
    private final ByteBuffer bytes;
    private final int ringBytes;
    private final int inline;
    private final int perWrite;
    private final int mostRequests; // for data
    private final int signalRequests;
    private final int signalBytes;
    private final MemorySegment targets; // the peer writes them
    private final int peerCredits;
    private final boolean swaps; // the peer has another byte order
    private final long peerTargets;
    private final int peerTargetsKey;

    private int posted; // requests, 31 bits; as what is done
    private int done;
    private long postedBytes; // of the ring
    private long doneBytes;
    private int unsignaled;
    private int unsignaledBytes;
    private int sequence; // of messages with data, 16 bits
    private int lastSequence; // that may be sent
    private long address; // of the part of the peer's ring that is written to
    private int key;
    private int room; // in it
    private int nextTarget = 1; // where the peer tells of the next part
    private boolean isTold; // that it has: what it writes is there once its message is, or before it
    private int toldEarly; // parts that may have been told by a later message, which then seems to say nothing new
    private int nextPeerTarget = 1; // where this side tells of its own
    private final int[] controls = new int[Memory.CONTROLS]; // what was posted with each
    private int controlsPosted;
    private int controlsDone;

    SendSide(Wire wire, Memory memory, StreamOptions options, int inline, ConnectionData peer) {
        this.wire = wire;
        this.memory = memory;
        this.bytes = memory.outBytes();
        this.ringBytes = options.sendBuffer();
        this.inline = Math.min(inline, Memory.MOST_INLINE);
        this.perWrite = wire.requestsPerWrite();
        this.mostRequests = options.sendQueue() - Memory.CONTROLS;
        this.signalRequests = mostRequests / 4;
        this.signalBytes = ringBytes / 4;
        this.targets = memory.targets();
        this.peerCredits = peer.credits();
        this.lastSequence = peerCredits;
        this.swaps = peer.bigEndian() != ConnectionData.isBigEndian();
        this.peerTargets = peer.targets();
        this.peerTargetsKey = peer.targetsKey();
        this.address = peer.buffer();
        this.key = peer.bufferKey();
        this.room = peer.bufferBytes();
    }

    /** Sends nothing, until it is released. */
    void hold() {
        lastSequence = sequence;
        controlsDone = controlsPosted - Memory.CONTROLS;
    }

    /** Nothing is held any more. */
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
        }
        from.position(at);
        return at - begin;
    }

    /**
     * Sends as much of several buffers as can be sent now; returns how much. What fits in one message goes in one, as a peer
     * that does not read takes a limited number of messages.
     */
    int send(ByteBuffer[] from, int first, long remaining) throws ProtocolException {
        long left = remaining;
        int next = first;
        while (left > 0 && isReady()) {
            int most = (int) Math.min(left, room);
            boolean isInline = most <= inline;
            int offset = isInline ? memory.inlineOffset() : ringOffset();
            int length = isInline ? most : inRing(offset, most);
            next = gather(from, next, offset, length);
            write(offset, length, isInline);
            left -= length;
        }
        return (int) (remaining - left);
    }

    /** Takes so many bytes of buffers that have them; returns which has the next one, or the last byte. */
    private int gather(ByteBuffer[] from, int first, int offset, int length) {
        int next = first;
        int done = 0;
        while (true) {
            ByteBuffer one = from[next];
            int part = Math.min(length - done, one.remaining());
            bytes.put(offset + done, one, one.position(), part);
            one.position(one.position() + part);
            done += part;
            if (done == length) {
                return next;
            }
            next++;
        }
    }

    private int ringOffset() {
        return (int) (postedBytes % ringBytes);
    }

    private int inRing(int offset, int most) {
        int length = Math.min(Math.min(most, MOST_AT_ONCE), ringBytes - offset);
        return (int) Math.min(length, ringBytes - (postedBytes - doneBytes));
    }

    private void write(int offset, int length, boolean isInline) throws ProtocolException {
        if (!isInline) {
            postedBytes += length;
            unsignaledBytes += length;
        }
        unsignaled += perWrite;
        boolean signaled = unsignaled >= signalRequests || unsignaledBytes >= signalBytes;
        if (signaled) {
            noneUnsignaled();
        }
        sequence = (sequence + 1) & SEQUENCE_MASK;
        long to = address;
        address += length;
        room -= length;
        check(wire.write(
                offset, length, isInline, to, key, Message.of(Message.DATA, length), signaled, number(perWrite)));
        if (room == 0) {
            takeTarget();
        }
    }

    private void noneUnsignaled() {
        unsignaled = 0;
        unsignaledBytes = 0;
    }

    /** The number of what is posted next, which is so many requests. */
    private long number(int requests) {
        posted = (posted + requests) & COUNT_MASK;
        return (long) posted << Integer.SIZE | (postedBytes & 0xffff_ffffL);
    }

    private static void check(boolean taken) throws ProtocolException {
        if (!taken) {
            throw new ProtocolException("the send queue is full before it can be");
        }
    }

    /** A request has completed, and all before it. */
    void completed(long number) {
        done = (int) (number >>> Integer.SIZE);
        doneBytes += (int) number - (int) doneBytes;
        while (controlsPosted != controlsDone && isDone(controls[controlsDone & (Memory.CONTROLS - 1)])) {
            controlsDone++;
        }
    }

    private boolean isDone(int number) {
        return ((done - number) & COUNT_MASK) < COUNT_MASK / 2;
    }

    /** Whether all that was posted has completed; true only if the last was a control message, as others tell nobody. */
    boolean isAllDone() {
        return posted == done;
    }

    /** Whether a control message can be sent that takes so many requests. */
    boolean hasControls(int requests) {
        return controlsPosted - controlsDone + requests <= Memory.CONTROLS;
    }

    /** How many requests it takes to grant room. */
    int requestsToGrant() {
        return perWrite;
    }

    /** Says something without writing. */
    void tell(int message) throws ProtocolException {
        noneUnsignaled();
        long number = number(1);
        control();
        check(wire.tell(message, number));
    }

    /** Writes nothing, of which the peer's device knows alone. */
    void keepAlive() throws ProtocolException {
        noneUnsignaled();
        long number = number(1);
        control();
        check(wire.keepAlive(number));
    }

    private void control() {
        controls[controlsPosted++ & (Memory.CONTROLS - 1)] = posted;
    }

    /** Grants a part of this side's ring, and says something with it. */
    void grant(long part, int partKey, int length, int message) throws ProtocolException {
        noneUnsignaled();
        int offset = memory.controlOffset(controlsPosted);
        bytes.putLong(offset, swaps ? Long.reverseBytes(part) : part);
        bytes.putInt(offset + KEY, swaps ? Integer.reverseBytes(partKey) : partKey);
        bytes.putInt(offset + LENGTH, swaps ? Integer.reverseBytes(length) : length);
        long to = peerTargets + (long) nextPeerTarget * ConnectionData.TARGET_BYTES;
        nextPeerTarget = (nextPeerTarget + 1) % ConnectionData.TARGETS;
        long number = number(perWrite);
        for (int i = 0; i < perWrite; i++) {
            control();
        }
        boolean isInline = inline >= ConnectionData.TARGET_BYTES;
        int from = offset;
        if (isInline) {
            from = memory.inlineOffset();
            bytes.put(from, bytes, offset, ConnectionData.TARGET_BYTES);
        }
        check(wire.write(from, ConnectionData.TARGET_BYTES, isInline, to, peerTargetsKey, message, true, number));
    }

    /** The peer takes more messages, and may have told of another part of its ring. */
    void credited(int upTo) throws ProtocolException {
        int more = (upTo - sequence) & SEQUENCE_MASK;
        int before = (lastSequence - sequence) & SEQUENCE_MASK;
        if (more < before || more > peerCredits) {
            throw new ProtocolException("the peer took messages up to " + lastSequence + ", now it takes them up to "
                    + upTo + ", and " + sequence + " were sent");
        }
        boolean wasTold = isTold;
        isTold = targets.get(JAVA_INT, nextTargetOffset() + LENGTH) != 0;
        boolean isNew = isTold && !wasTold;
        if (more > before) {
            toldEarly += isNew ? 1 : 0;
        } else if (!isNew && --toldEarly < 0) { // or a peer could keep a thread busy with these
            throw new ProtocolException("the peer granted nothing that it had not granted before");
        }
        lastSequence = upTo & SEQUENCE_MASK;
        if (room == 0) {
            takeTarget();
        }
    }

    private long nextTargetOffset() {
        return (long) nextTarget * ConnectionData.TARGET_BYTES;
    }

    /** Goes on to the next part of the peer's ring, if it has told of one. */
    private void takeTarget() throws ProtocolException {
        if (!isTold) {
            return;
        }
        isTold = false;
        long at = nextTargetOffset();
        int length = targets.get(JAVA_INT, at + LENGTH); // read once: the peer may write another at any time
        if (length <= 0 || length > Message.MOST) {
            throw new ProtocolException("the peer has room for " + Integer.toUnsignedString(length) + " bytes at once");
        }
        address = targets.get(JAVA_LONG, at);
        key = targets.get(JAVA_INT, at + KEY);
        room = length;
        targets.set(JAVA_INT, at + LENGTH, 0);
        nextTarget = (nextTarget + 1) % ConnectionData.TARGETS;
    }
}
