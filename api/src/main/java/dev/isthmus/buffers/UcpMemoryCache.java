// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.buffers;

import dev.isthmus.UcxException;
import dev.isthmus.internal.Natives;
import dev.isthmus.ucx.UcpContext;
import dev.isthmus.ucx.UcpMemory;
import dev.isthmus.ucx.UcsStatus;
import java.lang.foreign.MemorySegment;

/**
 * A {@link RegistrationCache} for UCX, with memory registered with the devices of one context. Its rules on threads, on
 * bounds, and on memory that ends apply here. Use it for what takes registered memory: {@code put} and {@code get} of a
 * {@link dev.isthmus.ucx.UcpRemoteMemory}, and keys for peers. For messages UCX has a cache of its own.
 *
 * {@snippet :
 * long lease = cache.acquire(buffer);
 * long put = remote.put(cache.memory(lease), cache.offset(lease), cache.length(lease), 0);
 * ...
 * worker.requests().release(put); // when it is done
 * cache.release(lease);
 * }
 *
 * <p>A peer that has a key can use it until the memory is deregistered. Evict the memory once the peer is done.
 *
 * <p>The program that creates it owns it, and closes it before the context. The cache owns the memories; nobody else
 * may close them.
 */
public final class UcpMemoryCache extends RegistrationCache {

    private final UcpContext context;
    private final Registrations<UcpMemory> registrations;

    private UcpMemoryCache(UcpContext context, Registrations<UcpMemory> registrations) {
        super(registrations);
        this.context = context;
        this.registrations = registrations;
    }

    /**
     * A cache without any registrations.
     *
     * @param context of the workers that will use the memory
     * @param maxBytes how much memory may be registered, in whole pages
     * @param maxMemories how many registrations there may be
     * @return the cache, which the caller closes before the context
     * @throws IllegalArgumentException if a bound is not positive
     * @throws IllegalStateException if the context is closed
     */
    public static UcpMemoryCache create(UcpContext context, long maxBytes, int maxMemories) {
        Registrations.check(maxBytes, maxMemories);
        Natives.lifetime(context).check();
        var registrar = new Registrar<UcpMemory>() {
            @Override
            public UcpMemory register(MemorySegment segment) {
                return context.register(segment);
            }

            @Override
            public void deregister(UcpMemory memory) {
                memory.close();
            }

            @Override
            public boolean isWritable() {
                return true; // UCX registers for all kinds of access
            }

            @Override
            public boolean isLimitReached(RuntimeException e) {
                return e instanceof UcxException failure && UcsStatus.of(failure.status()) == UcsStatus.NO_MEMORY;
            }
        };
        String name = "UcpMemoryCache(" + context + ")";
        return new UcpMemoryCache(context, new Registrations<>(name, registrar, maxBytes, maxMemories));
    }

    /**
     * The context, whose workers can use the memory.
     *
     * @return the context
     */
    public UcpContext context() {
        return context;
    }

    /**
     * The registered memory of a lease. {@link #offset} says where the segment begins in it.
     *
     * @param lease the number of a lease that is out
     * @return the memory, which the program must not close
     * @throws IllegalStateException if the lease is not out
     */
    public UcpMemory memory(long lease) {
        return registrations.memory(lease);
    }
}
