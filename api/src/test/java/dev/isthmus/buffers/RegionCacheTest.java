// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.buffers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.GuardedArena;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.MemoryRegion;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.RemoteMemory;
import dev.isthmus.verbs.SendOpcode;
import dev.isthmus.verbs.SendRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("device")
@Tag("connectx")
class RegionCacheTest {

    private static final int PAGE = 4096;
    private static final int FILE = 300_000;
    private static final int PART = 100_000;

    private final Loop loop = new Loop();
    private final GuardedArena arena = GuardedArena.ofShared();
    private final MemoryRegion there = loop.pd.register(
            arena.allocate(FILE, PAGE), AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ);
    private final RemoteMemory remote = there.remoteMemory();
    private final SendRequest write =
            SendRequest.prepare(1).opcode(SendOpcode.RDMA_WRITE).signaled(true);

    @AfterEach
    void close() {
        there.close();
        arena.close();
        loop.close();
    }

    /** Read-only mappings need a newer kernel than the testbed's: Linux 6.1 says EFAULT. */
    @ParameterizedTest
    @ValueSource(strings = {"READ_WRITE", "PRIVATE"})
    void shouldWriteAMappedFileToAPeer(String mode, @TempDir Path folder) throws Exception {
        byte[] bytes = new byte[FILE];
        new Random(1).nextBytes(bytes);
        Path path = Files.write(folder.resolve("file"), bytes);
        try (var cache = RegionCache.create(loop.pd, 1 << 20, 10);
                var file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            var mapping = GuardedArena.ofShared();
            MapMode mapMode = mode.equals("PRIVATE") ? MapMode.PRIVATE : MapMode.READ_WRITE;
            MemorySegment content = file.map(mapMode, 0, FILE, mapping);
            long whole = cache.acquire(content);
            for (long at = 0; at < FILE; at += PART) {
                long lease = cache.acquire(content.asSlice(at, PART));
                loop.a.post(cache.into(write, lease, 0, PART).remote(remote, at).wrId(lease));
                assertEquals(1, loop.await());
                assertThrows(IllegalStateException.class, mapping::close);
                cache.release(loop.done.wrId(0));
            }
            assertEquals(-1, there.segment().mismatch(MemorySegment.ofArray(bytes)));
            assertEquals(1, cache.registered());
            assertThrows(IndexOutOfBoundsException.class, () -> cache.into(write, whole, 1, FILE));
            cache.release(whole);
            assertEquals(1, cache.registrations());
            mapping.close(); // which has it deregistered
            assertEquals(0, cache.registrations());
            assertEquals(0, cache.pinnedBytes());
            assertThrows(IllegalStateException.class, () -> loop.a.tryPost(write));
        }
    }

    @Test
    void shouldReceiveAndReadIntoMemoryOfAnyArena() {
        try (var cache = RegionCache.create(loop.pd, 1 << 20, 10, AccessFlag.LOCAL_WRITE);
                var confined = Arena.ofConfined()) {
            MemorySegment[] memories = {confined.allocate(64), Arena.ofAuto().allocate(64), arena.allocate(64)};
            for (MemorySegment memory : memories) {
                there.segment().set(ValueLayout.JAVA_LONG, 8, 4711);
                long lease = cache.acquire(memory);
                loop.a.post(cache.into(write.opcode(SendOpcode.RDMA_READ), lease, 16, 8)
                        .remote(remote, 8)
                        .wrId(lease));
                assertEquals(1, loop.await());
                assertEquals(4711, memory.get(ValueLayout.JAVA_LONG, 16));
                loop.b.post(cache.into(ReceiveRequest.prepare(1), lease, 0, 64).wrId(lease));
                loop.a.post(SendRequest.prepare(there).length(8).signaled(true));
                for (int n = 0; n < 2; ) {
                    n += loop.await();
                }
                assertEquals(there.segment().get(ValueLayout.JAVA_LONG, 0), memory.get(ValueLayout.JAVA_LONG, 0));
                assertEquals(
                        cache.region(lease).address(), cache.remoteMemory(lease).address());
                cache.release(lease);
            }
            assertThrows(IllegalArgumentException.class, () -> cache.acquire(memories[0].asReadOnly()));
            assertEquals(3, cache.registrations());
        }
    }

    @Test
    void shouldRefuseMemoryThatWasTakenAway() {
        try (var cache = RegionCache.create(loop.pd, 1 << 20, 10)) {
            Arena taken = Arena.ofShared();
            long lease = cache.acquire(taken.allocate(PAGE, PAGE));
            cache.into(write, lease, 0, 64).remote(remote, 0);
            MemoryRegion region = cache.region(lease);
            taken.close(); // like the JDK's arenas, which do not ask who uses their memory
            assertThrows(IllegalStateException.class, () -> loop.a.tryPost(write));
            assertEquals(1, cache.registrations());
            cache.release(lease);
            assertEquals(0, cache.registrations());
            assertThrows(IllegalStateException.class, region::remoteMemory); // it is closed
            MemorySegment next = arena.allocate(PAGE, PAGE);
            long other = cache.acquire(next);
            assertNotSame(region, cache.region(other));
            assertSame(next, cache.region(other).segment());
            cache.release(other);
        }
    }

    @Test
    void shouldKeepToItsBoundsWithRealRegions() {
        int most = 3;
        try (var cache = RegionCache.create(loop.pd, 1 << 20, most)) {
            List<MemorySegment> memories = new ArrayList<>();
            for (int i = 0; i < 3 * most; i++) {
                MemorySegment memory = arena.allocate(PAGE, PAGE);
                memory.set(ValueLayout.JAVA_LONG, 0, i);
                memories.add(memory);
            }
            for (int round = 0; round < 2; round++) {
                for (int i = 0; i < memories.size(); i++) {
                    long lease = cache.acquire(memories.get(i));
                    loop.a.post(cache.into(write, lease, 0, 8)
                            .remote(remote, 8L * i)
                            .wrId(lease));
                    assertEquals(1, loop.await());
                    cache.release(loop.done.wrId(0));
                    assertEquals(i, there.segment().get(ValueLayout.JAVA_LONG, 8L * i));
                    assertTrue(cache.registrations() <= most);
                }
            }
            long[] leases = new long[most];
            for (int i = 0; i < most; i++) {
                leases[i] = cache.acquire(memories.get(i));
            }
            assertEquals(0, cache.tryAcquire(memories.getLast()));
            var e = assertThrows(IllegalStateException.class, () -> cache.acquire(memories.getLast()));
            assertTrue(e.getMessage().contains("3 registrations of 12,288 bytes are in use"), e.getMessage());
            var closing = assertThrows(IllegalStateException.class, cache::close);
            assertTrue(closing.getMessage().contains("3 leases are out"), closing.getMessage());
            cache.release(leases[0]);
            leases[0] = cache.tryAcquire(memories.getLast());
            assertNotEquals(0, leases[0]);
            for (long lease : leases) {
                cache.release(lease);
            }
            assertEquals(1, cache.evict(memories.getLast()));
            assertEquals(most - 1, cache.registrations());
        }
    }
}
