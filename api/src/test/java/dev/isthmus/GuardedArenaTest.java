// SPDX-License-Identifier: Apache-2.0
package dev.isthmus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.internal.ArenaGuard;
import dev.isthmus.internal.ArenaUse;
import dev.isthmus.verbs.PageMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Arenas that stay open while something uses them. */
@Tag("unit")
class GuardedArenaTest {

    private static GuardedArena arena(boolean shared) {
        return shared ? GuardedArena.ofShared() : GuardedArena.ofConfined();
    }

    /** A user that begins operations, and does nothing when it should ask C about them. */
    private static final class Operations implements ArenaUse.User {
        Runnable ask = () -> {};
        boolean over;

        @Override
        public void update() {
            ask.run();
        }

        @Override
        public boolean isClosed() {
            return over;
        }

        @Override
        public String describe(ArenaUse use, int count) {
            return count + " receives of a worker";
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldBeAnArena(boolean shared) {
        GuardedArena arena = arena(shared);
        MemorySegment segment = arena.allocate(100, 64);
        assertEquals(0, segment.address() % 64);
        assertSame(arena.scope(), segment.scope());
        MemorySegment pages = PageMemory.PAGES.allocate(arena, 5000);
        pages.fill((byte) 1);
        arena.close();
        assertFalse(arena.scope().isAlive());
        assertThrows(IllegalStateException.class, () -> segment.get(ValueLayout.JAVA_BYTE, 0));
        assertThrows(IllegalStateException.class, () -> pages.get(ValueLayout.JAVA_BYTE, 0));
        assertThrows(IllegalStateException.class, arena::close);
        assertThrows(IllegalStateException.class, () -> arena.allocate(1));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldStayOpenWhileItIsHeld(boolean shared) {
        GuardedArena arena = arena(shared);
        MemorySegment slice =
                PageMemory.PAGES.allocate(arena, 5000).asSlice(10, 20).asReadOnly();
        ArenaGuard first = ArenaGuard.hold(slice, "MemoryRegion(a)");
        ArenaGuard second = ArenaGuard.hold(slice, "MemoryRegion(b)");
        var refusal = assertThrows(IllegalStateException.class, arena::close);
        assertTrue(
                refusal.getMessage().contains("1 MemoryRegion(a), and 1 MemoryRegion(b) still use"),
                refusal.getMessage());
        ArenaGuard.release(first, "MemoryRegion(a)");
        assertThrows(IllegalStateException.class, arena::close);
        assertTrue(slice.scope().isAlive());
        ArenaGuard.release(second, "MemoryRegion(b)");
        arena.close();
        assertThrows(IllegalStateException.class, () -> first.use(new Operations()));
        assertNull(ArenaGuard.hold(slice, "MemoryRegion(c)"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldStayOpenWhileOperationsUseIt(boolean shared) {
        GuardedArena arena = arena(shared);
        ArenaGuard guard = ArenaGuard.of(arena.allocate(8).scope());
        var operations = new Operations();
        ArenaUse use = guard.use(operations);
        arena.allocate(8);
        use.begin();
        use.begin();
        var refusal = assertThrows(IllegalStateException.class, arena::close);
        assertTrue(refusal.getMessage().contains("2 receives of a worker still use"), refusal.getMessage());
        use.end();
        assertThrows(IllegalStateException.class, arena::close);
        operations.ask = use::end; // it had ended, but nobody had asked
        arena.close();
        assertTrue(use.isClosed());
    }

    @Test
    void shouldStayOpenWhenAUserHasDroppedAnOperation() {
        try (var guard = ArenaGuard.shared("memory of UCX")) {
            var operations = new Operations();
            guard.use(operations).begin();
            operations.over = true;
            guard.use(new Operations());
            assertThrows(IllegalStateException.class, guard::close);
            assertTrue(guard.removeDropped()); // like code that leaves the memory to the process
            assertFalse(guard.removeDropped());
        }
    }

    @Test
    void shouldFindNoGuardOfOtherArenas() {
        try (var arena = Arena.ofConfined()) {
            assertNull(ArenaGuard.hold(arena.allocate(1), "x"));
            assertNull(ArenaGuard.hold(Arena.ofAuto().allocate(1), "x"));
            assertNull(ArenaGuard.hold(MemorySegment.NULL, "x"));
        }
    }

    @Test
    void shouldBeClosedByItsThreadOnly() throws InterruptedException {
        try (var arena = GuardedArena.ofConfined()) {
            var thrown = new AtomicReference<Throwable>();
            Thread other = new Thread(arena::close);
            other.setUncaughtExceptionHandler((t, e) -> thrown.set(e));
            other.start();
            other.join();
            assertTrue(thrown.get() instanceof WrongThreadException, String.valueOf(thrown.get()));
        }
    }

    /** An operation either finds the arena closed, or the close finds the operation. */
    @Test
    void shouldNotCloseUnderAnOperationThatBegins() throws InterruptedException {
        for (int round = 0; round < 2000; round++) {
            GuardedArena arena = GuardedArena.ofShared();
            MemorySegment memory = arena.allocate(8);
            ArenaUse use = ArenaGuard.of(memory.scope()).use(new Operations());
            var ready = new CountDownLatch(1);
            var closed = new AtomicReference<Boolean>();
            Thread closer = new Thread(() -> {
                ready.countDown();
                closed.set(tryClose(arena));
            });
            closer.start();
            ready.await();
            boolean begun = tryBegin(use);
            closer.join();
            assertEquals(begun, memory.scope().isAlive());
            assertEquals(begun, !closed.get());
            if (begun) {
                use.end();
                arena.close();
            }
        }
    }

    private static boolean tryClose(GuardedArena arena) {
        try {
            arena.close();
            return true;
        } catch (IllegalStateException e) {
            assertTrue(e.getMessage().contains("still use"), e.getMessage());
            return false;
        }
    }

    private static boolean tryBegin(ArenaUse use) {
        try {
            use.begin();
            return true;
        } catch (IllegalStateException e) {
            assertTrue(e.getMessage().contains("is closed"), e.getMessage());
            return false;
        }
    }
}
