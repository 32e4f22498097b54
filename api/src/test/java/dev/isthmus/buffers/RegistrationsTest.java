// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.buffers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.GuardedArena;
import dev.isthmus.testbed.Allocated;
import dev.isthmus.testbed.TestDeadlines;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

@Tag("unit")
class RegistrationsTest {

    private static final long PAGE = 4096;
    private static final int MOST = 4;

    private final PlainRegistrar registrar = new PlainRegistrar();
    private final Registrations<PlainRegistrar.Memory> cache =
            new Registrations<>("a cache", registrar, 16 * PAGE, MOST);
    private final Arena arena = Arena.ofShared();

    @AfterEach
    void closeArena() {
        arena.close();
    }

    private MemorySegment pages(int count) {
        return arena.allocate(count * PAGE, PAGE);
    }

    private static String refused(Executable call) {
        return assertThrows(IllegalStateException.class, call).getMessage();
    }

    /** Uses memory, and gives it back. */
    private PlainRegistrar.Memory use(MemorySegment segment) {
        long lease = cache.acquire(segment);
        PlainRegistrar.Memory memory = cache.memory(lease);
        assertTrue(memory.registered);
        cache.release(lease);
        return memory;
    }

    @Test
    void shouldRegisterOnce() {
        MemorySegment segment = pages(4);
        PlainRegistrar.Memory first = use(segment);
        assertSame(first, use(segment));
        assertSame(first, use(segment.asSlice(100, 200)));
        assertSame(first, use(segment.asReadOnly()));
        assertEquals(1, registrar.made.get());
        assertEquals(1, cache.created());
        assertEquals(4 * PAGE, cache.pinnedBytes());
        assertEquals(1, cache.count());
    }

    @Test
    void shouldTellWhereASegmentIs() {
        MemorySegment segment = pages(4);
        long all = cache.acquire(segment);
        long part = cache.acquire(segment.asSlice(100, 200));
        assertNotEquals(all, part);
        assertTrue(all > 0 && part > 0);
        assertEquals(0, cache.offset(all));
        assertEquals(4 * PAGE, cache.length(all));
        assertEquals(100, cache.offset(part));
        assertEquals(200, cache.length(part));
        assertSame(cache.memory(all), cache.memory(part));
        assertEquals(2, cache.leasesOut());
    }

    @Test
    void shouldFindTheOneThatCoversAmongOverlapping() {
        MemorySegment segment = pages(4);
        List<Long> leases = new ArrayList<>();
        for (long[] range : new long[][] {{4000, 200}, {0, 4100}, {50, 10_000}, {10_000, 51}}) {
            leases.add(cache.acquire(segment.asSlice(range[0], range[1])));
        }
        assertEquals(4, registrar.made.get());
        for (long[] range :
                new long[][] {{0, 50}, {4000, 100}, {51, 9_999}, {9_000, 1_050}, {10_040, 11}, {4_100, 100}}) {
            long lease = cache.acquire(segment.asSlice(range[0], range[1]));
            MemorySegment covering = cache.memory(lease).segment;
            assertEquals(segment.address() + range[0], covering.address() + cache.offset(lease));
            assertTrue(cache.offset(lease) + range[1] <= covering.byteSize());
            cache.release(lease);
        }
        assertEquals(4, registrar.made.get());
        leases.forEach(cache::release);
        assertEquals(0, cache.acquire(segment.asSlice(49, 10_000)) & Long.MIN_VALUE); // which none covers
        assertEquals(5, registrar.made.get());
    }

    @Test
    void shouldEndTheLeastRecentlyUsed() {
        var memories = new ArrayList<PlainRegistrar.Memory>();
        var segments = new ArrayList<MemorySegment>();
        for (int i = 0; i < MOST; i++) {
            segments.add(pages(1));
            memories.add(use(segments.get(i)));
        }
        use(segments.get(0));
        use(pages(1)); // a fifth
        assertTrue(memories.get(0).registered);
        assertFalse(memories.get(1).registered);
        assertEquals(MOST, cache.count());
        PlainRegistrar.Memory large = use(pages(15)); // which leaves room for one page
        assertEquals(List.of(15 * PAGE, PAGE), List.of(large.segment.byteSize(), cache.pinnedBytes() - 15 * PAGE));
        assertNotSame(memories.get(1), use(segments.get(1)));
        assertTrue(cache.pinnedBytes() <= 16 * PAGE);
    }

    @Test
    void shouldNeverEndWhatIsInUse() {
        List<Long> leases = new ArrayList<>();
        for (int i = 0; i < MOST; i++) {
            leases.add(cache.acquire(pages(1)));
        }
        MemorySegment one = pages(1);
        assertEquals(0, cache.tryAcquire(one));
        String message = refused(() -> cache.acquire(one));
        assertTrue(
                message.startsWith(
                        "a cache has no room for 4,096 bytes: 4 leases are out, 4 registrations of 16,384 bytes"
                                + " are in use, and its bounds are 4 registrations and 65,536 bytes"),
                message);
        assertFalse(message.contains("ulimit"), message);
        assertTrue(registrar.registered.stream().allMatch(memory -> memory.registered));
        PlainRegistrar.Memory first = cache.memory(leases.getFirst());
        cache.release(leases.getFirst());
        assertNotEquals(0, cache.acquire(one));
        assertFalse(first.registered);
        assertEquals(MOST, registrar.registered.size());
    }

