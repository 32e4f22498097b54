// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is checked before there is an MPI. */
@Tag("unit")
class BufferTest {

    @Test
    void shouldCountWhatFits() {
        MemorySegment memory = Arena.ofAuto().allocate(19);
        assertEquals(4, Buffer.of(memory, Datatype.INT).count());
        assertEquals(19, Buffer.of(memory, Datatype.BYTE).count());
        assertEquals(1, Buffer.of(memory, Datatype.DOUBLE_INT).count());
        assertEquals(0, Buffer.of(memory.asSlice(0, 3), Datatype.INT).count());
        assertThrows(IllegalArgumentException.class, () -> Buffer.of(memory, 5, Datatype.INT));
        assertThrows(IllegalArgumentException.class, () -> Buffer.of(memory, -1, Datatype.INT));
        assertThrows(ArithmeticException.class, () -> Buffer.of(memory, Long.MAX_VALUE, Datatype.INT));
    }

    @Test
    void shouldRefuseHeapMemory() {
        var e = assertThrows(
                IllegalArgumentException.class, () -> Buffer.of(MemorySegment.ofArray(new int[1]), Datatype.INT));
        assertTrue(e.getMessage().contains("copy"), e.getMessage());
    }

    @Test
    void shouldRefuseMemoryOfAnotherThread() throws InterruptedException {
        var thrown = new AtomicReference<Throwable>();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(8);
            Thread other = Thread.ofPlatform().unstarted(() -> Buffer.of(memory, Datatype.BYTE));
            other.setUncaughtExceptionHandler((thread, t) -> thrown.set(t));
            other.start();
            other.join();
        }
        assertInstanceOf(WrongThreadException.class, thrown.get());
    }

    @Test
    void shouldRefuseBlocksOutsideTheMemory() {
        MemorySegment memory = Arena.ofAuto().allocate(JAVA_INT, 6);
        assertEquals("Blocks(3)", Blocks.of(memory, Datatype.INT, 1, 2, 3).toString());
        assertThrows(IllegalArgumentException.class, () -> Blocks.of(memory, Datatype.INT, 1, 2, 4));
        assertThrows(
                IllegalArgumentException.class, () -> Blocks.of(memory, Datatype.INT, new long[] {1}, new long[] {-1}));
        assertThrows(
                IllegalArgumentException.class,
                () -> Blocks.of(memory, Datatype.INT, new long[] {1}, new long[] {1, 2}));
    }

    @Test
    void shouldCloseAGuardedArenaThatNothingUses() {
        GuardedArena arena = GuardedArena.ofShared();
        Buffer buffer = Buffer.of(arena.allocate(JAVA_INT), Datatype.INT);
        buffer.guard.begin();
        assertThrows(IllegalStateException.class, arena::close);
        buffer.guard.end();
        arena.close();
        assertThrows(IllegalStateException.class, buffer.guard::begin);
        assertThrows(IllegalStateException.class, buffer::from);
    }

    @Test
    void shouldNeedMpiForWhatIsItsOwn() {
        assertThrows(IllegalStateException.class, Request::create);
        assertThrows(IllegalStateException.class, () -> Datatype.contiguous(2, Datatype.INT));
        assertThrows(IllegalStateException.class, Info::create);
    }

    @Test
    void shouldNumberTheErrorClassesAsTheyStand() {
        for (ErrorClass each : ErrorClass.values()) {
            assertEquals(each, ErrorClass.of(each.number()));
        }
        assertEquals(ErrorClass.UNKNOWN_CLASS, ErrorClass.of(1001));
    }
}
