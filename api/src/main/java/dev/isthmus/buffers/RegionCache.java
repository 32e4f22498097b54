// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.buffers;

import dev.isthmus.VerbsException;
import dev.isthmus.internal.Errno;
import dev.isthmus.internal.Natives;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.MemoryRegion;
import dev.isthmus.verbs.ProtectionDomain;
import dev.isthmus.verbs.RemoteMemory;
import dev.isthmus.verbs.WorkRequest;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * A {@link RegistrationCache} for verbs, with memory regions of one protection domain. Its rules on threads, on bounds,
 * and on memory that ends apply here.
 *
 * {@snippet :
 * try (var cache = RegionCache.create(pd, 1L << 30, 1000);
 *         var arena = GuardedArena.ofShared();
 *         var file = FileChannel.open(path, READ, WRITE)) {
 *     MemorySegment content = file.map(READ_WRITE, 0, file.size(), arena);
 *     long lease = cache.acquire(content);
 *     qp.post(cache.into(write, lease, 0, content.byteSize()).wrId(lease).remote(there, 0));
 *     ...
 *     cache.release(done.wrId(0)); // when it has completed
 * }
 * }
 *
 * <p>The system may allow less than the bounds, for example by {@code ulimit -l}. If a registration fails for that,
 * idle ones are deregistered until it succeeds or none is left.
 *
 * <p>The program that creates it owns it, and closes it before the domain. The cache owns the regions; nobody else may
 * close them.
 */
public final class RegionCache extends RegistrationCache {

    private final ProtectionDomain pd;
    private final Registrations<MemoryRegion> registrations;

    private RegionCache(ProtectionDomain pd, Registrations<MemoryRegion> registrations) {
        super(registrations);
        this.pd = pd;
        this.registrations = registrations;
    }

    /**
     * A cache without any registrations.
     *
     * @param pd of the queue pairs that will use the memory
     * @param maxBytes how much memory may be registered, in whole pages
     * @param maxRegions how many regions there may be
     * @param access what may be done to the memory besides reading by this side. Without LOCAL_WRITE the cache accepts
     *     read-only memory, but Linux 6.1 refuses files that are mapped READ_ONLY all the same, with EFAULT
     * @return the cache, which the caller closes before the domain
     * @throws IllegalArgumentException if a bound is not positive, or REMOTE_WRITE or REMOTE_ATOMIC is asked for
     *     without LOCAL_WRITE
     * @throws IllegalStateException if the domain is closed
     */
    public static RegionCache create(ProtectionDomain pd, long maxBytes, int maxRegions, AccessFlag... access) {
        AccessFlag[] flags = Access.checked(access);
        Registrations.check(maxBytes, maxRegions);
        Natives.lifetime(pd).check();
        String name = "RegionCache(" + pd.context().device().name() + ")";
        var registrar = new Registrar<MemoryRegion>() {
            @Override
            public MemoryRegion register(MemorySegment segment) {
                return pd.register(segment, flags);
            }

            @Override
            public void deregister(MemoryRegion region) {
                region.close();
            }

            @Override
            public boolean isWritable() {
                return Access.areWritable(flags);
            }

            @Override
            public boolean isLimitReached(RuntimeException e) {
                return e instanceof VerbsException failure && failure.errno() == Errno.ENOMEM;
            }
        };
        return new RegionCache(pd, new Registrations<>(name, registrar, maxBytes, maxRegions));
    }

    /**
     * The domain, whose queue pairs can use the memory.
     *
     * @return the domain
     */
    public ProtectionDomain protectionDomain() {
        return pd;
    }

    /**
     * The region of a lease, with its lkey and rkey. {@link #offset} says where the segment begins in it.
     *
     * @param lease the number of a lease that is out
     * @return the region, which the program must not close
     * @throws IllegalStateException if the lease is not out
     */
    public MemoryRegion region(long lease) {
        return registrations.memory(lease);
    }

    /**
     * Makes a part of a lease's memory the first buffer of a request. The device owns it from the post until the
     * request has completed.
     *
     * @param <R> the kind of request
     * @param request of the calling thread; a receive needs a cache that was created with LOCAL_WRITE
     * @param lease the number of a lease that is out
     * @param offset where the part begins in the segment of the lease, in bytes
     * @param length its length in bytes
     * @return the request
     * @throws IllegalStateException if the lease is not out
     * @throws IndexOutOfBoundsException if the part is not within the segment, or the request was prepared without buffers
     * @throws IllegalArgumentException if the request is a receive, and the cache was created without LOCAL_WRITE
     * @throws WrongThreadException if the request belongs to another thread
     */
    public <R extends WorkRequest<R>> R into(R request, long lease, long offset, long length) {
        Objects.checkFromIndexSize(offset, length, length(lease));
        return request.sge(0, region(lease), offset(lease) + offset, length);
    }

    /**
     * The memory of a lease, described for the peer's RDMA READ or WRITE. Release the lease once the peer is done.
     *
     * @param lease the number of a lease that is out
     * @return address, rkey and length
     * @throws IllegalStateException if the lease is not out
     */
    public RemoteMemory remoteMemory(long lease) {
        return region(lease).remoteMemory().slice(offset(lease), length(lease));
    }
}
