// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.UcxException;
import dev.isthmus.internal.ArenaUse;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.NativeMemory;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;

/**
 * Holds the data of one active message after its handler has returned, until {@link #release()} or {@link #receive}.
 * Then it can hold another, so a program that creates some beforehand keeps messages without allocating.
 *
 * <p>Confined to the thread of the worker whose message it holds. When that worker is closed, the holder becomes empty.
 * Nothing blocks.
 */
public final class UcpKeptMessage implements AutoCloseable {

    private AmOperations operations; // null while it holds nothing
    private UcpActiveMessage during; // while the handler runs
    private UcpMessageBytes data;
    private UcpEndpoint endpoint;
    private final LentSegment segment = new LentSegment();
    private long descriptor;
    private long length;
    private boolean rendezvous;
    private int index;

    /** Creates an empty holder. */
    public UcpKeptMessage() {
        super();
    }

    /** Takes a message, which C leaves in place. */
    @HotPath
    void take(
            AmOperations by,
            UcpActiveMessage message,
            long descriptor,
            long length,
            boolean rendezvous,
            UcpEndpoint endpoint) {
        if (operations != null) {
            throw new IllegalStateException("the holder holds a message already: release() it first");
        }
        if (data == null || !data.isOf(by.owner())) {
            data = new UcpMessageBytes(by.owner());
        }
        by.addKept(this); // the last thing that can fail
        this.operations = by;
        this.during = message;
        this.descriptor = descriptor;
        this.length = length;
        this.rendezvous = rendezvous;
        this.endpoint = endpoint;
        if (!rendezvous) {
            data.open(descriptor, length);
        }
    }

    /** Notes that the handler has returned. */
    @HotPath
    void handlerReturned() {
        during = null;
    }

    /**
     * Whether it holds a message.
     *
     * @return false before the first message, after a release, and after the close of the worker
     */
    public boolean isHolding() {
        return operations != null;
    }

    /**
     * How long the data is.
     *
     * @return the length in bytes
     * @throws IllegalStateException if it holds no message
     * @throws WrongThreadException if the worker belongs to another thread
     */
    @HotPath
    public long length() {
        open();
        return length;
    }

    /**
     * Whether the sender still has the data.
     *
     * @return false if {@link #data()} has it
     * @throws IllegalStateException if it holds no message
     * @throws WrongThreadException if the worker belongs to another thread
     */
    @HotPath
    public boolean isRendezvous() {
        open();
        return rendezvous;
    }

    /**
     * The data, unless the message {@link #isRendezvous()}.
     *
     * @return the bytes, until the release
     * @throws IllegalStateException if it holds no message, or the data has not arrived: {@link #receive} it
     * @throws WrongThreadException if the worker belongs to another thread
     */
    @HotPath
    public UcpMessageBytes data() {
        open();
        if (rendezvous) {
            throw new IllegalStateException("the " + length + " bytes of this message are still with the sender:"
                    + " receive() them into a buffer");
        }
        return data;
    }

    /**
     * The data as a segment, for example to send it on without a copy. {@link #release()} closes its arena, and is
     * refused while an operation of any worker uses the segment. The close of this worker does not wait for operations
     * of other workers: if one uses the segment then, C's part of this worker is left behind, with the memory.
     * Allocates, once per message.
     *
     * @return the bytes, read-only
     * @throws IllegalStateException if it holds no message, or the data has not arrived
     * @throws WrongThreadException if the worker belongs to another thread
     */
    public MemorySegment segment() {
        return segment.of(data().address(), length, this);
    }

    /**
     * Receives the data into a buffer, and releases the message: see
     * {@link UcpActiveMessage#receive(MemorySegment, long)}.
     *
     * @param buffer off the heap, writable, of an arena that this thread may access; UCX writes to it until the operation
     *     is done
     * @param offset where the data begins in the buffer
     * @return 0 if done at once, otherwise the operation's number in {@link UcpWorker#requests()}; release it
     * @throws IllegalArgumentException if the buffer is on the heap or read-only
     * @throws IndexOutOfBoundsException if the data does not fit into the buffer from there on; the message stays kept
     * @throws IllegalStateException if it holds no message, or the buffer's arena is closed
     * @throws WrongThreadException if the worker or the buffer belongs to another thread
     * @throws UcxException if UCX refuses; the message is then released
     */
    @HotPath
    public long receive(MemorySegment buffer, long offset) {
        if (!isToFetch(buffer, offset)) {
            return 0;
        }
        AmOperations by = operations;
        ArenaUse use = by.reserve(buffer);
        long from = descriptor;
        UcpEndpoint of = endpoint;
        received();
        return by.receive(from, buffer, buffer.address() + offset, length, of, use);
    }

