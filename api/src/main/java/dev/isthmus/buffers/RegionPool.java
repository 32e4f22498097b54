// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.buffers;

import dev.isthmus.RdmaUnavailableException;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.Natives;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.MemoryRegion;
import dev.isthmus.verbs.PageMemory;
import dev.isthmus.verbs.ProtectionDomain;
import dev.isthmus.verbs.RegisteredMemory;
import dev.isthmus.verbs.RemoteMemory;
import dev.isthmus.verbs.WorkRequest;
import java.lang.foreign.MemorySegment;
import java.util.Locale;
import java.util.Objects;

/**
 * A {@link SlicePool} for verbs, with slices of memory regions of one protection domain. Its rules on threads,
 * ownership and the bound apply here.
 *
 * {@snippet :
 * try (var pool = RegionPool.create(pd, 4096, 16 << 20, AccessFlag.LOCAL_WRITE)) {
 *     long slice = pool.acquire();
 *     pool.segment(slice).setString(0, "hello");
 *     qp.post(pool.into(send, slice, 0, 6).wrId(slice).signaled(true));
 *     ...
 *     pool.release(done.wrId(0)); // when it has completed
 * }
 * }
 *
 * <p>The program that creates it owns it, and closes it before the domain. The pool owns the regions; nobody else may
 * close them.
 */
public final class RegionPool extends SlicePool {

    private final ProtectionDomain pd;
    private final Slabs<RegisteredMemory> slabs;

    private RegionPool(ProtectionDomain pd, Slabs<RegisteredMemory> slabs) {
        super(slabs);
        this.pd = pd;
        this.slabs = slabs;
    }

    /**
     * A pool in transparent huge pages where the kernel has some, and in ordinary pages otherwise. Nothing is
     * registered yet.
     *
     * @param pd of the queue pairs that will use the slices
     * @param sliceBytes the length of a slice; for datagrams, 40 bytes more than the message
     * @param maxBytes how much memory may be registered, which counts against {@code ulimit -l}
     * @param access what may be done to the memory besides reading by this side; LOCAL_WRITE for receives
     * @return the pool, which the caller closes before the domain
     * @throws IllegalArgumentException if a number is not positive, there is no room for one slice, or REMOTE_WRITE or
     *     REMOTE_ATOMIC is asked for without LOCAL_WRITE
     * @throws IllegalStateException if the domain is closed
     */
    public static RegionPool create(ProtectionDomain pd, long sliceBytes, long maxBytes, AccessFlag... access) {
        long hugePage = hugePage();
        return create(pd, access, sliceBytes, maxBytes, Slabs.usualPage(), (bytes, flags) -> {
            boolean huge = hugePage > 0 && bytes >= hugePage;
            return pd.allocate(huge ? PageMemory.TRANSPARENT_HUGE_PAGES : PageMemory.PAGES, bytes, flags);
        });
    }

    /**
     * A pool in pages of the given kind. Nothing is registered yet.
     *
     * @param pd of the queue pairs that will use the slices
     * @param pages the kind of pages; with {@link PageMemory#HUGE_PAGES}, an acquire that adds a slab throws
     *     {@link RdmaUnavailableException} if there are not enough
     * @param sliceBytes the length of a slice
     * @param maxBytes how much memory may be registered, at least a page
     * @param access what may be done to the memory besides reading by this side; LOCAL_WRITE for receives
     * @return the pool, which the caller closes before the domain
     * @throws IllegalArgumentException as {@link #create(ProtectionDomain, long, long, AccessFlag...)}
     * @throws IllegalStateException if the domain is closed
     * @throws RdmaUnavailableException if you ask for huge pages and the kernel has none
     */
    public static RegionPool create(
            ProtectionDomain pd, PageMemory pages, long sliceBytes, long maxBytes, AccessFlag... access) {
        long page = pages == PageMemory.HUGE_PAGES ? pages.pageBytes() : Slabs.usualPage();
        return create(pd, access, sliceBytes, maxBytes, page, (bytes, flags) -> pd.allocate(pages, bytes, flags));
    }

