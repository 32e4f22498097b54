// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.UcxException;
import dev.isthmus.bindings.ucx.ucp_h;
import dev.isthmus.bindings.ucx.ucp_mem_advise_params;
import dev.isthmus.internal.ArenaGuard;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.NativeCall;
import dev.isthmus.internal.ucx.Libucp;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Memory that the devices of a context may read and write, and so may peers that have its key: {@code ucp_mem_h}.
 * {@link UcpContext#allocate} and {@link UcpContext#register} create it. Thread-safe, like the context.
 *
 * <p>Before you close it, peers that have its key must have finished. Over transports that are not RDMA, such as TCP,
 * UCX reads and writes here on their behalf, and does not check that the memory is still there. A peer that has a key,
 * or makes one up, can therefore read and write anything in this process: create endpoints only between programs that
 * trust each other.
 */
public final class UcpMemory implements AutoCloseable {

    private static final int CLOSED = Integer.MIN_VALUE;

    private final UcpContext context;
    private final Lifetime lifetime;
    private final ArenaGuard own; // if UCX allocated the memory; null for the program's
    private final ArenaGuard held; // of the program's memory, if its arena is guarded
    private final MemorySegment memory;
    private final boolean accessible;
    private final long handle;
    private final AtomicInteger users = new AtomicInteger(); // operations that use it; at least CLOSED once closed
    private volatile boolean abandoned;
    private volatile boolean lent; // the program has the segment of UCX's memory

    private UcpMemory(
            UcpContext context,
            Lifetime lifetime,
            long handle,
            ArenaGuard own,
            ArenaGuard held,
            MemorySegment memory,
            boolean accessible) {
        this.context = context;
        this.lifetime = lifetime;
        this.handle = handle;
        this.own = own;
        this.held = held;
        this.memory = memory;
        this.accessible = accessible;
    }

    /** Registers a segment of the program's, after checks. */
    static UcpMemory register(UcpContext context, MemorySegment segment, UcpMemoryConfig config) {
        BufferChecks.writable(segment, 0, segment.byteSize());
        if (config.fixedAddress() != 0) {
            throw new IllegalArgumentException("a fixed address is for memory that UCX allocates");
        }
        Lifetime lifetime = lifetime(context, segment.byteSize() + " bytes registered");
        return lifetime.open(() -> {
            ArenaGuard held = ArenaGuard.hold(segment, lifetime);
            return Lifetime.orDestroy(
                    () -> {
                        long handle = MemoryMapping.register(context, segment, config);
                        return MemoryMapping.orUnmap(
                                context,
                                handle,
                                () -> new UcpMemory(context, lifetime, handle, null, held, segment, true));
                    },
                    () -> ArenaGuard.release(held, lifetime));
        });
    }

    static UcpMemory allocate(UcpContext context, long bytes, UcpMemoryConfig config) {
        Lifetime lifetime = lifetime(context, bytes + " bytes allocated");
        boolean accessible = config.memoryType() == null || config.memoryType().isHost();
        return lifetime.open(() -> {
            long handle = MemoryMapping.allocate(context, bytes, config);
            return MemoryMapping.orUnmap(context, handle, () -> own(context, lifetime, handle, bytes, accessible));
        });
    }

    static UcpMemory importExported(UcpContext context, UcpExportedMemory exported) {
        Lifetime lifetime = lifetime(context, "imported");
        return lifetime.open(() -> {
            long handle = MemoryMapping.importExported(context, exported);
            return MemoryMapping.orUnmap(context, handle, () -> own(context, lifetime, handle, 0, false));
        });
    }

    private static UcpMemory own(UcpContext context, Lifetime lifetime, long handle, long bytes, boolean accessible) {
        UcpMemoryAttributes attributes;
        try (var call = new UcpCall()) {
            attributes = MemoryMapping.query(call, lifetime, handle);
        }
        ArenaGuard own = ArenaGuard.unpublished(lifetime.toString());
        long length = bytes == 0 ? attributes.byteSize() : bytes;
        MemorySegment memory = at(attributes.address(), length, own);
        return new UcpMemory(context, lifetime, handle, own, null, memory, accessible);
    }

    @SuppressWarnings("restricted")
    private static MemorySegment at(long address, long bytes, ArenaGuard own) {
        return MemorySegment.ofAddress(address).reinterpret(bytes, own, null);
    }

    private static Lifetime lifetime(UcpContext context, String name) {
        return new Lifetime("UcpMemory", name + " with " + context, context.lifetime());
    }

    /**
     * The memory, to read and write. Memory from {@link UcpContext#allocate} belongs to this object and ends with it;
     * any thread may use it.
     *
     * @return what was registered or allocated
     * @throws IllegalStateException if it is closed, or the program cannot access it, as device or imported memory
     */
    public MemorySegment segment() {
        lifetime.check();
        if (!accessible) {
            throw new IllegalStateException(this + " is not in this process: only operations of UCX can use it");
        }
        if (own != null && !lent) { // while nobody has the segment, nobody needs its guard
            own.publish();
            lent = true;
        }
        return memory;
    }

    /**
     * Where the memory begins, in this process or on the device.
     *
     * @return the address
     */
    public long address() {
        return memory.address();
    }

    /**
     * How much memory there is.
     *
     * @return the length in bytes
     */
    public long byteSize() {
        return memory.byteSize();
    }

    /**
     * What UCX reports about the memory: {@code ucp_mem_query}.
     *
     * @return address, length and type as UCX knows them
     * @throws IllegalStateException if it is closed
     */
    public UcpMemoryAttributes attributes() {
        try (var call = new UcpCall(lifetime)) {
            return MemoryMapping.query(call, this, handle);
        }
    }

    /**
     * Advises UCX how a part of the memory will be used: {@code ucp_mem_advise}. Blocks while the kernel brings
     * pages in.
     *
     * @param offset where the part begins, in bytes
     * @param length how long it is, in bytes; 0 does nothing
     * @param advice how it will be used
     * @throws IndexOutOfBoundsException if the part is not within the memory
     * @throws IllegalStateException if it is closed
     * @throws UcxException if a device refuses
     */
    public void advise(long offset, long length, UcpMemoryAdvice advice) {
        Objects.checkFromIndexSize(offset, length, memory.byteSize());
        if (length == 0) { // some devices make UCX refuse it
            lifetime.check();
            return;
        }
        try (var call = new UcpCall(lifetime)) {
            MemorySegment params = ucp_mem_advise_params.allocate(call);
            ucp_mem_advise_params.field_mask(
                    params,
                    ucp_h.UCP_MEM_ADVISE_PARAM_FIELD_ADDRESS()
                            | ucp_h.UCP_MEM_ADVISE_PARAM_FIELD_LENGTH()
                            | ucp_h.UCP_MEM_ADVISE_PARAM_FIELD_ADVICE());
            ucp_mem_advise_params.address(params, MemorySegment.ofAddress(memory.address() + offset));
            ucp_mem_advise_params.length(params, length);
            ucp_mem_advise_params.advice(params, advice.code());
            call.check(Libucp.MEM_ADVISE, this, context.handle(), handle, params);
        }
    }

    /**
     * The key by which peers access the memory: {@code ucp_rkey_pack}. Carry it to them. It stays valid until this
     * is closed.
     *
     * @return the key, with address and length
     * @throws IllegalStateException if it is closed, or the context was created without {@link UcpFeature#RMA},
     *     {@link UcpFeature#AMO32} and {@link UcpFeature#AMO64}
     * @throws UcxException if UCX refuses
     */
    public UcpPackedKey packKey() {
        if (!UcpRemoteMemory.isIn(context)) {
            throw new IllegalStateException(context + " was made without UcpFeature.RMA, AMO32 and AMO64");
        }
        try (var call = new UcpCall(lifetime)) {
            byte[] rkey = MemoryPacking.key(call, this, context.handle(), handle);
            return UcpPackedKey.ofRaw(memory.address(), memory.byteSize(), rkey);
        }
    }

    /**
     * A handle that another context of this machine can {@linkplain UcpContext#importMemory import}, to use the memory
     * in its own operations: {@code ucp_memh_pack} with {@code UCP_MEMH_PACK_FLAG_EXPORT}; UCX 1.14 and later. Few
     * devices support it: NVIDIA's data processing units.
     *
     * @return the handle; carry it to the other process. Valid until this is closed
     * @throws IllegalStateException if it is closed
     * @throws dev.isthmus.RdmaUnavailableException if the loaded UCX is older
     * @throws UcxException if UCX refuses, for example because no device can do it
     */
    public UcpExportedMemory export() {
        try (var call = new UcpCall(lifetime)) {
            return UcpExportedMemory.ofRaw(MemoryPacking.exported(call, this, handle));
        }
    }

    /**
     * Deregisters the memory and, if UCX allocated it, frees it: {@code ucp_mem_unmap}. Does nothing if it is
     * closed already. If a worker dropped an operation that used the memory, because it did not end, the memory is
     * never freed.
     *
     * @throws IllegalStateException if operations use it, or the {@link #segment()} of memory that UCX allocated, and
     *     the program has not seen them end; or another thread is in a call that uses it; you can try again
     */
    @Override
    public void close() {
        lifetime.close(() -> {
            int using = users.get();
            if (using != 0 || !users.compareAndSet(0, CLOSED)) {
                throw new IllegalStateException(this + " is used by " + Math.max(1, using)
                        + " operations: ask UcpRequests until they are done, or flush the endpoint");
            }
            unmap();
        });
    }

    private void unmap() {
        boolean done = false;
        try (var call = new NativeCall()) {
            if (own != null) {
                abandoned |= own.removeDropped();
                own.close();
            }
            done = true; // the rest cannot fail, and the segment is gone
            if (!abandoned) {
                MemoryMapping.unmap(call, context, handle);
                ArenaGuard.release(held, lifetime);
            }
        } finally {
            if (!done) {
                users.getAndAdd(CLOSED); // twice CLOSED is 0
            }
        }
    }

    /** The memory as operations use it, whether the program can access it or not. */
    @HotPath
    MemorySegment buffer() {
        return memory;
    }

    /**
     * An operation is going to use the memory, which stays until {@link #release}.
     *
     * @return {@code ucp_mem_h}
     */
    @HotPath
    long acquire(UcpContext user) {
        if (user != context) {
            throw new IllegalArgumentException(this + " is not of the worker's " + user);
        }
        if (users.getAndIncrement() < 0) {
            users.getAndDecrement();
            throw new IllegalStateException(this + " is closed");
        }
        return handle;
    }

    /** The operation has ended. */
    @HotPath
    void release() {
        users.getAndDecrement();
    }

    /** C may still use it, as an operation never ended, and its worker is gone. C's objects stay. */
    void abandon() {
        abandoned = true;
        release();
    }

    /** The memory as it appears in error messages. */
    @Override
    public String toString() {
        return lifetime.toString();
    }
}
