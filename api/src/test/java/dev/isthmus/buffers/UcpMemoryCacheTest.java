// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.buffers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.GuardedArena;
import dev.isthmus.ucx.UcpContext;
import dev.isthmus.ucx.UcpMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("ucx")
class UcpMemoryCacheTest {

    private static final int FILE = 300_000;
    private static final int PART = 100_000;
    private static final int LARGE = 1 << 20;

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldPutAMappedFileToAPeer(String tls, @TempDir Path folder) throws Exception {
        byte[] bytes = new byte[FILE];
        new Random(1).nextBytes(bytes);
        Path path = Files.write(folder.resolve("file"), bytes);
        try (var loop = new UcpLoop(tls);
                var cache = UcpMemoryCache.create(loop.context, 1 << 20, 10);
                var file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
                var there = loop.context.allocate(FILE);
                var remote = loop.endpoint.unpack(there.packKey())) {
            var mapping = GuardedArena.ofConfined();
            MemorySegment content = file.map(MapMode.PRIVATE, 0, FILE, mapping);
            cache.release(cache.acquire(content));
            for (long at = 0; at < FILE; at += PART) {
                long lease = cache.acquire(content.asSlice(at, PART));
                assertEquals(at, cache.offset(lease));
                long put = remote.put(cache.memory(lease), cache.offset(lease), cache.length(lease), at);
                assertThrows(IllegalStateException.class, mapping::close);
                loop.end(loop.sender, put);
                cache.release(lease);
            }
            loop.end(loop.sender, loop.endpoint.flush());
            assertEquals(-1, there.segment().mismatch(MemorySegment.ofArray(bytes)));
            assertEquals(1, cache.registered());
            mapping.close(); // which has it deregistered
            assertEquals(0, cache.registrations());
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldKeepWhatAnOperationUses(String tls) {
        try (var loop = new UcpLoop(tls);
                var cache = UcpMemoryCache.create(loop.context, 1 << 24, 1);
                var there = loop.context.allocate(LARGE);
                var remote = loop.endpoint.unpack(there.packKey())) {
            var arena = GuardedArena.ofConfined();
            MemorySegment into = arena.allocate(LARGE);
            long lease = cache.acquire(into);
            UcpMemory memory = cache.memory(lease);
            long get = remote.get(memory, cache.offset(lease), LARGE, 0);
            assertTrue(get != 0 || !tls.startsWith("tcp"), "what only the peer's progress ends was done at once");
            cache.release(lease); // too early, unless it is done
            if (get != 0) {
                assertUsed(cache::close);
                assertUsed(cache::evictIdle);
                assertThrows(IllegalStateException.class, arena::close);
                MemorySegment other = arena.allocate(8);
                var e = assertThrows(IllegalStateException.class, () -> cache.acquire(other));
                assertTrue(e.getCause().getMessage().contains("is used by 1 operations"), e.toString());
                assertSame(into, memory.segment());
            }
            loop.end(loop.sender, get);
            arena.close(); // which has it deregistered, now that it can be
            assertEquals(0, cache.registrations());
            assertThrows(IllegalStateException.class, memory::segment);
        }
    }

    private static void assertUsed(Executable end) {
        String message = assertThrows(IllegalStateException.class, end).getMessage();
        assertTrue(message.contains("is used by 1 operations"), message);
    }

    @Test
    void shouldNotFindWhatTheArenaHasTaken() {
        try (var context = UcpContext.create(config -> config.set("TLS", "self"));
                var cache = UcpMemoryCache.create(context, 1 << 20, 10)) {
            Arena taken = Arena.ofShared();
            long lease = cache.acquire(taken.allocate(64));
            UcpMemory memory = cache.memory(lease);
            cache.release(lease);
            taken.close(); // like the JDK's arenas, which do not ask who uses their memory
            try (var next = Arena.ofConfined()) {
                MemorySegment segment = next.allocate(64);
                long other = cache.acquire(segment);
                assertNotSame(memory, cache.memory(other));
                assertSame(segment, cache.memory(other).segment());
                assertEquals(1, cache.registrations());
                assertThrows(IllegalStateException.class, memory::segment); // it is closed
                assertThrows(IllegalArgumentException.class, () -> cache.acquire(segment.asReadOnly()));
                cache.release(other);
                assertEquals(1, cache.evict(segment));
            }
        }
    }
}
