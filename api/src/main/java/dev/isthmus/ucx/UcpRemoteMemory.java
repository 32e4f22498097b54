// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.UcxException;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.NativeHandle;
import dev.isthmus.internal.ucx.Libucp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A peer's memory, accessed through one endpoint: {@code ucp_rkey_h}. {@link UcpEndpoint#unpack} creates it. A place in
 * it is an offset in bytes from where the peer's {@link UcpMemory} begins; anything out of bounds is refused.
 *
 * <p>An operation that is done has read or written the buffer on this side. A flush of the endpoint or worker that
 * begins afterwards tells when the peer's memory has been written. Operations are not ordered unless
 * {@link UcpWorker#fence()} is called between them.
 *
 * <p>Implicit operations have no number. Here, too, a flush tells when they are done, and until then you must leave
 * their buffers alone. If one fails, so does the endpoint.
 *
 * <p>Confined to the thread of its worker. Only {@link #close()} blocks. Where the transport is not RDMA, the peer's
 * worker reads and writes, so it must be progressed.
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
    private final NativeHandle handle;
    private long limit; // how many bytes can be put and got; -1 if none can, not even 0
    private boolean open = true;
    private int outstanding;
    private Arena arena; // of the pointer; null if there is none
    private MemorySegment pointer;

    UcpRemoteMemory(UcpEndpoint endpoint, RemoteOperations operations, UcpPackedKey key) {
        UcpContext context = endpoint.worker().context();
        this.endpoint = endpoint;
        this.operations = operations;
        this.slots = operations.operations();
        this.key = key;
        this.address = key.address();
        this.byteSize = key.byteSize();
        this.transfers = context.features().contains(UcpFeature.RMA);
        this.limit = transfers ? byteSize : -1;
        this.lifetime = new Lifetime("UcpRemoteMemory", key + " over " + endpoint, endpoint.lifetime());
        this.handle = new NativeHandle(lifetime.open(() -> RemoteKeys.unpack(endpoint, key)));
        this.atomics = Lifetime.orDestroy(() -> new UcpRemoteAtomics(this, operations, context), this::close);
    }

    /** Whether a context can have memory for peers. */
    static boolean isIn(UcpContext context) {
        return context.features().contains(UcpFeature.RMA)
                || context.features().contains(UcpFeature.AMO32)
                || context.features().contains(UcpFeature.AMO64);
    }

    /**
     * Writes to the peer's memory: {@code ucp_put_nbx}. UCX reads the buffer until the operation is done. Until then,
     * neither change it nor close its arena.
     *
     * @param from off the heap, of an arena that this thread may access
     * @param fromOffset where the bytes begin in the buffer
     * @param length how many bytes; may be 0
     * @param offset where they begin in the peer's memory
     * @return 0 if done at once, otherwise the operation's number in {@link UcpWorker#requests()}; release it
     * @throws IllegalArgumentException if the buffer is on the heap
     * @throws IndexOutOfBoundsException if the bytes are not within the buffer, or not within the peer's memory
     * @throws IllegalStateException if this or the endpoint is closed, the buffer's arena is closed, or the context was
     *     created without {@link UcpFeature#RMA}
     * @throws WrongThreadException if the worker or the buffer belongs to another thread
     * @throws UcxException if UCX refuses, or the endpoint failed
     */
    @HotPath
    public long put(MemorySegment from, long fromOffset, long length, long offset) {
        return RemoteOperations.put(this, transferAt(offset, length), from, fromOffset, length, false);
    }

    /**
     * Writes to the peer's memory from registered memory, so that UCX need not register it: {@code ucp_put_nbx} with
     * {@code memh}. Otherwise like {@link #put(MemorySegment, long, long, long)}.
     *
     * @param from of the worker's context; cannot be closed until the operation is done
     * @param fromOffset where the bytes begin in it
     * @param length how many bytes; may be 0
     * @param offset where they begin in the peer's memory
     * @return 0 if done at once, otherwise the operation's number in {@link UcpWorker#requests()}; release it
     */
    @HotPath
    public long put(UcpMemory from, long fromOffset, long length, long offset) {
        return operations.put(this, transferAt(offset, length), from, fromOffset, length, false);
    }

    /**
     * Writes to the peer's memory with options, or with user data for {@link UcpWorker#poll}. Otherwise like
     * {@link #put(MemorySegment, long, long, long)}.
     *
     * @param from of this endpoint's worker
     * @param offset where the bytes begin in the peer's memory
     * @return 0 if done at once, otherwise the operation's number in {@link UcpWorker#requests()}, to release unless it
     *     carries {@linkplain UcpPayload#userData user data}; {@link UcpRequests#NOT_BEGUN} if you asked for
     *     {@link UcpOperationOption#ONLY_AT_ONCE} and it could not be
     */
    @HotPath
    public long put(UcpBuffer from, long offset) {
        return operations.put(this, transferAt(offset, from.byteSize()), from);
    }

    /**
     * Writes to the peer's memory without a number for the operation, as {@code ucp_put_nbi} does. Otherwise like
     * {@link #put(MemorySegment, long, long, long)}.
     *
     * @param from off the heap; UCX reads it until a flush that begins afterwards is done
     * @param fromOffset where the bytes begin in the buffer
     * @param length how many bytes; may be 0
     * @param offset where they begin in the peer's memory
     */
    @HotPath
    public void putImplicit(MemorySegment from, long fromOffset, long length, long offset) {
        RemoteOperations.put(this, transferAt(offset, length), from, fromOffset, length, true);
    }

    /**
     * Writes to the peer's memory from registered memory without a number for the operation. Otherwise like
     * {@link #put(UcpMemory, long, long, long)}.
     *
     * @param from of the worker's context; cannot be closed until a flush that begins afterwards is done
     * @param fromOffset where the bytes begin in it
     * @param length how many bytes; may be 0
     * @param offset where they begin in the peer's memory
     */
    @HotPath
    public void putImplicit(UcpMemory from, long fromOffset, long length, long offset) {
        operations.put(this, transferAt(offset, length), from, fromOffset, length, true);
    }

    /**
     * Writes a whole buffer to the peer's memory, and returns a future. {@link UcpWorker#progress()} completes it on
     * the worker's thread, with a {@link UcxException} if the operation fails. It allocates; otherwise like
     * {@link #put(MemorySegment, long, long, long)}.
     *
     * @param from off the heap; UCX reads it until the future is completed
     * @param offset where the bytes begin in the peer's memory
     * @return completed when the buffer is yours again
     */
    public CompletableFuture<Void> putAsync(MemorySegment from, long offset) {
        return putAsync(from, 0, from.byteSize(), offset);
    }

    /**
     * Writes a part of a buffer to the peer's memory, and returns a future. Otherwise like
     * {@link #putAsync(MemorySegment, long)}.
     *
     * @param from off the heap; UCX reads it until the future is completed
     * @param fromOffset where the bytes begin in the buffer
     * @param length how many bytes; may be 0
     * @param offset where they begin in the peer's memory
     * @return completed when the buffer is yours again
     */
    public CompletableFuture<Void> putAsync(MemorySegment from, long fromOffset, long length, long offset) {
        return operations.async().send(() -> put(from, fromOffset, length, offset), this);
    }

    /**
     * Writes to the peer's memory from registered memory, and returns a future. Otherwise like
     * {@link #putAsync(MemorySegment, long)}.
     *
     * @param from of the worker's context; cannot be closed until the future is completed
     * @param fromOffset where the bytes begin in it
     * @param length how many bytes; may be 0
     * @param offset where they begin in the peer's memory
     * @return completed when the memory is yours again
     */
    public CompletableFuture<Void> putAsync(UcpMemory from, long fromOffset, long length, long offset) {
        return operations.async().send(() -> put(from, fromOffset, length, offset), this);
    }

    /**
     * Reads the peer's memory: {@code ucp_get_nbx}. UCX writes to the buffer until the operation is done. Until then,
     * neither use it nor close its arena.
     *
     * @param to off the heap, writable, of an arena that this thread may access
     * @param toOffset where the bytes begin in the buffer
     * @param length how many bytes; may be 0
     * @param offset where they begin in the peer's memory
     * @return 0 if done at once, otherwise the operation's number in {@link UcpWorker#requests()}; release it
     * @throws IllegalArgumentException if the buffer is on the heap or read-only
     * @throws IndexOutOfBoundsException if the bytes are not within the buffer, or not within the peer's memory
     * @throws IllegalStateException if this or the endpoint is closed, the buffer's arena is closed, or the context was
     *     created without {@link UcpFeature#RMA}
     * @throws WrongThreadException if the worker or the buffer belongs to another thread
     * @throws UcxException if UCX refuses, or the endpoint failed
     */
    @HotPath
    public long get(MemorySegment to, long toOffset, long length, long offset) {
        return RemoteOperations.get(this, transferAt(offset, length), to, toOffset, length, false);
    }

    /**
     * Reads the peer's memory into registered memory, so that UCX need not register it: {@code ucp_get_nbx} with
     * {@code memh}. Otherwise like {@link #get(MemorySegment, long, long, long)}.
     *
     * @param to of the worker's context; cannot be closed until the operation is done
     * @param toOffset where the bytes begin in it
     * @param length how many bytes; may be 0
     * @param offset where they begin in the peer's memory
     * @return 0 if done at once, otherwise the operation's number in {@link UcpWorker#requests()}; release it
     */
    @HotPath
    public long get(UcpMemory to, long toOffset, long length, long offset) {
        return operations.get(this, transferAt(offset, length), to, toOffset, length, false);
    }

    /**
     * Reads the peer's memory with options, or with user data for {@link UcpWorker#poll}. Otherwise like
     * {@link #get(MemorySegment, long, long, long)}.
     *
     * @param to of this endpoint's worker
     * @param offset where the bytes begin in the peer's memory
     * @return 0 if done at once, otherwise the operation's number in {@link UcpWorker#requests()}, to release unless it
     *     carries {@linkplain UcpPayload#userData user data}; {@link UcpRequests#NOT_BEGUN} if you asked for
     *     {@link UcpOperationOption#ONLY_AT_ONCE} and it could not be
     */
    @HotPath
    public long get(UcpBuffer to, long offset) {
        return operations.get(this, transferAt(offset, to.byteSize()), to);
    }

    /**
     * Reads the peer's memory without a number for the operation, as {@code ucp_get_nbi} does. Otherwise like
     * {@link #get(MemorySegment, long, long, long)}.
     *
     * @param to off the heap, writable; UCX writes to it until a flush that begins afterwards is done
     * @param toOffset where the bytes begin in the buffer
     * @param length how many bytes; may be 0
     * @param offset where they begin in the peer's memory
     */
    @HotPath
    public void getImplicit(MemorySegment to, long toOffset, long length, long offset) {
        RemoteOperations.get(this, transferAt(offset, length), to, toOffset, length, true);
    }

    /**
     * Reads the peer's memory into registered memory without a number for the operation. Otherwise like
     * {@link #get(UcpMemory, long, long, long)}.
     *
     * @param to of the worker's context; cannot be closed until a flush that begins afterwards is done
     * @param toOffset where the bytes begin in it
     * @param length how many bytes; may be 0
     * @param offset where they begin in the peer's memory
     */
    @HotPath
    public void getImplicit(UcpMemory to, long toOffset, long length, long offset) {
        operations.get(this, transferAt(offset, length), to, toOffset, length, true);
    }

    /**
     * Fills a whole buffer from the peer's memory, and returns a future. {@link UcpWorker#progress()} completes it on
     * the worker's thread, with a {@link UcxException} if the operation fails. It allocates; otherwise like
     * {@link #get(MemorySegment, long, long, long)}.
     *
     * @param to off the heap, writable; UCX writes to it until the future is completed
     * @param offset where the bytes begin in the peer's memory
     * @return completed when the bytes have arrived
     */
    public CompletableFuture<Void> getAsync(MemorySegment to, long offset) {
        return getAsync(to, 0, to.byteSize(), offset);
    }

    /**
     * Fills a part of a buffer from the peer's memory, and returns a future. Otherwise like
     * {@link #getAsync(MemorySegment, long)}.
     *
     * @param to off the heap, writable; UCX writes to it until the future is completed
     * @param toOffset where the bytes begin in the buffer
     * @param length how many bytes; may be 0
     * @param offset where they begin in the peer's memory
     * @return completed when the bytes have arrived
     */
    public CompletableFuture<Void> getAsync(MemorySegment to, long toOffset, long length, long offset) {
        return operations.async().send(() -> get(to, toOffset, length, offset), this);
    }

    /**
     * Reads the peer's memory into registered memory, and returns a future. Otherwise like
     * {@link #getAsync(MemorySegment, long)}.
     *
     * @param to of the worker's context; cannot be closed until the future is completed
     * @param toOffset where the bytes begin in it
     * @param length how many bytes; may be 0
     * @param offset where they begin in the peer's memory
     * @return completed when the bytes have arrived
     */
    public CompletableFuture<Void> getAsync(UcpMemory to, long toOffset, long length, long offset) {
        return operations.async().send(() -> get(to, toOffset, length, offset), this);
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
     * The peer's memory itself, if this process can map it: {@code ucp_rkey_ptr}. It can over shared memory, for memory
     * that the peer's UCX allocated. Any thread may read and write it; neither UCX nor the peer notices.
     *
     * @return the memory, which ends with this object; empty if it cannot be mapped
     * @throws IllegalStateException if this or the endpoint is closed
     * @throws WrongThreadException if the worker belongs to another thread
     */
    public Optional<MemorySegment> pointer() {
        checkOpen();
        if (pointer == null) {
            RemoteKeys.pointer(handle(), key).ifPresent(this::map);
        }
        return Optional.ofNullable(pointer);
    }

    @SuppressWarnings("restricted")
    private void map(MemorySegment begin) {
        arena = Arena.ofShared();
        pointer = begin.reinterpret(byteSize, arena, null);
    }

    /**
     * Compares the keys of two memories that one worker's endpoints access: {@code ucp_rkey_compare}; UCX 1.16 and
     * later. A program with many keys can keep one of those that are equal: see {@link UcpMemoryConfig#symmetricKey()}.
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
        if (!other.endpoint.worker().equals(endpoint.worker())) {
            throw new IllegalArgumentException(other + " is of another worker than " + this);
        }
        return RemoteKeys.compare(this, endpoint.worker().handle(), handle(), other.handle());
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
     * Destroys the key: {@code ucp_rkey_destroy}. From now on no operation can begin with it. Gives outstanding
     * operations {@link UcpWorkerConfig#closeTimeout} to end, and progresses the worker meanwhile. C's part of the key
     * stays until they have ended. Inside a callback of UCX it does not wait for them. Does nothing if it is closed
     * already, or being closed.
     *
     * @throws WrongThreadException if the worker belongs to another thread
     * @throws IllegalStateException if another thread is in a call that uses the {@link #pointer()}; you can try again
     */
    @Override
    public void close() {
        if (!open) {
            return;
        }
        endpoint.worker().owner().check();
        if (arena != null) {
            arena.close(); // the last thing that can be refused
        }
        lifetime.beginClose();
        open = false; // before any progress, as handlers of the program run in it
        limit = -1;
        try {
            operations.drain(this);
        } finally {
            lifetime.endClose();
            destroyIfUnused();
        }
    }

    private void destroyIfUnused() {
        long unused = outstanding == 0 ? handle.take() : 0;
        if (unused != 0) {
            UcpCall.run(Libucp.RKEY_DESTROY, unused);
        }
    }

    /** How many operations with this key have not ended. */
    int outstanding() {
        return outstanding;
    }

    /** An operation with this key was begun. */
    @HotPath
    void addOutstanding() {
        outstanding++;
    }

    /** An operation with this key has ended. */
    @HotPath
    void removeOutstanding(RequestSlot slot) {
        slot.remote = null;
        if (slot.memory != null) {
            slot.memory.release();
            slot.memory = null;
        }
        if (slot.kind >= RequestSlot.FETCH_32) {
            slot.length = UcpRemoteAtomics.fetched(slot);
        }
        if (--outstanding == 0 && !open) {
            destroyIfUnused();
        }
    }

    /** Leaves C's part of the key to the worker, which is being destroyed. */
    void abandon() {
        handle.take();
    }

    @HotPath
    private long transferAt(long offset, long length) {
        if (!endpoint.isReady() || length <= 0 || offset < 0 || length > limit - offset) {
            return inspect(offset, length);
        }
        return address + offset;
    }

    /** Makes all checks before a put or a get. */
    private long inspect(long offset, long length) {
        if (!transfers) {
            throw endpoint.worker().without(UcpFeature.RMA);
        }
        long at = at(offset, length);
        endpoint.inspect("an operation on remote memory");
        return at;
    }

    /** The address of a range in the peer's memory, after all checks. */
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

    /** The operations of its worker. */
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

    /** {@code ucp_rkey_h}; 0 once it is destroyed. */
    @HotPath
    long handle() {
        return handle.address();
    }

    /** The memory as it appears in error messages. */
    @Override
    public String toString() {
        return lifetime.toString();
    }
}
