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
 * A {@link SlicePool} for verbs: slices of memory regions of one protection domain. What stands there of threads, owners and
 * the bound holds here.
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
 * <p>Owned by who created it, and closed before the domain. The regions are the pool's, and nobody else closes them.
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
     * A pool in transparent huge pages, as far as the kernel has some, otherwise in usual ones. Nothing is registered yet.
     *
     * @param pd of the queue pairs that will use the slices
     * @param sliceBytes the length of a slice; for datagrams 40 bytes more than the message
     * @param maxBytes how much memory may be registered, which counts against {@code ulimit -l}
     * @param access what may be done to it besides reading by this side; LOCAL_WRITE for receives
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
     * A pool in pages of a kind. Nothing is registered yet.
     *
     * @param pd of the queue pairs that will use the slices
     * @param pages the kind of pages; with {@link PageMemory#HUGE_PAGES} an acquire that adds a slab throws {@link
     *     RdmaUnavailableException} when there are not enough
     * @param sliceBytes the length of a slice
     * @param maxBytes how much memory may be registered, at least a page
     * @param access what may be done to it besides reading by this side; LOCAL_WRITE for receives
     * @return the pool, which the caller closes before the domain
     * @throws IllegalArgumentException as {@link #create(ProtectionDomain, long, long, AccessFlag...)}
     * @throws IllegalStateException if the domain is closed
     * @throws RdmaUnavailableException if the kernel has no huge pages, and they are asked for
     */
    public static RegionPool create(
            ProtectionDomain pd, PageMemory pages, long sliceBytes, long maxBytes, AccessFlag... access) {
        long page = pages == PageMemory.HUGE_PAGES ? pages.pageBytes() : Slabs.usualPage();
        return create(pd, access, sliceBytes, maxBytes, page, (bytes, flags) -> pd.allocate(pages, bytes, flags));
    }

    /** Which memory a slab gets. */
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
     * The domain whose queue pairs can use the slices.
     *
     * @return the domain
     */
    public ProtectionDomain protectionDomain() {
        return pd;
    }

    /**
     * The region that a slice is in, with its lkey and rkey; {@link #offset} says where.
     *
     * @param slice the number of a slice in use
     * @return the region, which the program does not close
     * @throws IllegalStateException if the slice is not in use
     */
    @HotPath
    public MemoryRegion region(long slice) {
        return slabs.memory(slice).region();
    }

    /**
     * Makes a slice the first buffer of a request, the whole of it. It belongs to the device from the post until the request
     * has completed.
     *
     * @param <R> the kind of request
     * @param request of the calling thread; for a receive, the pool was created with LOCAL_WRITE
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
     * Makes a part of a slice the first buffer of a request. Otherwise as {@link #into(WorkRequest, long)}. For a request of
     * more than one buffer there is {@link WorkRequest#sge}, with {@link #region} and {@link #offset}.
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
     * A slice as its peer needs to know it, for an RDMA READ or WRITE. The peer may use it until the region is closed, which
     * the release of the slice does not do: agree on when it is over.
     *
     * @param slice the number of a slice in use
     * @return address, rkey and length
     * @throws IllegalStateException if the slice is not in use
     */
    public RemoteMemory remoteMemory(long slice) {
        return region(slice).remoteMemory().slice(offset(slice), sliceBytes());
    }
}
