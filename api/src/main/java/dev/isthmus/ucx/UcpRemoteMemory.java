// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.UcxException;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.ucx.Libucp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A peer's memory, as one endpoint reaches it: {@code ucp_rkey_h}. Made by {@link UcpEndpoint#unpack}; a place in it is
 * an offset from where the peer's {@link UcpMemory} begins, in bytes, and outside of it everything is refused.
 *
 * <p>An operation that is done has read or written the buffer on this side. When the peer's memory has been written, a
 * flush of the endpoint or worker tells that begins afterwards. Operations are not ordered among each other unless {@link
 * UcpWorker#fence()} stands between them.
 *
 * <p>Implicit operations have no number: that they are done is told by a flush too, and until then their buffers must stay
 * as they are. If one fails, so does the endpoint.
 *
 * <p>Confined to the thread of its worker. Nothing blocks but {@link #close()}. Where the transport is not RDMA, it is the
 * peer's worker that reads and writes, and it must be progressed.
 */
public final class UcpRemoteMemory implements AutoCloseable {

    private final UcpEndpoint endpoint;
    private final RemoteOperations operations;
    private final Operations slots;
    private final Lifetime lifetime;
    private final UcpRemoteAtomics atomics;
    private final UcpPackedKey key;
    private final long address;
    private final long byteSize;
    private final boolean transfers;
    private final long handle;
    private long limit; // how many bytes can be put and got: -1 when none can, not even 0
    private boolean open = true;
    private boolean destroyLater;
    private int outstanding;
    private Arena arena; // of the pointer; null without one
    private MemorySegment pointer;

    UcpRemoteMemory(UcpEndpoint endpoint, UcpPackedKey key) {
        UcpContext context = endpoint.worker().context();
        this.endpoint = endpoint;
        this.operations = endpoint.worker().parts().remote();
        this.slots = endpoint.worker().parts().operations();
        this.key = key;
        this.address = key.address();
        this.byteSize = key.byteSize();
        this.transfers = context.features().contains(UcpFeature.RMA);
        this.limit = transfers ? byteSize : -1;
        this.lifetime = new Lifetime("UcpRemoteMemory", key + " over " + endpoint, endpoint.lifetime());
        this.handle = lifetime.open(() -> RemoteKeys.unpack(endpoint, key));
        this.atomics = new UcpRemoteAtomics(this, operations, context);
    }

    /** Whether a context can have memory that peers reach. */
    static boolean isIn(UcpContext context) {
        return context.features().contains(UcpFeature.RMA)
                || context.features().contains(UcpFeature.AMO32)
                || context.features().contains(UcpFeature.AMO64);
    }

    /**
     * Writes to the peer's memory: {@code ucp_put_nbx}. UCX reads the buffer until the operation is done: until then
     * neither change it nor close its arena.
     *
     * @param from off the heap, of an arena that this thread may access
     * @param fromOffset where the bytes begin in the buffer
     * @param length how many bytes; may be 0
     * @param offset where they are to begin in the peer's memory
     * @return 0 if done at once, otherwise the operation's number in {@link UcpWorker#requests()}, to be released
     * @throws IllegalArgumentException if the buffer is on the heap
     * @throws IndexOutOfBoundsException if the bytes are not within the buffer, or not within the peer's memory
     * @throws IllegalStateException if this or the endpoint is closed, the buffer's arena is closed, or the context was
     *     made without {@link UcpFeature#RMA}
     * @throws WrongThreadException if the worker or the buffer belongs to another thread
     * @throws UcxException if UCX refuses, or the endpoint failed
     */
    @HotPath
    public long put(MemorySegment from, long fromOffset, long length, long offset) {
        return RemoteOperations.put(this, transferAt(offset, length), from, fromOffset, length, false);
    }

    /**
     * Writes to the peer's memory from registered memory, which spares UCX to register it: {@code ucp_put_nbx} with {@code
     * memh}. Otherwise as {@link #put(MemorySegment, long, long, long)}.
     *
     * @param from of the worker's context; cannot be closed until the operation is done
     * @param fromOffset where the bytes begin in it
     * @param length how many bytes; may be 0
     * @param offset where they are to begin in the peer's memory
     * @return 0 if done at once, otherwise the operation's number in {@link UcpWorker#requests()}, to be released
     */
    @HotPath
    public long put(UcpMemory from, long fromOffset, long length, long offset) {
        return operations.put(this, transferAt(offset, length), from, fromOffset, length, false);
    }

    /**
     * Writes to the peer's memory with options, or with user data for {@link UcpWorker#poll}. Otherwise as {@link
     * #put(MemorySegment, long, long, long)}.
     *
     * @param from of this endpoint's worker
     * @param offset where the bytes are to begin in the peer's memory
     * @return 0 if done at once, otherwise the operation's number in {@link UcpWorker#requests()}, to be released unless it
     *     carries {@linkplain UcpPayload#userData user data}; {@link UcpRequests#NOT_BEGUN} if it was to be done {@link
     *     UcpOperationOption#ONLY_AT_ONCE} and cannot
     */
    @HotPath
    public long put(UcpBuffer from, long offset) {
        return operations.put(this, transferAt(offset, from.byteSize()), from);
    }

    /**
     * Writes to the peer's memory without a number for the operation, as {@code ucp_put_nbi} does. Otherwise as {@link
     * #put(MemorySegment, long, long, long)}.
     *
     * @param from off the heap; UCX reads it until a flush that begins afterwards is done
     * @param fromOffset where the bytes begin in the buffer
     * @param length how many bytes; may be 0
     * @param offset where they are to begin in the peer's memory
     */
    @HotPath
    public void putImplicit(MemorySegment from, long fromOffset, long length, long offset) {
        RemoteOperations.put(this, transferAt(offset, length), from, fromOffset, length, true);
    }

    /**
     * Writes to the peer's memory from registered memory without a number for the operation. Otherwise as {@link
     * #put(UcpMemory, long, long, long)}.
     *
     * @param from of the worker's context; cannot be closed until a flush that begins afterwards is done
     * @param fromOffset where the bytes begin in it
     * @param length how many bytes; may be 0
     * @param offset where they are to begin in the peer's memory
     */
    @HotPath
    public void putImplicit(UcpMemory from, long fromOffset, long length, long offset) {
        operations.put(this, transferAt(offset, length), from, fromOffset, length, true);
    }

    /**
     * Writes a whole buffer to the peer's memory, the convenient way. The future is completed by {@link
     * UcpWorker#progress()}, on the worker's thread, with a {@link UcxException} if the operation fails. It allocates;
     * otherwise as {@link #put(MemorySegment, long, long, long)}.
     *
     * @param from off the heap; UCX reads it until the future is completed
     * @param offset where the bytes are to begin in the peer's memory
     * @return completed when the buffer is the caller's again
     */
    public CompletableFuture<Void> putAsync(MemorySegment from, long offset) {
        return putAsync(from, 0, from.byteSize(), offset);
    }

    /**
     * Writes a part of a buffer to the peer's memory, the convenient way. Otherwise as {@link #putAsync(MemorySegment,
     * long)}.
     *
     * @param from off the heap; UCX reads it until the future is completed
     * @param fromOffset where the bytes begin in the buffer
     * @param length how many bytes; may be 0
     * @param offset where they are to begin in the peer's memory
     * @return completed when the buffer is the caller's again
     */
    public CompletableFuture<Void> putAsync(MemorySegment from, long fromOffset, long length, long offset) {
        return endpoint.worker().parts().async().send(() -> put(from, fromOffset, length, offset), this);
    }

    /**
     * Writes to the peer's memory from registered memory, the convenient way. Otherwise as {@link #putAsync(MemorySegment,
     * long)}.
     *
     * @param from of the worker's context; cannot be closed until the future is completed
     * @param fromOffset where the bytes begin in it
     * @param length how many bytes; may be 0
     * @param offset where they are to begin in the peer's memory
     * @return completed when the memory is the caller's again
     */
    public CompletableFuture<Void> putAsync(UcpMemory from, long fromOffset, long length, long offset) {
        return endpoint.worker().parts().async().send(() -> put(from, fromOffset, length, offset), this);
    }

    /**
     * Reads the peer's memory: {@code ucp_get_nbx}. UCX writes to the buffer until the operation is done: until then neither
     * use it nor close its arena.
     *
     * @param to off the heap, writable, of an arena that this thread may access
     * @param toOffset where the bytes are to begin in the buffer
     * @param length how many bytes; may be 0
     * @param offset where they begin in the peer's memory
     * @return 0 if done at once, otherwise the operation's number in {@link UcpWorker#requests()}, to be released
     * @throws IllegalArgumentException if the buffer is on the heap or read-only
     * @throws IndexOutOfBoundsException if the bytes are not within the buffer, or not within the peer's memory
     * @throws IllegalStateException if this or the endpoint is closed, the buffer's arena is closed, or the context was
     *     made without {@link UcpFeature#RMA}
     * @throws WrongThreadException if the worker or the buffer belongs to another thread
     * @throws UcxException if UCX refuses, or the endpoint failed
     */
    @HotPath
    public long get(MemorySegment to, long toOffset, long length, long offset) {
        return RemoteOperations.get(this, transferAt(offset, length), to, toOffset, length, false);
    }

    /**
     * Reads the peer's memory into registered memory, which spares UCX to register it: {@code ucp_get_nbx} with {@code
     * memh}. Otherwise as {@link #get(MemorySegment, long, long, long)}.
     *
     * @param to of the worker's context; cannot be closed until the operation is done
     * @param toOffset where the bytes are to begin in it
     * @param length how many bytes; may be 0
     * @param offset where they begin in the peer's memory
     * @return 0 if done at once, otherwise the operation's number in {@link UcpWorker#requests()}, to be released
     */
    @HotPath
    public long get(UcpMemory to, long toOffset, long length, long offset) {
        return operations.get(this, transferAt(offset, length), to, toOffset, length, false);
    }

    /**
     * Reads the peer's memory with options, or with user data for {@link UcpWorker#poll}. Otherwise as {@link
     * #get(MemorySegment, long, long, long)}.
     *
     * @param to of this endpoint's worker
     * @param offset where the bytes begin in the peer's memory
     * @return 0 if done at once, otherwise the operation's number in {@link UcpWorker#requests()}, to be released unless it
     *     carries {@linkplain UcpPayload#userData user data}; {@link UcpRequests#NOT_BEGUN} if it was to be done {@link
     *     UcpOperationOption#ONLY_AT_ONCE} and cannot
     */
    @HotPath
    public long get(UcpBuffer to, long offset) {
        return operations.get(this, transferAt(offset, to.byteSize()), to);
    }

    /**
     * Reads the peer's memory without a number for the operation, as {@code ucp_get_nbi} does. Otherwise as {@link
     * #get(MemorySegment, long, long, long)}.
     *
     * @param to off the heap, writable; UCX writes to it until a flush that begins afterwards is done
     * @param toOffset where the bytes are to begin in the buffer
     * @param length how many bytes; may be 0
     * @param offset where they begin in the peer's memory
     */
    @HotPath
    public void getImplicit(MemorySegment to, long toOffset, long length, long offset) {
        RemoteOperations.get(this, transferAt(offset, length), to, toOffset, length, true);
    }

    /**
     * Reads the peer's memory into registered memory without a number for the operation. Otherwise as {@link
     * #get(UcpMemory, long, long, long)}.
     *
     * @param to of the worker's context; cannot be closed until a flush that begins afterwards is done
     * @param toOffset where the bytes are to begin in it
     * @param length how many bytes; may be 0
     * @param offset where they begin in the peer's memory
     */
    @HotPath
    public void getImplicit(UcpMemory to, long toOffset, long length, long offset) {
        operations.get(this, transferAt(offset, length), to, toOffset, length, true);
    }

    /**
     * Fills a whole buffer from the peer's memory, the convenient way. The future is completed by {@link
     * UcpWorker#progress()}, on the worker's thread, with a {@link UcxException} if the operation fails. It allocates;
     * otherwise as {@link #get(MemorySegment, long, long, long)}.
     *
     * @param to off the heap, writable; UCX writes to it until the future is completed
     * @param offset where the bytes begin in the peer's memory
     * @return completed when the bytes are there
     */
    public CompletableFuture<Void> getAsync(MemorySegment to, long offset) {
        return getAsync(to, 0, to.byteSize(), offset);
    }

    /**
     * Fills a part of a buffer from the peer's memory, the convenient way. Otherwise as {@link #getAsync(MemorySegment,
     * long)}.
     *
     * @param to off the heap, writable; UCX writes to it until the future is completed
     * @param toOffset where the bytes are to begin in the buffer
     * @param length how many bytes; may be 0
     * @param offset where they begin in the peer's memory
     * @return completed when the bytes are there
     */
    public CompletableFuture<Void> getAsync(MemorySegment to, long toOffset, long length, long offset) {
        return endpoint.worker().parts().async().send(() -> get(to, toOffset, length, offset), this);
    }

    /**
     * Reads the peer's memory into registered memory, the convenient way. Otherwise as {@link #getAsync(MemorySegment,
     * long)}.
     *
     * @param to of the worker's context; cannot be closed until the future is completed
     * @param toOffset where the bytes are to begin in it
     * @param length how many bytes; may be 0
     * @param offset where they begin in the peer's memory
     * @return completed when the bytes are there
     */
    public CompletableFuture<Void> getAsync(UcpMemory to, long toOffset, long length, long offset) {
        return endpoint.worker().parts().async().send(() -> get(to, toOffset, length, offset), this);
    }

    /**
     * Atomic operations on numbers in the peer's memory.
     *
     * @return the same object each time
     */
    public UcpRemoteAtomics atomics() {
        return atomics;
    }

    /**
     * The peer's memory itself, where this process can have it mapped: {@code ucp_rkey_ptr}. That is so over shared memory,
     * for what the peer's UCX allocated. It may be read and written by any thread; neither UCX nor the peer knows of that.
     *
     * @return the memory, which ends with this object; empty if it cannot be mapped
     * @throws IllegalStateException if this or the endpoint is closed
     * @throws WrongThreadException if the worker belongs to another thread
     */
    public Optional<MemorySegment> pointer() {
        checkOpen();
        if (pointer == null) {
            RemoteKeys.pointer(handle, key).ifPresent(this::map);
        }
        return Optional.ofNullable(pointer);
    }

    @SuppressWarnings("restricted")
    private void map(MemorySegment begin) {
        arena = Arena.ofShared();
        pointer = begin.reinterpret(byteSize, arena, null);
    }

    /**
     * Compares the keys of two memories that one worker's endpoints reach: {@code ucp_rkey_compare}; UCX 1.16 and later. A
     * program with many of them can keep one of equal keys: see {@link UcpMemoryConfig#symmetricKey()}.
     *
     * @param other of the same worker
     * @return 0 if they are equal; otherwise the sign orders them
     * @throws IllegalArgumentException if the other is of another worker
     * @throws IllegalStateException if one is closed
     * @throws WrongThreadException if the worker belongs to another thread
     * @throws dev.isthmus.RdmaUnavailableException if the loaded UCX is older
     * @throws UcxException if UCX cannot compare them
     */
    public int compareKey(UcpRemoteMemory other) {
        checkOpen();
        other.checkOpen();
        if (other.endpoint.worker() != endpoint.worker()) {
            throw new IllegalArgumentException(other + " is of another worker than " + this);
        }
        return RemoteKeys.compare(this, endpoint.worker().handle(), handle, other.handle);
    }

    /**
     * Where the memory begins in the peer's process.
     *
     * @return the address
     */
    public long address() {
        return address;
    }

    /**
     * How much memory there is.
     *
     * @return the length in bytes
     */
    public long byteSize() {
        return byteSize;
    }

    /**
     * Forgets the key: {@code ucp_rkey_destroy}. Outstanding operations are given {@link UcpWorkerConfig#closeTimeout} to
     * end, by progressing the worker; C's part of the key stays until they have. Inside a callback of UCX they are not
     * waited for. Does nothing when closed already.
     *
     * @throws WrongThreadException if the worker belongs to another thread
     * @throws IllegalStateException if another thread is in a call that uses the {@link #pointer()}; it can be tried again
     */
    @Override
    public void close() {
        if (!open) {
            return;
        }
        endpoint.worker().owner().check();
        if (!endpoint.worker().parts().callbacks().isInside()
                && endpoint.worker().mayWait()) {
            drain();
        }
        lifetime.close(() -> {
            if (arena != null) {
                arena.close();
            }
        });
        open = false;
        limit = -1;
        if (outstanding == 0) {
            UcpCall.run(Libucp.RKEY_DESTROY, handle);
        } else {
            destroyLater = true;
        }
    }

    private void drain() {
        UcpWorker worker = endpoint.worker();
        long deadline = worker.closeDeadline();
        boolean inTime = true;
        while (outstanding > 0 && inTime && worker.parts().pending().count(endpoint) > 0) {
            inTime = worker.parts().news().progressUntil(deadline);
        }
    }

    /** An operation was begun that uses the key. */
    @HotPath
    void began() {
        outstanding++;
    }

    /** One of them has ended. */
    @HotPath
    void ended(RequestSlot slot) {
        slot.remote = null;
        if (slot.memory != null) {
            slot.memory.release();
            slot.memory = null;
        }
        if (slot.kind >= RequestSlot.FETCH_32) {
            slot.length = UcpRemoteAtomics.fetched(slot);
        }
        if (--outstanding == 0 && destroyLater) {
            UcpCall.run(Libucp.RKEY_DESTROY, handle);
        }
    }

    /** C's part of the key is left to the worker, which is being destroyed. */
    void leave() {
        destroyLater = false;
    }

    @HotPath
    private long transferAt(long offset, long length) {
        if (!endpoint.isReady() || length <= 0 || offset < 0 || length > limit - offset) {
            return inspect(offset, length);
        }
        return address + offset;
    }

    /** All that is to be asked before a put or a get. */
    private long inspect(long offset, long length) {
        if (!transfers) {
            throw new IllegalStateException("the context of " + endpoint.worker() + " was made without UcpFeature.RMA");
        }
        long at = at(offset, length);
        endpoint.inspect("an operation on remote memory");
        return at;
    }

    /** The address of a place in the peer's memory that an operation may use. */
    @HotPath
    long at(long offset, long length) {
        checkOpen();
        if (endpoint.isFailed()) {
            throw RemoteKeys.failed(endpoint);
        }
        if ((offset | length) < 0 || length > byteSize - offset) {
            throw outOfBounds(offset, length);
        }
        return address + offset;
    }

    @HotPath
    private void checkOpen() {
        endpoint.open();
        if (!open) {
            throw new IllegalStateException(this + " is closed");
        }
    }

    private IndexOutOfBoundsException outOfBounds(long offset, long length) {
        return new IndexOutOfBoundsException("offset " + offset + " and length " + length + " are not within " + this
                + " of " + byteSize + " bytes");
    }

    /** Where the operations of its worker are kept. */
    @HotPath
    Operations slots() {
        return slots;
    }

    @HotPath
    UcpEndpoint endpoint() {
        return endpoint;
    }

    /** {@code ucp_ep_h}. */
    @HotPath
    long endpointHandle() {
        return endpoint.handle();
    }

    /** {@code ucp_rkey_h}. */
    @HotPath
    long handle() {
        return handle;
    }

    /** The memory as messages name it. */
    @Override
    public String toString() {
        return lifetime.toString();
    }
}