    /**
     * Receives the data into a buffer, and releases the message, as {@link #receive(MemorySegment, long)} does.
     * {@link UcpWorker#poll} reports when a rendezvous has been fetched.
     *
     * @param buffer off the heap, writable, of an arena that this thread may access; UCX writes to it until the
     *     operation is done
     * @param offset where the data begins in the buffer
     * @param userData the number that the poll returns
     * @return 0 if done at once, which no poll reports; otherwise a negative number, only for
     *     {@link UcpRequests#cancel}
     * @throws IllegalStateException also if the worker belongs to a loop and has no handler of completions
     */
    @HotPath
    public long receive(MemorySegment buffer, long offset, long userData) {
        open();
        AmOperations by = operations;
        by.reservePolled();
        if (!isToFetch(buffer, offset)) {
            return 0;
        }
        ArenaUse use = by.reserve(buffer);
        long from = descriptor;
        UcpEndpoint of = endpoint;
        received();
        return by.receive(from, buffer, buffer.address() + offset, length, of, use, userData);
    }

    /** Whether the data must be fetched; if not, it is in the buffer, and the message is released. */
    @HotPath
    private boolean isToFetch(MemorySegment buffer, long offset) {
        open();
        BufferChecks.writable(buffer, offset, length);
        if (rendezvous && length != 0) {
            return true;
        }
        NativeMemory.copy(descriptor, buffer, offset, length);
        release();
        return false;
    }

    /** C gets the descriptor next. Nothing fails from here on but the call itself, which takes it in any case. */
    @HotPath
    private void received() {
        if (during != null) {
            during.received();
        }
        empty();
    }

    /**
     * Receives the data into a buffer, and returns a future. {@link UcpWorker#progress()} completes it on the worker's
     * thread. It allocates; otherwise like {@link #receive(MemorySegment, long)}.
     *
     * @param buffer off the heap, writable; UCX writes to it until the future is completed
     * @return completed when the data is there, or with a {@link UcxException}
     */
    public CompletableFuture<Void> receiveAsync(MemorySegment buffer) {
        open();
        AmOperations by = operations;
        return by.async().receive(() -> receive(buffer, 0), "a kept message");
    }

    /**
     * Gives the data back to UCX: {@code ucp_am_data_release}. The send of a rendezvous then succeeds.
     *
     * @throws IllegalStateException if it holds no message, or an operation another thread, uses its segment
     * @throws WrongThreadException if the worker belongs to another thread
     */
    @HotPath
    public void release() {
        open();
        operations.release(this);
    }

    /** Releases the message if it holds one. */
    @Override
    public void close() {
        if (operations != null) {
            release();
        }
    }

    /** Releases the message on the Java side, without its segment; returns what C must release. */
    @HotPath
    long empty() {
        operations.removeKept(this);
        operations = null;
        during = null;
        endpoint = null;
        data.close();
        return descriptor;
    }

    @HotPath
    LentSegment lent() {
        return segment;
    }

    /** The message, while its handler runs; then null. */
    @HotPath
    UcpActiveMessage during() {
        return during;
    }

    int index() {
        return index;
    }

    void index(int place) {
        index = place;
    }

    @HotPath
    private void open() {
        AmOperations by = operations;
        if (by == null) {
            throw new IllegalStateException(
                    "the holder holds no message: it was released or received," + " or its worker is closed");
        }
        by.owner().check();
    }

    /** The holder as it appears in error messages. */
    @Override
    public String toString() {
        return operations == null ? "UcpKeptMessage(empty)" : "UcpKeptMessage(" + length + " bytes)";
    }
}