    @Test
    void shouldCountWholePages() {
        MemorySegment segment = pages(3);
        long lease = cache.acquire(segment.asSlice(PAGE - 1, 2));
        assertEquals(2 * PAGE, cache.pinnedBytes());
        cache.release(lease);
        String message = assertThrows(IllegalArgumentException.class, () -> cache.acquire(pages(17)))
                .getMessage();
        assertTrue(message.contains("69,632 bytes is more than the bound of a cache, which is 65,536"), message);
    }

    @Test
    void shouldRefuseLeasesThatAreNotOut() {
        MemorySegment segment = pages(1);
        long lease = cache.acquire(segment);
        long other = cache.acquire(segment);
        cache.release(lease);
        assertStale(lease);
        long again = cache.acquire(segment);
        assertEquals((int) lease, (int) again);
        assertStale(lease);
        for (long made : new long[] {0, -1, 5, Long.MAX_VALUE, Long.MIN_VALUE, -other, other + (1L << 32)}) {
            assertStale(made);
        }
        assertEquals(2, cache.leasesOut());
        assertTrue(cache.memory(other).registered);
    }

    private void assertStale(long lease) {
        assertTrue(refused(() -> cache.release(lease)).contains("is no lease of a cache that is out"));
        refused(() -> cache.memory(lease));
        refused(() -> cache.offset(lease));
        refused(() -> cache.length(lease));
    }

    @Test
    void shouldRefuseWhatNoDeviceCanHave() throws Exception {
        MemorySegment segment = pages(1);
        assertThrows(IllegalArgumentException.class, () -> cache.acquire(MemorySegment.ofArray(new byte[8])));
        assertThrows(IllegalArgumentException.class, () -> cache.acquire(segment.asSlice(0, 0)));
        registrar.writable = true;
        use(segment);
        assertThrows(IllegalArgumentException.class, () -> cache.acquire(segment.asReadOnly())); // registered or not
        try (var confined = Arena.ofConfined()) {
            MemorySegment mine = confined.allocate(8);
            use(mine);
            var other = new FutureTask<>(() -> assertThrows(WrongThreadException.class, () -> cache.acquire(mine)));
            Thread.ofPlatform().start(other);
            other.get();
        }
    }

    @Test
    void shouldNotFindWhatAnotherMappingHasTaken(@TempDir Path folder) throws Exception {
        Path path = Files.write(folder.resolve("file"), new byte[(int) (4 * PAGE)]);
        PlainRegistrar.Memory gone;
        long address;
        try (var file = FileChannel.open(path);
                var first = Arena.ofShared()) {
            MemorySegment mapped = file.map(MapMode.READ_ONLY, 0, 4 * PAGE, first);
            address = mapped.address();
            gone = use(mapped);
        }
        boolean same = false;
        try (var file = FileChannel.open(path);
                var second = Arena.ofShared()) {
            for (int i = 0; i < 16 && !same; i++) { // the kernel gives the same addresses again
                MemorySegment mapped = file.map(MapMode.READ_ONLY, 0, 4 * PAGE, second);
                same = mapped.address() == address;
                PlainRegistrar.Memory memory = use(mapped);
                assertNotSame(gone, memory);
                assertSame(mapped, memory.segment);
                cache.evict(mapped);
            }
            assertTrue(same, "no mapping took the addresses of the one that is gone");
        }
        assertFalse(gone.registered);
    }

    @Test
    void shouldEndWhatIsGoneWithItsLastLease() {
        Arena closed = Arena.ofShared();
        long lease = cache.acquire(closed.allocate(8));
        PlainRegistrar.Memory memory = cache.memory(lease);
        closed.close();
        use(pages(1)); // which ends what is gone and not in use
        assertTrue(memory.registered);
        cache.release(lease);
        assertFalse(memory.registered);
        assertEquals(1, cache.count());
        MemorySegment dead = memory.segment;
        assertTrue(refused(() -> cache.acquire(dead)).contains("the arena of the segment is closed"));
    }

    @Test
    void shouldLetAGuardedArenaCloseUnlessItIsInUse() {
        var guarded = GuardedArena.ofShared();
        MemorySegment segment = guarded.allocate(PAGE, PAGE);
        PlainRegistrar.Memory idle = use(segment.asSlice(0, 8));
        long lease = cache.acquire(segment.asSlice(100, 8));
        PlainRegistrar.Memory used = cache.memory(lease);
        String message = refused(guarded::close);
        assertTrue(message.contains("1 lease of a cache"), message);
        assertFalse(idle.registered);
        assertTrue(used.registered);
        cache.release(lease);
        assertTrue(used.registered);
        guarded.close();
        assertFalse(used.registered);
        assertEquals(0, cache.count());
        assertEquals(0, cache.pinnedBytes());
    }

