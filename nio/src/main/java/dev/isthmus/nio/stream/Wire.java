// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import dev.isthmus.verbs.MemoryRegion;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.SendOpcode;
import dev.isthmus.verbs.SendRequest;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.ReentrantLock;

/**
 * How a message goes over the wire: as the immediate value of an RDMA WRITE or, on iWARP, which has no immediate
 * values, as a SEND of 4 bytes after the WRITE.
 */
abstract sealed class Wire {

    final QueuePair queuePair;
    final SendRequest plain;
    final SendRequest inline;
    final SendRequest direct; // from memory that is not the stream's own
    final SendRequest directInline;
    final SendRequest message;
    private final SendRequest nothing =
            SendRequest.prepare(0).opcode(SendOpcode.RDMA_WRITE).remote(0, 0).signaled(true);
    private final SendRequest silent;
    private final SendRequest silentInline;

    private Wire(QueuePair queuePair, Memory memory, SendOpcode opcode, SendRequest message) {
        this.queuePair = queuePair;
        this.message = message;
        plain = SendRequest.prepare(memory.out()).opcode(opcode);
        inline = inline(memory, opcode);
        direct = SendRequest.prepare(memory.out()).opcode(opcode);
        directInline = inline(memory, opcode);
        silent = SendRequest.prepare(memory.out()).opcode(SendOpcode.RDMA_WRITE);
        silentInline = inline(memory, SendOpcode.RDMA_WRITE);
    }

    private static SendRequest inline(Memory memory, SendOpcode opcode) {
        return SendRequest.prepare(memory.out())
                .opcode(opcode)
                .range(memory.inlineOffset(), 1)
                .inline(true);
    }

    static Wire of(QueuePair queuePair, Memory memory, boolean isIwarp, StreamProtocol protocol) {
        if (protocol == StreamProtocol.VALKEY) {
            return new WithCommands(queuePair, memory);
        }
        return isIwarp ? new WriteThenSend(queuePair, memory) : new WithImmediate(queuePair, memory);
    }

    /** How many requests a write takes. */
    abstract int requestsPerWrite();

    /** Whether each receive has a place in memory of its own, for the bytes of its message. */
    abstract boolean hasPlaces();

    /**
     * Writes to the peer's memory, and sends a message.
     *
     * @return false if the send queue is full
     */
    boolean write(
            int offset, int length, boolean isInline, long address, int key, int value, boolean signaled, long wrId) {
        SendRequest request = isInline ? inline : plain;
        request.range(offset, length).remote(address, key);
        return post(request, value, signaled, wrId);
    }

    /**
     * Writes to the peer's memory from memory that is not the stream's own, and sends a message.
     *
     * @return false if the send queue is full
     */
    boolean write(
            MemoryRegion from,
            long offset,
            int length,
            boolean isInline,
            long address,
            int key,
            int value,
            boolean signaled,
            long wrId) {
        SendRequest request = isInline ? directInline : direct;
        request.sge(0, from, offset, length).remote(address, key);
        return post(request, value, signaled, wrId);
    }

    /** Posts a write, and a message. */
    abstract boolean post(SendRequest request, int value, boolean signaled, long wrId);

    /**
     * Sends a message without data.
     *
     * @return false if the send queue is full
     */
    abstract boolean post(int message, long wrId);

    /**
     * Sends an empty write without a message.
     *
     * @return false if the send queue is full
     */
    boolean keepAlive(long wrId) {
        return queuePair.tryPost(nothing.wrId(wrId));
    }

    /**
     * Writes to the peer's memory without a message. Takes one request.
     *
     * @return false if the send queue is full
     */
    boolean place(int offset, int length, boolean isInline, long address, int key, boolean signaled, long wrId) {
        SendRequest request = isInline ? silentInline : silent;
        return queuePair.tryPost(request.range(offset, length)
                .remote(address, key)
                .signaled(signaled)
                .wrId(wrId));
    }

    /** Prepares a receive for a message. */
    abstract ReceiveRequest receive(int number);

