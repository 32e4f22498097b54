// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.MemoryRegion;
import dev.isthmus.verbs.ProtectionDomain;
import dev.isthmus.verbs.RegisteredMemory;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The memory of a stream, in two regions. Out of one it sends, which the peer cannot reach: a ring, room for what goes inline,
 * and for what tells the peer of parts of the other. That one the peer writes to, whenever and whatever it likes: the ring,
 * the targets and, on iWARP, the messages.
 */
final class Memory implements AutoCloseable {

    /** How many control messages can be under way: {@code RS_QP_CTRL_SIZE}, a power of 2. */
    static final int CONTROLS = 4;

    /** No more goes inline, whatever the device grants. */
    static final int MOST_INLINE = 512;

    /** How long a message is on iWARP. */
    static final int MESSAGE_BYTES = 4;

    private final int sendBytes;
    private final int receiveBytes;
    private final RegisteredMemory out;
    private final RegisteredMemory in;

    private Memory(StreamOptions options, RegisteredMemory out, RegisteredMemory in) {
        this.sendBytes = options.sendBuffer();
        this.receiveBytes = options.receiveBuffer();
        this.out = out;
        this.in = in;
    }

    static Memory allocate(ProtectionDomain pd, StreamOptions options) {
        RegisteredMemory out = pd.allocate(
                options.sendBuffer() + MOST_INLINE + (long) CONTROLS * ConnectionData.TARGET_BYTES + MESSAGE_BYTES);
        try {
            RegisteredMemory in = pd.allocate(
                    options.receiveBuffer()
                            + ConnectionData.TARGETS * (long) ConnectionData.TARGET_BYTES
                            + (options.receiveQueue() + ReceiveSide.SPARE) * (long) MESSAGE_BYTES,
                    AccessFlag.LOCAL_WRITE,
                    AccessFlag.REMOTE_WRITE);
            return new Memory(options, out, in);
        } catch (RuntimeException e) {
            out.close();
            throw e;
        }
    }

    MemoryRegion out() {
        return out.region();
    }

    MemoryRegion in() {
        return in.region();
    }

    /** All of what it sends out of. */
    ByteBuffer outBytes() {
        return out.segment().asByteBuffer().order(ByteOrder.nativeOrder());
    }

    /** The ring that the peer writes to. */
    ByteBuffer inBytes() {
        return in.segment().asSlice(0, receiveBytes).asByteBuffer();
    }

    /** Where the peer tells of its ring. */
    MemorySegment targets() {
        return in.segment().asSlice(receiveBytes, ConnectionData.TARGETS * (long) ConnectionData.TARGET_BYTES);
    }

    /** Where what goes inline is put. */
    int inlineOffset() {
        return sendBytes;
    }

    /** Where one of the control messages is put. */
    int controlOffset(int number) {
        return sendBytes + MOST_INLINE + (number & (CONTROLS - 1)) * ConnectionData.TARGET_BYTES;
    }

    /** Where a message is put that is sent, on iWARP. */
    int messageOffset() {
        return controlOffset(0) + CONTROLS * ConnectionData.TARGET_BYTES;
    }

    /** Where one of the messages is received, on iWARP. */
    int receivedOffset(int number) {
        return receiveBytes + ConnectionData.TARGETS * ConnectionData.TARGET_BYTES + number * MESSAGE_BYTES;
    }

    @Override
    public void close() {
        in.close();
        out.close();
    }
}
