// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.buffers;

import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.Natives;
import dev.isthmus.ucx.UcpContext;
import dev.isthmus.ucx.UcpMemory;
import java.lang.foreign.MemorySegment;
import java.util.Locale;

/**
 * A {@link SlicePool} for UCX. Its slices are in memory that UCX allocates, in huge pages where it finds some, and
 * registers with the devices of one context. The pool's rules on threads, ownership and the bound apply here.
 *
 * {@snippet :
 * try (var pool = UcpMemoryPool.create(context, 4096, 16 << 20)) {
 *     long slice = pool.acquire();
 *     long receive = worker.tagReceive(pool.segment(slice), tag);
 *     ...
 *     worker.requests().release(receive); // when it is done, and the slice has been read
 *     pool.release(slice);
 *
 *     long next = pool.acquire();
 *     long put = remote.put(pool.memory(next), pool.offset(next), length, 0); // RMA takes the registered memory
 * }
 * }
 *
 * <p>The pool's memory is guarded like that of {@link UcpMemory}: the pool cannot be closed while an operation uses it,
 * or has not been seen to end.
 *
 * <p>The program that creates it owns it, and closes it before the context. The pool owns the memories; nobody else may
 * close them.
 */
public final class UcpMemoryPool extends SlicePool {

    private final UcpContext context;
    private final Slabs<UcpMemory> slabs;

    private UcpMemoryPool(UcpContext context, Slabs<UcpMemory> slabs) {
        super(slabs);
        this.context = context;
        this.slabs = slabs;
    }

    /**
     * A pool. Nothing is allocated yet.
     *
     * @param context of the workers that will use the slices
     * @param sliceBytes the length of a slice
     * @param maxBytes how much memory may be registered; UCX may round a slab up to whole huge pages, and keep its own
     *     memory registered
     * @return the pool, which the caller closes before the context
     * @throws IllegalArgumentException if a number is not positive, or there is no room for one slice
     * @throws IllegalStateException if the context is closed
     */
    public static UcpMemoryPool create(UcpContext context, long sliceBytes, long maxBytes) {
        Slabs.check(sliceBytes, maxBytes);
        Natives.lifetime(context).check();
        String name = String.format(Locale.ROOT, "UcpMemoryPool(%s, slices of %,d bytes)", context, sliceBytes);
        var source = new SlabSource<UcpMemory>() {
            @Override
            public UcpMemory allocate(long bytes) {
                return context.allocate(bytes);
            }

            @Override
            public MemorySegment segment(UcpMemory memory) {
                return memory.segment();
            }

            @Override
            public void free(UcpMemory memory) {
                memory.close();
            }
        };
        return new UcpMemoryPool(context, new Slabs<>(name, source, sliceBytes, maxBytes, Slabs.usualPage()));
    }

    /**
     * The context, whose workers can use the slices.
     *
     * @return the context
     */
    public UcpContext context() {
        return context;
    }

    /**
     * The registered memory that contains a slice, for operations that take such memory. {@link #offset} says where the
     * slice begins. With its {@link UcpMemory#packKey} a peer can access all slices of the slab.
     *
     * @param slice the number of a slice in use
     * @return the memory, which the program must not close
     * @throws IllegalStateException if the slice is not in use
     */
    @HotPath
    public UcpMemory memory(long slice) {
        return slabs.memory(slice);
    }
}
