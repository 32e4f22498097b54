// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.safety;

import static dev.isthmus.safety.Action.action;

import dev.isthmus.buffers.RegistrationCache;
import dev.isthmus.buffers.SlicePool;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** Pools of registered slices and caches of registrations, which any thread uses. */
abstract class Pools {

    private static final int MOST_OUT = 12; // slices, and leases
    private static final int MOST = 3; // pools, and caches
    private static final String NO_PARENT = "an empty one does not keep its parent open";
    private static final Reason[] ENDS = {Reason.IN_USE, Reason.LEASE, Reason.DEVICE};

    /** One reference to a slice. */
    static final class Slice implements AutoCloseable {
        final SlicePool pool;
        final long number;
        private final AtomicBoolean released = new AtomicBoolean();

        Slice(SlicePool pool, long number) {
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
        final RegistrationCache cache;
        final long number;
        private final AtomicBoolean released = new AtomicBoolean();

        Lease(RegistrationCache cache, long number) {
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

    /** Leased memory: of an arena that asks before it closes or, if that is null, of one that never closes. */
    record Lent(MemorySegment memory, Thing arena) {}

    /** Creates a pool from an object that the call uses. */
    abstract SlicePool pool(Worker w, long sliceBytes, long maxBytes);

    /** Creates a cache from an object that the call uses. */
    abstract RegistrationCache cache(Worker w, long maxBytes, int most);

    abstract Lent lend(Worker w);

    /** Memory that is never freed. */
    abstract MemorySegment lasting();

    /** Reads the registered memory that contains a slice. */
    abstract void look(SlicePool pool, long slice);

    /** Reads the registered memory of a lease. */
    abstract void look(RegistrationCache cache, long lease);

    /** Makes C use a slice or a lease, which is released at any time. */
    abstract void transfer(Worker w);

    abstract Reason[] transferReasons();

    final List<Action> all() {
        return List.of(
                action("pool", 1, this::create, Reason.ARGUMENT),
                action("slice", 4, this::slice, Reason.LEASE, Reason.DEVICE),
                action("release", 3, this::release),
                action("pool as a whole", 1, this::manage, ENDS),
                action("lease", 4, this::lease, Reason.LEASE, Reason.DEVICE, Reason.ARGUMENT, Reason.RANGE),
                action("cache as a whole", 1, this::evict, ENDS),
                action("transfer of a slice or lease", 2, this::transfer, transferReasons()));
    }

    private void create(Worker w) {
        if (w.chance(2) && w.countOpen(SlicePool.class) < MOST) {
            int slice = w.chance(10) ? w.number() : 1 + w.random.nextInt(5000);
            w.made(SlicePool.class, pool(w, slice, w.chance(10) ? w.number() : 200_000), NO_PARENT);
        } else if (w.countOpen(RegistrationCache.class) < MOST) {
            int most = w.chance(10) ? w.number() : 1 + w.random.nextInt(4);
            w.made(RegistrationCache.class, cache(w, w.chance(10) ? w.number() : 150_000, most), NO_PARENT);
        } else {
            throw new Worker.NothingThere(); // there are enough
        }
    }

    private void slice(Worker w) {
        if (w.countOpen(Slice.class) < MOST_OUT && w.chance(2)) {
            Thing thing = w.takeOpen(SlicePool.class);
            var pool = (SlicePool) thing.object;
            w.expected.may(Reason.CLOSED); // its parent, which an empty pool does not keep open
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
            case 3 -> look(slice.pool, slice.number);
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
            var cache = (RegistrationCache) thing.object;
            w.expected.may(Reason.CLOSED); // its parent
            Lent lent = lend(w);
            MemorySegment part = lent.memory.asSlice(w.random.nextInt(50_000), w.chance(10) ? w.number() : 20_000);
            long number = w.chance(2) ? cache.tryAcquire(part) : cache.acquire(part);
            if (number != 0) {
                Thing made = w.made(Lease.class, new Lease(cache, number), thing);
                if (lent.arena != null) {
                    made.holds(lent.arena);
                }
            }
            return;
        }
        Lease lease = w.peek(Lease.class);
        w.expected.may(Reason.CLOSED);
        switch (w.random.nextInt(3)) {
            case 0 -> look(lease.cache, w.chance(10) ? w.random.nextLong() : lease.number);
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
                w.ignore(cache.evict(lasting().asSlice(w.random.nextInt(50_000), 1000)));
            }
            case 2 -> {
                w.expected.uses(thing, Expectation.Use.OPEN);
                cache.evictIdle();
            }
            default -> w.ignore(cache.leasesOut() + cache.pinnedBytes() + cache.registrations());
        }
    }
}