    /** Lets whichever thread holds the lock post its requests. */
    void shareUnder(ReentrantLock lock) {
        plain.shareUnder(lock);
        inline.shareUnder(lock);
        direct.shareUnder(lock);
        directInline.shareUnder(lock);
        message.shareUnder(lock);
        nothing.shareUnder(lock);
        silent.shareUnder(lock);
        silentInline.shareUnder(lock);
    }

    static sealed class WithImmediate extends Wire {

        WithImmediate(QueuePair queuePair, Memory memory) {
            super(
                    queuePair,
                    memory,
                    SendOpcode.RDMA_WRITE_WITH_IMM,
                    SendRequest.prepare(0)
                            .opcode(SendOpcode.RDMA_WRITE_WITH_IMM)
                            .remote(0, 0)
                            .signaled(true));
        }

        @Override
        int requestsPerWrite() {
            return 1;
        }

        @Override
        boolean hasPlaces() {
            return false;
        }

        @Override
        boolean post(SendRequest request, int value, boolean signaled, long wrId) {
            request.immediate(value);
            if (!signaled) { // as most are: no completion reports its number
                return queuePair.tryPost(request);
            }
            boolean taken = queuePair.tryPost(request.signaled(true).wrId(wrId));
            request.signaled(false);
            return taken;
        }

        @Override
        boolean post(int value, long wrId) {
            return queuePair.tryPost(message.immediate(value).wrId(wrId));
        }

        @Override
        ReceiveRequest receive(int number) {
            return ReceiveRequest.prepare(0);
        }
    }

    /** Valkey's: a message is the length of what was written, and all else is a command, which is a SEND. */
    static final class WithCommands extends WithImmediate {

        private final Memory memory;
        private final SendRequest command;

        WithCommands(QueuePair queuePair, Memory memory) {
            super(queuePair, memory);
            this.memory = memory;
            this.command = SendRequest.prepare(memory.out()).signaled(true);
        }

        /**
         * Sends a command from the stream's own memory.
         *
         * @return false if the send queue is full
         */
        boolean command(int offset, boolean isInline, long wrId) {
            return queuePair.tryPost(command.range(offset, ValkeyProtocol.COMMAND_BYTES)
                    .inline(isInline)
                    .wrId(wrId));
        }

        @Override
        boolean hasPlaces() {
            return true;
        }

        /** The only one is the disconnect message, which there is none for: its completion ends all before it. */
        @Override
        boolean post(int message, long wrId) {
            return keepAlive(wrId);
        }

        @Override
        ReceiveRequest receive(int number) {
            return ReceiveRequest.prepare(memory.in()).range(memory.receivedOffset(number), memory.messageBytes());
        }

        @Override
        void shareUnder(ReentrantLock lock) {
            super.shareUnder(lock);
            command.shareUnder(lock);
        }
    }

    private static final class WriteThenSend extends Wire {

        private final Memory memory;
        private final ByteBuffer bytes;

        WriteThenSend(QueuePair queuePair, Memory memory) {
            super(
                    queuePair,
                    memory,
                    SendOpcode.RDMA_WRITE,
                    SendRequest.prepare(memory.out())
                            .range(memory.messageOffset(), Memory.MESSAGE_BYTES)
                            .inline(true));
            this.memory = memory;
            bytes = memory.outBytes();
            plain.next(message);
            inline.next(message);
            direct.next(message);
            directInline.next(message);
        }

        @Override
        int requestsPerWrite() {
            return 2;
        }

        @Override
        boolean hasPlaces() {
            return true;
        }

        @Override
        boolean post(SendRequest request, int value, boolean signaled, long wrId) {
            setMessage(value, signaled, wrId);
            return queuePair.tryPostChain(request) == null;
        }

        /** Writes the message in this machine's byte order, as rsocket does. */
        private void setMessage(int value, boolean signaled, long wrId) {
            bytes.putInt(memory.messageOffset(), value);
            message.signaled(signaled).wrId(wrId);
        }

        @Override
        boolean post(int value, long wrId) {
            setMessage(value, true, wrId);
            return queuePair.tryPost(message);
        }

        @Override
        ReceiveRequest receive(int number) {
            return ReceiveRequest.prepare(memory.in()).range(memory.receivedOffset(number), Memory.MESSAGE_BYTES);
        }
    }
}
