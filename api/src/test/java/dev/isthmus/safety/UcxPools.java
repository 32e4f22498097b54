// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.safety;

import dev.isthmus.GuardedArena;
import dev.isthmus.buffers.RegistrationCache;
import dev.isthmus.buffers.SlicePool;
import dev.isthmus.buffers.UcpMemoryCache;
import dev.isthmus.buffers.UcpMemoryPool;
import dev.isthmus.ucx.UcpContext;
import dev.isthmus.ucx.UcpMemory;
import dev.isthmus.ucx.UcpRemoteMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** The pools and caches of UCX. */
final class UcxPools extends Pools {

    private final UcxBuffers buffers;

    UcxPools(UcxBuffers buffers) {
        this.buffers = buffers;
    }

    @Override
    Reason[] transferReasons() {
        var all = new ArrayList<>(List.of(UcxMessages.TRANSFER));
        all.add(Reason.LEASE);
        return all.toArray(Reason[]::new);
    }

    @Override
    UcpMemoryPool pool(Worker w, long sliceBytes, long maxBytes) {
        return UcpMemoryPool.create(w.use(UcpContext.class), sliceBytes, maxBytes);
    }

    @Override
    UcpMemoryCache cache(Worker w, long maxBytes, int most) {
        return UcpMemoryCache.create(w.use(UcpContext.class), maxBytes, most);
    }

    @Override
    Lent lend(Worker w) {
        Thing buffer = w.chance(2) ? buffers.any(w) : null;
        if (buffer != null && !(buffer.whole().object instanceof GuardedArena)) {
            throw new Worker.NothingThere(); // such an arena asks nobody before it goes
        }
        return buffer == null ? new Lent(buffers.lasting, null) : new Lent(UcxBuffers.segment(buffer), buffer.whole());
    }

    @Override
    MemorySegment lasting() {
        return buffers.lasting;
    }

    @Override
    void look(SlicePool pool, long slice) {
        ((UcpMemoryPool) pool).memory(slice).attributes();
    }

    @Override
    void look(RegistrationCache cache, long lease) {
        ((UcpMemoryCache) cache).memory(lease).attributes();
    }

    /** Memory that C uses is not deregistered. */
    @Override
    void transfer(Worker w) {
        Thing thing = w.pick(UcpRemoteMemory.class);
        UcpRemoteMemory remote = w.useThis(UcpRemoteMemory.class, thing);
        w.expected.may(Reason.CLOSED);
        long length = Math.min(remote.byteSize(), 1 + w.random.nextInt(1000));
        if (w.chance(2)) {
            Slice slice = w.peek(Slice.class);
            long bytes = Math.min(length, slice.pool.sliceBytes());
            long at = slice.pool.offset(slice.number);
            UcpMemory memory = ((UcpMemoryPool) slice.pool).memory(slice.number);
            buffers.began(thing, null, remote.put(memory, at, bytes, 0));
        } else {
            Lease lease = w.peek(Lease.class);
            long bytes = Math.min(length, lease.cache.length(lease.number));
            long at = lease.cache.offset(lease.number);
            UcpMemory memory = ((UcpMemoryCache) lease.cache).memory(lease.number);
            buffers.began(thing, null, remote.put(memory, at, bytes, 0));
        }
    }

    /** A context stays open, and so does what was registered with it. */
    static void leave(World world, Object context) {
        for (Thing pool : world.open(SlicePool.class)) {
            if (((UcpMemoryPool) pool.object).context().equals(context)) {
                world.forget(pool);
            }
        }
        for (Thing cache : world.open(RegistrationCache.class)) {
            if (((UcpMemoryCache) cache.object).context().equals(context)) {
                world.forget(cache);
            }
        }
    }
}
