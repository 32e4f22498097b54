package dev.isthmus.safety;

import static dev.isthmus.safety.Action.action;

import dev.isthmus.GuardedArena;
import dev.isthmus.buffers.RegistrationCache;
import dev.isthmus.buffers.SlicePool;
import dev.isthmus.buffers.UcpMemoryCache;
import dev.isthmus.buffers.UcpMemoryPool;
import dev.isthmus.ucx.UcpContext;
import dev.isthmus.ucx.UcpRemoteMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** Pools of registered slices and caches of registrations, which any thread uses. */
final class UcxPools {

    private static final int MOST_OUT = 12; // slices, and leases
    private static final String NO_PARENT = "an empty one does not keep its context open";
    private static final Reason[] ENDS = {Reason.IN_USE, Reason.LEASE, Reason.DEVICE};

    /** One reference to a slice. */
    static final class Slice implements AutoCloseable {
        final UcpMemoryPool pool;
        final long number;
        private final AtomicBoolean released = new AtomicBoolean();

        Slice(UcpMemoryPool pool, long number) {
            this.pool = pool;
            this.number = number;
        }

        /** Ends it, once: the number may be another's reference afterwards. */
        @Override
        public void close() {
            if (released.compareAndSet(false, true)) {
                pool.release(number);
            }
        }
    }

    /** One lease. */
    static final class Lease implements AutoCloseable {
        final UcpMemoryCache cache;
        final long number;
        private final AtomicBoolean released = new AtomicBoolean();

        Lease(UcpMemoryCache cache, long number) {
            this.cache = cache;
            this.number = number;
        }

        @Override
        public void close() {
            if (released.compareAndSet(false, true)) {
                cache.release(number);
            }
        }
    }

    private final UcxBuffers buffers;

    UcxPools(UcxBuffers buffers) {
        this.buffers = buffers;
    }

    List<Action> all() {
        return List.of(
                action("pool", 1, this::create, Reason.ARGUMENT),
                action("slice", 4, this::slice, Reason.LEASE, Reason.DEVICE),
                action("release", 3, this::release),
                action("pool as a whole", 1, this::manage, ENDS),
                action("lease", 4, this::lease, Reason.LEASE, Reason.DEVICE, Reason.ARGUMENT, Reason.RANGE),
                action("cache as a whole", 1, this::evict, ENDS),
                action("transfer of a slice or lease", 2, this::transfer, transfer()));
    }

    private static Reason[] transfer() {
        var all = new ArrayList<>(List.of(UcxMessages.TRANSFER));
        all.add(Reason.LEASE);
        return all.toArray(Reason[]::new);
    }

    private void create(Worker w) {
        UcpContext context = w.use(UcpContext.class);
        if (w.chance(2) && w.countOpen(SlicePool.class) < 3) {
            int slice = w.chance(10) ? w.number() : 1 + w.random.nextInt(5000);
            UcpMemoryPool pool = UcpMemoryPool.create(context, slice, w.chance(10) ? w.number() : 200_000);
            w.made(SlicePool.class, pool, NO_PARENT);
        } else if (w.countOpen(RegistrationCache.class) < 3) {
            int most = w.chance(10) ? w.number() : 1 + w.random.nextInt(4);
            UcpMemoryCache cache = UcpMemoryCache.create(context, w.chance(10) ? w.number() : 150_000, most);
            w.made(RegistrationCache.class, cache, NO_PARENT);
        } else {
            throw new Worker.NothingThere(); // there are enough
        }
    }

    private void slice(Worker w) {
        if (w.countOpen(Slice.class) < MOST_OUT && w.chance(2)) {
            Thing thing = w.takeOpen(SlicePool.class);
            var pool = (UcpMemoryPool) thing.object;
            w.expected.may(Reason.CLOSED); // its context, which an empty pool does not keep open
            long number = w.chance(2) ? pool.tryAcquire() : pool.acquire();
            if (number != 0) {
                w.made(Slice.class, new Slice(pool, number), thing);
            }
            return;
        }
        Slice slice = w.peek(Slice.class); // there may be another reference
        w.expected.may(Reason.CLOSED);
        switch (w.random.nextInt(5)) {
            case 0 -> {
                slice.pool.retain(slice.number);
                w.made(Slice.class, new Slice(slice.pool, slice.number), w.world.known(slice.pool));
            }
            case 1 -> slice.pool.segment(w.chance(10) ? w.random.nextLong() : slice.number);
            case 2 -> w.ignore(slice.pool.offset(slice.number));
            case 3 -> slice.pool.memory(slice.number).attributes();
            default -> {
                MemorySegment memory = slice.pool.segment(slice.number);
                memory.set(ValueLayout.JAVA_BYTE, memory.byteSize() - 1, (byte) 1);
            }
        }
    }