    /** Allocates the memory of a slab. */
    private interface Allocation {
        RegisteredMemory allocate(long bytes, AccessFlag... access);
    }

    private static RegionPool create(
            ProtectionDomain pd,
            AccessFlag[] access,
            long sliceBytes,
            long maxBytes,
            long pageBytes,
            Allocation allocation) {
        AccessFlag[] flags = Access.checked(access);
        Slabs.check(sliceBytes, maxBytes);
        Natives.lifetime(pd).check();
        String name = String.format(
                Locale.ROOT,
                "RegionPool(%s, slices of %,d bytes)",
                pd.context().device().name(),
                sliceBytes);
        var source = new SlabSource<RegisteredMemory>() {
            @Override
            public RegisteredMemory allocate(long bytes) {
                return allocation.allocate(bytes, flags);
            }

            @Override
            public MemorySegment segment(RegisteredMemory memory) {
                return memory.segment();
            }

            @Override
            public void free(RegisteredMemory memory) {
                memory.close();
            }
        };
        return new RegionPool(pd, new Slabs<>(name, source, sliceBytes, maxBytes, pageBytes));
    }

    private static long hugePage() {
        try {
            return PageMemory.TRANSPARENT_HUGE_PAGES.pageBytes();
        } catch (RdmaUnavailableException e) { // this kernel has none
            return 0;
        }
    }

    /**
     * The domain, whose queue pairs can use the slices.
     *
     * @return the domain
     */
    public ProtectionDomain protectionDomain() {
        return pd;
    }

    /**
     * The region that contains a slice, with its lkey and rkey. {@link #offset} says where the slice begins in it.
     *
     * @param slice the number of a slice in use
     * @return the region, which the program must not close
     * @throws IllegalStateException if the slice is not in use
     */
    @HotPath
    public MemoryRegion region(long slice) {
        return slabs.memory(slice).region();
    }

    /**
     * Makes a whole slice the first buffer of a request. The device owns it from the post until the request
     * has completed.
     *
     * @param <R> the kind of request
     * @param request of the calling thread; a receive needs a pool that was created with LOCAL_WRITE
     * @param slice the number of a slice in use
     * @return the request
     * @throws IllegalStateException if the slice is not in use
     * @throws IndexOutOfBoundsException if the request was prepared without buffers
     * @throws IllegalArgumentException if the request is a receive, and the pool was created without LOCAL_WRITE
     * @throws WrongThreadException if the request belongs to another thread
     */
    @HotPath
    public <R extends WorkRequest<R>> R into(R request, long slice) {
        Slab<RegisteredMemory> slab = slabs.slab(slice);
        return request.sge(0, slab.memory().region(), slabs.offset(slab, slice), sliceBytes());
    }

    /**
     * Makes a part of a slice the first buffer of a request; otherwise like {@link #into(WorkRequest, long)}. For a
     * request with more than one buffer, use {@link WorkRequest#sge} with {@link #region} and {@link #offset}.
     *
     * @param <R> the kind of request
     * @param request of the calling thread
     * @param slice the number of a slice in use
     * @param offset where the part begins in the slice, in bytes
     * @param length its length in bytes
     * @return the request
     * @throws IndexOutOfBoundsException if the part is not within the slice, or the request was prepared without buffers
     */
    @HotPath
    public <R extends WorkRequest<R>> R into(R request, long slice, long offset, long length) {
        Objects.checkFromIndexSize(offset, length, sliceBytes());
        Slab<RegisteredMemory> slab = slabs.slab(slice);
        return request.sge(0, slab.memory().region(), slabs.offset(slab, slice) + offset, length);
    }

    /**
     * A slice, described for the peer's RDMA READ or WRITE. The peer can use it until the region is closed. Releasing
     * the slice does not close it, so agree with the peer on when it is done.
     *
     * @param slice the number of a slice in use
     * @return address, rkey and length
     * @throws IllegalStateException if the slice is not in use
     */
    public RemoteMemory remoteMemory(long slice) {
        return region(slice).remoteMemory().slice(offset(slice), sliceBytes());
    }
}
