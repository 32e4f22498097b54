// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import dev.isthmus.VerbsException;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.MemoryRegion;
import dev.isthmus.verbs.ProtectionDomain;
import dev.isthmus.verbs.RegisteredMemory;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * The memory of a stream, in two regions. The stream sends from the first, which the peer cannot reach: a ring, room
 * for inline data, and the entries or commands that announce parts of the second region. The peer may write anything to the
 * second at any time: it has the receive ring, the targets, the iomap and, on iWARP and for Valkey, the messages. Further blocks stand in for
 * what the program keeps of the ring.
 */
final class Memory implements AutoCloseable {

    /** How many control messages may be under way: {@code RS_QP_CTRL_SIZE}, a power of 2. */
    static final int CONTROLS = 4;

    /** The most bytes that go inline, even if the device allows more. */
    static final int MAX_INLINE = 512;

    /** The length of a message on iWARP. */
    static final int MESSAGE_BYTES = 4;

    private static final System.Logger LOG = System.getLogger("dev.isthmus.nio");

    private final int sendBytes;
    private final int receiveBytes;
    private final int iomapOffset;
    private final int messagesOffset;
    private final int messageBytes;
    private final int controlBytes;
    private final RegisteredMemory out;
    private final RegisteredMemory in;
    private final ProtectionDomain pd;
    private final List<RegisteredMemory> blocks = new ArrayList<>(0); // besides the ring

    private Memory(ProtectionDomain pd, StreamOptions options, RegisteredMemory out, RegisteredMemory in) {
        this.pd = pd;
        this.sendBytes = options.sendBuffer();
        this.receiveBytes = options.receiveBuffer();
        this.iomapOffset = receiveBytes + ConnectionData.TARGETS * ConnectionData.TARGET_BYTES;
        this.messagesOffset = iomapOffset + options.iomapSize() * ConnectionData.IOMAP_BYTES;
        this.messageBytes = messageBytes(options);
        this.controlBytes = controlBytes(options);
        this.out = out;
        this.in = in;
    }

    private static int messageBytes(StreamOptions options) {
        return options.protocol() == StreamProtocol.VALKEY ? ValkeyProtocol.COMMAND_BYTES : MESSAGE_BYTES;
    }

    private static int controlBytes(StreamOptions options) {
        return options.protocol() == StreamProtocol.VALKEY ? ValkeyProtocol.COMMAND_BYTES : ConnectionData.TARGET_BYTES;
    }

    static Memory allocate(ProtectionDomain pd, StreamOptions options) {
        RegisteredMemory out = pd.allocate(
                options.sendBuffer() + MAX_INLINE + (long) CONTROLS * controlBytes(options) + MESSAGE_BYTES);
        try {
            RegisteredMemory in = pd.allocate(
                    options.receiveBuffer()
                            + ConnectionData.TARGETS * (long) ConnectionData.TARGET_BYTES
                            + options.iomapSize() * (long) ConnectionData.IOMAP_BYTES
                            + (options.receiveQueue() + ReceiveSide.SPARE) * (long) messageBytes(options),
                    AccessFlag.LOCAL_WRITE,
                    AccessFlag.REMOTE_WRITE);
            return new Memory(pd, options, out, in);
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

    /** The whole region that it sends from. */
    ByteBuffer outBytes() {
        return out.segment().asByteBuffer().order(ByteOrder.nativeOrder());
    }

    /** The ring that the peer writes to. */
    ByteBuffer inBytes() {
        return in.segment().asSlice(0, receiveBytes).asByteBuffer();
    }

    /** Allocates a block for the peer to write to, with a key of its own; null if it cannot be registered. */
    ReceiveBlock allocateBlock(int bytes) {
        try {
            RegisteredMemory made = pd.allocate(bytes, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
            blocks.add(made);
            return new ReceiveBlock(made.region(), made.segment().asByteBuffer(), 0);
        } catch (VerbsException e) {
            LOG.log(Level.DEBUG, "{0} bytes more cannot be registered for a peer: {1}", bytes, e.getMessage());
            return null;
        }
    }

    /** Where the targets are in the second region. */
    int targetsOffset() {
        return receiveBytes;
    }

    /** Where the peer announces parts of its ring. */
    MemorySegment targets() {
        return in.segment().asSlice(receiveBytes, ConnectionData.TARGETS * (long) ConnectionData.TARGET_BYTES);
    }

    /** Where the peer announces the memory that it has mapped. */
    MemorySegment iomap() {
        return in.segment().asSlice(iomapOffset, messagesOffset - iomapOffset);
    }

    /** How many entries the iomap has. */
    int iomapSize() {
        return (messagesOffset - iomapOffset) / ConnectionData.IOMAP_BYTES;
    }

    /** The offset of inline data. */
    int inlineOffset() {
        return sendBytes;
    }

    /** The offset of one of the control messages. */
    int controlOffset(int number) {
        return sendBytes + MAX_INLINE + (number & (CONTROLS - 1)) * controlBytes;
    }

    /** The offset of a message to send, on iWARP. */
    int messageOffset() {
        return controlOffset(0) + CONTROLS * controlBytes;
    }

    /** The offset of a received message, on iWARP, or of Valkey's. */
    int receivedOffset(int number) {
        return messagesOffset + number * messageBytes;
    }

    /** The length of a received message. */
    int messageBytes() {
        return messageBytes;
    }

    @Override
    public void close() {
        blocks.forEach(RegisteredMemory::close);
        in.close();
        out.close();
    }
}