    private void release(Worker w) throws Exception {
        w.close(w.pick(w.chance(2) ? Slice.class : Lease.class));
    }

    private void manage(Worker w) throws Exception {
        Thing thing = w.pick(SlicePool.class);
        var pool = (SlicePool) thing.object;
        switch (w.random.nextInt(4)) {
            case 0 -> w.close(thing);
            case 1 -> {
                w.expected.uses(thing, Expectation.Use.OPEN);
                w.expected.may(Reason.CLOSED);
                pool.reserve();
            }
            case 2 -> {
                w.expected.uses(thing, Expectation.Use.OPEN);
                w.ignore(pool.trim());
            }
            default -> w.ignore(pool.slicesOut() + pool.pinnedBytes());
        }
    }

    private void lease(Worker w) {
        if (w.countOpen(Lease.class) < MOST_OUT && w.chance(2)) {
            Thing thing = w.takeOpen(RegistrationCache.class);
            var cache = (UcpMemoryCache) thing.object;
            w.expected.may(Reason.CLOSED); // its context
            Thing buffer = w.chance(2) ? buffers.any(w) : null;
            if (buffer != null && !(buffer.whole().object instanceof GuardedArena)) {
                throw new Worker.NothingThere(); // such an arena asks nobody before it goes
            }
            MemorySegment all = buffer == null ? buffers.lasting : UcxBuffers.segment(buffer);
            MemorySegment part = all.asSlice(w.random.nextInt(50_000), w.chance(10) ? w.number() : 20_000);
            long number = w.chance(2) ? cache.tryAcquire(part) : cache.acquire(part);
            if (number != 0) {
                Thing made = w.made(Lease.class, new Lease(cache, number), thing);
                if (buffer != null) {
                    made.holds(buffer.whole());
                }
            }
            return;
        }
        Lease lease = w.peek(Lease.class);
        w.expected.may(Reason.CLOSED);
        switch (w.random.nextInt(3)) {
            case 0 ->
                lease.cache
                        .memory(w.chance(10) ? w.random.nextLong() : lease.number)
                        .attributes();
            case 1 -> w.ignore(lease.cache.offset(lease.number));
            default -> w.ignore(lease.cache.length(lease.number));
        }
    }

    private void evict(Worker w) throws Exception {
        Thing thing = w.pick(RegistrationCache.class);
        var cache = (RegistrationCache) thing.object;
        switch (w.random.nextInt(4)) {
            case 0 -> w.close(thing);
            case 1 -> {
                w.expected.uses(thing, Expectation.Use.OPEN);
                w.ignore(cache.evict(buffers.lasting.asSlice(w.random.nextInt(50_000), 1000)));
            }
            case 2 -> {
                w.expected.uses(thing, Expectation.Use.OPEN);
                cache.evictIdle();
            }
            default -> w.ignore(cache.leasesOut() + cache.pinnedBytes() + cache.registrations());
        }
    }

    /** A put from a slice or a lease, which is released at any time: what C uses is not deregistered. */
    private void transfer(Worker w) {
        Thing thing = w.pick(UcpRemoteMemory.class);
        UcpRemoteMemory remote = w.useThis(UcpRemoteMemory.class, thing);
        w.expected.may(Reason.CLOSED);
        long length = Math.min(remote.byteSize(), 1 + w.random.nextInt(1000));
        if (w.chance(2)) {
            Slice slice = w.peek(Slice.class);
            long bytes = Math.min(length, slice.pool.sliceBytes());
            long at = slice.pool.offset(slice.number);
            buffers.began(thing, null, remote.put(slice.pool.memory(slice.number), at, bytes, 0));
        } else {
            Lease lease = w.peek(Lease.class);
            long bytes = Math.min(length, lease.cache.length(lease.number));
            long at = lease.cache.offset(lease.number);
            buffers.began(thing, null, remote.put(lease.cache.memory(lease.number), at, bytes, 0));
        }
    }

    /** A context stays open, and what was registered with it. */
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
