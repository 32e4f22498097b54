// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.buffers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.GuardedArena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Threads that use more memory than a cache has room for, while arenas are closed and replaced. */
@Tag("unit")
class RegistrationsStressTest {

    private static final int THREADS = 4;
    private static final int ROUNDS = 20_000;
    private static final int ARENAS = 6;
    private static final long PAGE = 4096;
    private static final int MOST = 8;

    /** An arena, and memory of it. */
    private record Place(GuardedArena arena, MemorySegment memory) {
        static Place make() {
            var arena = GuardedArena.ofShared();
            return new Place(arena, arena.allocate(4 * PAGE, PAGE));
        }
    }

    private final PlainRegistrar registrar = new PlainRegistrar();
    private final Registrations<PlainRegistrar.Memory> cache = new Registrations<>("a cache", registrar, 1 << 20, MOST);
    private final AtomicReferenceArray<Place> places = new AtomicReferenceArray<>(ARENAS);
    private final AtomicInteger used = new AtomicInteger();
    private final AtomicInteger closed = new AtomicInteger();

    private Void work(int seed) {
        int random = seed;
        for (int i = 0; i < ROUNDS; i++) {
            random = random * 1_664_525 + 1_013_904_223;
            int index = (random >>> 8) % ARENAS;
            Place place = places.get(index);
            if ((random >>> 24) % 32 == 0) {
                replace(index, place);
            } else {
                use(place.memory().asSlice(((random >>> 16) & 3) * PAGE, PAGE));
            }
        }
        return null;
    }

    private void use(MemorySegment segment) {
        long lease;
        try {
            lease = cache.tryAcquire(segment);
        } catch (IllegalStateException e) {
            assertTrue(e.getMessage().contains("is closed"), e.getMessage());
            return;
        }
        if (lease == 0) {
            return;
        }
        PlainRegistrar.Memory memory = cache.memory(lease);
        assertTrue(memory.registered);
        assertEquals(segment.scope(), memory.segment.scope());
        assertEquals(segment.address(), memory.segment.address() + cache.offset(lease));
        assertTrue(segment.scope().isAlive(), "its arena was closed under a lease");
        assertTrue(registrar.registered.size() <= MOST + THREADS); // some are being ended or made
        used.incrementAndGet();
        cache.release(lease);
    }

    private void replace(int index, Place place) {
        try {
            place.arena().close();
        } catch (IllegalStateException e) {
            String message = e.getMessage();
            assertTrue(message.contains("of a cache") || message.equals("Already closed"), message); // by another
            return;
        }
        closed.incrementAndGet();
        assertTrue(places.compareAndSet(index, place, Place.make()));
    }

    @Test
    void shouldKeepWhatIsUsedAndLetTheRestGo() throws Exception {
        for (int i = 0; i < ARENAS; i++) {
            places.set(i, Place.make());
        }
        List<FutureTask<Void>> workers = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int seed = i;
            var worker = new FutureTask<>(() -> work(seed));
            Thread.ofPlatform().daemon().start(worker);
            workers.add(worker);
        }
        for (FutureTask<Void> worker : workers) {
            worker.get();
        }
        assertTrue(used.get() > ROUNDS, () -> "only " + used + " were used");
        assertTrue(closed.get() > 100, () -> "only " + closed + " were closed");
        assertEquals(0, cache.leasesOut());
        for (int i = 0; i < ARENAS; i++) {
            places.get(i).arena().close();
        }
        assertEquals(List.of(), registrar.registered);
        assertEquals(0, cache.count());
        assertEquals(0, cache.pinnedBytes());
        cache.close();
    }
}