    @Test
    void shouldEvictAllOfASegmentOrNothing() {
        MemorySegment segment = pages(4);
        PlainRegistrar.Memory first = use(segment.asSlice(0, 100));
        PlainRegistrar.Memory second = use(segment.asSlice(200, 100));
        PlainRegistrar.Memory third = use(segment.asSlice(2 * PAGE, 100));
        long lease = cache.acquire(segment.asSlice(250, 10));
        assertTrue(refused(() -> cache.evict(segment)).contains("the segment is in use by 1 lease of a cache"));
        assertTrue(first.registered && second.registered && third.registered);
        cache.release(lease);
        assertEquals(2, cache.evict(segment.asSlice(99, 102)));
        assertFalse(first.registered || second.registered);
        assertTrue(third.registered);
        assertEquals(0, cache.evict(pages(1)));
        cache.evictIdle();
        assertFalse(third.registered);
        assertEquals(0, cache.count());
    }

    @Test
    void shouldMakeRoomWhenTheSystemAllowsLess() {
        registrar.mostOfTheSystem = 2;
        PlainRegistrar.Memory oldest = use(pages(1));
        long lease = cache.acquire(pages(1));
        PlainRegistrar.Memory used = cache.memory(lease);
        use(pages(1));
        assertFalse(oldest.registered);
        assertTrue(used.registered);
        long other = cache.acquire(pages(1));
        assertThrows(PlainRegistrar.NoRoom.class, () -> cache.acquire(pages(1)));
        assertEquals(2, cache.count());
        assertEquals(2 * PAGE, cache.pinnedBytes());
        cache.release(other);
        use(pages(1));
    }

    @Test
    void shouldKeepWhatCannotBeEnded() {
        MemorySegment segment = pages(1);
        PlainRegistrar.Memory memory = use(segment);
        registrar.refusal = new UnsupportedOperationException("something uses it");
        assertThrows(UnsupportedOperationException.class, cache::evictIdle);
        assertThrows(UnsupportedOperationException.class, () -> cache.evict(segment));
        assertThrows(UnsupportedOperationException.class, cache::close);
        assertSame(memory, use(segment)); // found as before
        for (int i = 1; i < MOST; i++) {
            use(pages(1));
        }
        MemorySegment more = pages(1);
        var e = assertThrows(IllegalStateException.class, () -> cache.acquire(more));
        assertSame(registrar.refusal, e.getCause());
        registrar.refusal = null;
        cache.close();
        assertFalse(memory.registered);
        assertEquals(List.of(), registrar.registered);
    }

    @Test
    void shouldStayOpenWhileLeasesAreOut() {
        MemorySegment segment = pages(1);
        long lease = cache.acquire(segment);
        long second = cache.acquire(segment);
        assertTrue(refused(cache::close).contains("cannot be closed yet: 2 leases are out"));
        cache.release(second);
        assertTrue(refused(cache::close).contains("cannot be closed yet: 1 lease is out"));
        assertTrue(cache.memory(lease).registered);
        cache.release(lease);
        cache.close();
        cache.close();
        assertEquals(List.of(), registrar.registered);
        assertEquals("a cache is closed", refused(() -> cache.acquire(segment)));
        refused(() -> cache.evict(segment));
        refused(cache::evictIdle);
        refused(() -> cache.release(lease));
    }

    @Test
    void shouldWaitForTheRegistrationThatAnotherThreadMakes() throws Exception {
        MemorySegment segment = pages(2);
        MemorySegment elsewhere = pages(1);
        use(elsewhere);
        var registering = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        registrar.duringRegistration = () -> {
            registering.countDown();
            try {
                assertTrue(goOn.await(TestDeadlines.seconds(60), TimeUnit.SECONDS));
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        };
        var first = new FutureTask<>(() -> cache.acquire(segment));
        Thread.ofPlatform().start(first);
        registering.await();
        var second = new FutureTask<>(() -> cache.acquire(segment.asSlice(10, 10)));
        Thread waiting = Thread.ofPlatform().start(second);
        use(elsewhere); // which nobody waits for
        while (waiting.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        goOn.countDown();
        assertSame(cache.memory(first.get()), cache.memory(second.get()));
        assertEquals(2, registrar.made.get());
    }

    @Test
    void shouldAllocateNothingForWhatIsFound() {
        MemorySegment[] segments = {pages(1), pages(1), pages(1)};
        long[] leases = new long[segments.length];
        Allocated.assertNone(() -> {
            for (int round = 0; round < 10_000; round++) {
                for (int i = 0; i < segments.length; i++) {
                    leases[i] = cache.acquire(segments[i]);
                }
                for (long lease : leases) {
                    assertEquals(0L, cache.offset(lease));
                    cache.release(lease);
                }
            }
        });
    }
}
