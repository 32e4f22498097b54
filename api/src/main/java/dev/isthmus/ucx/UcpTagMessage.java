// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.UcxException;
import dev.isthmus.internal.HotPath;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;

/**
 * A message that a probe has found: its length and tag and, after {@link UcpWorker#tagTake}, the message itself,
 * {@code ucp_tag_message_h}. Each probe fills the same object again, so looking for messages allocates nothing.
 *
 * <p>Receive a message that was taken, once, or close it, which drops it. Closing the worker drops the rest. Confined
 * to the thread of its worker. Nothing blocks.
 */
public final class UcpTagMessage implements AutoCloseable {

    private final TagOperations operations;
    private long handle; // 0 unless it holds a message
    private long length;
    private long senderTag;
    private int place; // in the worker's list of taken messages

    private UcpTagMessage(TagOperations operations) {
        this.operations = operations;
    }

    /**
     * An empty holder.
     *
     * @param worker the worker for its messages
     * @return the holder
     */
    public static UcpTagMessage of(UcpWorker worker) {
        return new UcpTagMessage(worker.tags());
    }

    /**
     * The length of the message that the last probe found.
     *
     * @return the length in bytes; 0 if no probe found one
     */
    @HotPath
    public long length() {
        return length;
    }

    /**
     * The tag of the message that the last probe found.
     *
     * @return the sender's tag; 0 if no probe found a message
     */
    @HotPath
    public long senderTag() {
        return senderTag;
    }

    /**
     * Whether it holds a message that was taken and not received yet.
     *
     * @return whether there is something to receive
     */
    public boolean isHolding() {
        return handle != 0;
    }

    /**
     * Receives the message into a part of a buffer: {@code ucp_tag_msg_recv_nbx}. After that the holder is empty,
     * however the receive ends.
     *
     * <p>UCX writes to the buffer until the operation is done. Until then, neither use it nor close its arena. A
     * message longer than the buffer ends as {@link UcsStatus#MESSAGE_TRUNCATED}.
     *
     * @param buffer off the heap, writable, of an arena that this thread may access
     * @param offset where the message begins in the buffer, in bytes
     * @param capacity how many bytes to receive at most
     * @return the operation's number in {@link UcpWorker#requests()}, never 0; release it
     * @throws IllegalArgumentException if the buffer is on the heap or read-only
     * @throws IndexOutOfBoundsException if offset and capacity are not within the buffer
     * @throws IllegalStateException if no message is held, the worker is closed, or the buffer's arena is closed
     * @throws WrongThreadException if the worker or the buffer belongs to another thread
     * @throws UcxException if UCX refuses
     */
    @HotPath
    public long receive(MemorySegment buffer, long offset, long capacity) {
        return operations.receive(this, buffer, offset, capacity);
    }

    /**
     * Receives the message into a payload other than a plain buffer; otherwise like
     * {@link #receive(MemorySegment, long, long)}.
     *
     * @param payload of the same worker
     * @return the operation's number in {@link UcpWorker#requests()}, never 0; release it
     * @throws IllegalArgumentException if the payload is of another worker or cannot be received into
     * @throws IllegalStateException if no message is held, the worker is closed, or the arena of a buffer is closed
     * @throws WrongThreadException if the worker or a buffer belongs to another thread
     * @throws UcxException if UCX refuses
     */
    @HotPath
    public long receive(UcpPayload payload) {
        return operations.receive(this, payload);
    }

    /**
     * Receives the message, and returns a future: see {@link UcpWorker#tagReceiveAsync(MemorySegment, long, long)}. The
     * message has matched its receive already, so cancelling the future changes nothing.
     *
     * @param buffer off the heap, writable; UCX writes to it until the operation is done
     * @return completed with the message's length and tag
     */
    public CompletableFuture<UcpTagReceived> receiveAsync(MemorySegment buffer) {
        return operations.async().tagReceive(() -> receive(buffer, 0, buffer.byteSize()));
    }

    /**
     * Drops the message, if one is held: receives it into nothing, which completes the sender's operation.
     *
     * @throws WrongThreadException if the worker belongs to another thread
     */
    @Override
    public void close() {
        if (handle != 0) {
            operations.drop(this);
        }
    }

    @HotPath
    void found(long foundLength, long tag) {
        length = foundLength;
        senderTag = tag;
    }

    @HotPath
    void hold(long message, int at) {
        handle = message;
        place = at;
    }

    @HotPath
    void moveTo(int at) {
        place = at;
    }

    @HotPath
    int place() {
        return place;
    }

    @HotPath
    long handle() {
        return handle;
    }

    boolean isOf(TagOperations others) {
        return operations.equals(others);
    }

    /** The message as it appears in error messages. */
    @Override
    public String toString() {
        return "UcpTagMessage(" + (handle == 0 ? "none held" : length + " bytes") + ")";
    }
}
