// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import static dev.isthmus.mpi.RanksMain.ints;
import static dev.isthmus.mpi.RanksMain.toInts;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("mpi")
@Ranks(2)
class WindowTest {

    private final Communicator world = RanksMain.world();
    private final int me = RanksMain.rank();
    private final int other = 1 - me;

    @Test
    void shouldPutAndGetBetweenFences() {
        try (GuardedArena arena = GuardedArena.ofConfined()) {
            MemorySegment memory = arena.allocate(JAVA_INT, 4);
            try (Window window = Window.create(world, memory, 4, Info.NULL)) {
                assertThrows(IllegalStateException.class, arena::close);
                Buffer got = ints(0);
                window.fence(Window.NOPRECEDE);
                window.put(ints(10 + me, 20 + me), other, 1);
                window.fence(0);
                assertEquals(10 + other, memory.getAtIndex(JAVA_INT, 1));
                assertEquals(20 + other, memory.getAtIndex(JAVA_INT, 2));
                window.get(got, other, 2);
                window.put(ints(7), other, 3, 4, Datatype.INT8);
                window.accumulate(ints(5), other, 0, Operation.SUM);
                window.accumulate(ints(6), other, 0, Operation.SUM);
                window.fence(Window.NOSUCCEED);
                assertArrayEquals(new int[] {20 + me}, toInts(got));
                assertEquals(11, memory.get(JAVA_INT, 0));
                assertEquals(7, memory.getAtIndex(JAVA_INT, 3));
                assertEquals(memory, window.memory());
                assertThrows(IllegalArgumentException.class, () -> window.put(got, 2, 0));
            }
        }
    }

    @Test
    void shouldLockAndUpdateAtomically() {
        try (Window window = Window.allocate(world, 16, 8, Info.NULL);
                Arena arena = Arena.ofConfined()) {
            Buffer one = Buffer.of(arena.allocateFrom(JAVA_LONG, 1), Datatype.LONG);
            Buffer old = Buffer.of(arena.allocate(JAVA_LONG), Datatype.LONG);
            Buffer expected = Buffer.of(arena.allocateFrom(JAVA_LONG, -1), Datatype.LONG);
            window.memory().fill((byte) 0);
            world.barrier();
            window.lockAll();
            for (int i = 0; i < 100; i++) {
                window.fetchAndOp(one, old, 0, 0, Operation.SUM);
                window.flush(0);
            }
            window.flushAll();
            window.unlockAll();
            world.barrier();
            window.lock(0, Window.Lock.SHARED);
            window.getAccumulate(one, old, 0, 0, Operation.NO_OP);
            window.flushLocal(0);
            window.flush(0);
            assertEquals(200, old.segment().get(JAVA_LONG, 0));
            window.unlock(0);
            world.barrier();
            if (me == 1) {
                window.lock(0, Window.Lock.EXCLUSIVE);
                window.compareAndSwap(one, expected, old, 0, 0);
                window.flush(0);
                assertEquals(200, old.segment().get(JAVA_LONG, 0));
                window.compareAndSwap(one, Buffer.of(arena.allocateFrom(JAVA_LONG, 200), Datatype.LONG), old, 0, 0);
                window.flushLocalAll();
                window.unlock(0);
            }
            world.barrier();
            if (me == 0) {
                window.lock(0, Window.Lock.SHARED);
                assertEquals(1, window.memory().get(JAVA_LONG, 0));
                window.unlock(0);
            }
            assertThrows(IllegalArgumentException.class, () -> window.fetchAndOp(ints(1), old, 0, 0, Operation.SUM));
        }
    }

    @Test
    void shouldTransferWithRequests() {
        try (Window window = Window.allocate(world, 16, 4, Info.NULL);
                Request request = Request.create();
                GuardedArena arena = GuardedArena.ofConfined()) {
            Buffer result = Buffer.of(arena.allocate(JAVA_INT), Datatype.INT);
            window.memory().fill((byte) 0);
            world.barrier();
            window.lockAll();
            window.rput(ints(30 + me), other, 0, request);
            request.waitFor();
            window.raccumulate(ints(1), other, 1, Operation.SUM, request);
            request.waitFor();
            window.flushAll();
            window.rget(result, other, 0, request);
            request.waitFor();
            assertArrayEquals(new int[] {30 + me}, toInts(result));
            window.rgetAccumulate(ints(5), result, other, 1, Operation.SUM, request);
            request.waitFor();
            assertArrayEquals(new int[] {1}, toInts(result));
            window.unlockAll();
            world.barrier();
            assertEquals(6, window.memory().getAtIndex(JAVA_INT, 1));
        }
    }

    @Test
    void shouldSynchroniseByPostAndStart() {
        try (Window window = Window.allocate(world, 4, 4, Info.NULL);
                Group all = world.group();
                Group peer = all.incl(other)) {
            window.memory().set(JAVA_INT, 0, 0);
            if (me == 0) {
                window.start(peer, 0);
                window.put(ints(9), 1, 0);
                window.complete();
                window.post(peer, 0);
                window.waitFor();
                assertEquals(8, window.memory().get(JAVA_INT, 0));
            } else {
                window.post(peer, 0);
                while (!window.test()) {
                    Thread.onSpinWait();
                }
                assertEquals(9, window.memory().get(JAVA_INT, 0));
                window.start(peer, 0);
                window.put(ints(8), 0, 0);
                window.complete();
            }
        }
    }

    @Test
    void shouldShareMemory() {
        Window window = Window.allocateShared(world, 8, 4, Info.NULL);
        window.lockAll();
        window.memory().set(JAVA_INT, 0, 50 + me);
        window.sync();
        world.barrier();
        window.sync();
        Window.Shared theirs = window.sharedQuery(other);
        assertEquals(8, theirs.segment().byteSize());
        assertEquals(4, theirs.displacementUnit());
        assertEquals(50 + other, theirs.segment().get(JAVA_INT, 0));
        world.barrier();
        window.unlockAll();
        MemorySegment memory = window.memory();
        window.close();
        window.close();
        assertThrows(IllegalStateException.class, () -> memory.get(JAVA_INT, 0));
        assertThrows(IllegalStateException.class, () -> theirs.segment().get(JAVA_INT, 0));
        assertThrows(IllegalStateException.class, window::memory);
    }

    @Test
    void shouldAttachMemoryLater() {
        try (GuardedArena arena = GuardedArena.ofConfined()) {
            MemorySegment memory = arena.allocate(JAVA_INT, 2);
            try (Window window = Window.createDynamic(world, Info.NULL)) {
                window.attach(memory);
                Buffer address = Buffer.of(Arena.ofAuto().allocateFrom(JAVA_LONG, memory.address()), Datatype.LONG);
                world.sendrecvReplace(address, other, 0, other, 0);
                window.fence(0);
                window.put(ints(60 + me), other, address.segment().get(JAVA_LONG, 0) + 4);
                window.fence(0);
                assertEquals(60 + other, memory.getAtIndex(JAVA_INT, 1));
                assertThrows(IllegalStateException.class, arena::close);
                window.detach(memory);
            }
        }
    }

    @Test
    void shouldTellOfItself() {
        try (Window window = Window.allocate(world, 8, 1, Info.NULL);
                Group group = window.group();
                Info info = window.info()) {
            assertEquals(2, group.size());
            assertNotNull(info.toMap());
            window.setInfo(info);
            window.setName("window");
            assertEquals("window", window.name());
            var e = assertThrows(MpiException.class, () -> window.flush(other));
            assertEquals(ErrorClass.RMA_SYNC, e.errorClass());
        }
    }

    /** Over shared memory MPI copies at once, to wherever it is told to. */
    @Test
    void shouldRefuseAccessOutsideTheTargetsMemory() {
        try (Window window = Window.allocate(world, me == 0 ? 16 : 8, me == 0 ? 1 : 4, Info.NULL);
                Request request = Request.create()) {
            Buffer two = ints(1, 2);
            Buffer one = ints(1);
            Buffer old = ints(0);
            window.lockAll();
            for (long at : new long[] {-1, 1, 2, 1L << 40, Long.MAX_VALUE}) {
                assertThrows(IllegalArgumentException.class, () -> window.put(two, 1, at), () -> at + "");
                assertThrows(IllegalArgumentException.class, () -> window.put(one, 1, at, 8, Datatype.INT8));
                assertThrows(IllegalArgumentException.class, () -> window.get(two, 1, at));
                assertThrows(IllegalArgumentException.class, () -> window.accumulate(two, 1, at, Operation.SUM));
                assertThrows(
                        IllegalArgumentException.class, () -> window.getAccumulate(two, two, 1, at, Operation.SUM));
                assertThrows(IllegalArgumentException.class, () -> window.rput(two, 1, at, request));
                assertThrows(IllegalArgumentException.class, () -> window.rget(two, 1, at, request));
                assertThrows(
                        IllegalArgumentException.class, () -> window.raccumulate(two, 1, at, Operation.SUM, request));
                assertThrows(
                        IllegalArgumentException.class,
                        () -> window.rgetAccumulate(two, two, 1, at, Operation.SUM, request));
            }
            for (long at : new long[] {-4, 13, 16}) {
                assertThrows(IllegalArgumentException.class, () -> window.fetchAndOp(one, old, 0, at, Operation.SUM));
                assertThrows(IllegalArgumentException.class, () -> window.compareAndSwap(one, one, old, 0, at));
            }
            window.put(two, 1, 0);
            window.put(two, 0, 8);
            window.put(two, Communicator.PROC_NULL, 1000);
            window.unlockAll();
        }
    }

    @Test
    void shouldGuardTheMemoryOfATransferUntilItIsComplete() {
        try (Window window = Window.allocate(world, 8, 4, Info.NULL)) {
            var ends = List.<Runnable>of(
                    () -> window.fence(0),
                    window::flushAll,
                    window::flushLocalAll,
                    () -> window.flush(other),
                    () -> window.flushLocal(other),
                    window::unlockAll,
                    () -> window.unlock(other));
            for (int i = 0; i < ends.size(); i++) {
                GuardedArena arena = GuardedArena.ofConfined();
                Buffer buffer = Buffer.of(arena.allocate(JAVA_INT), Datatype.INT);
                boolean locksOne = i == ends.size() - 1;
                if (i == 0) {
                    window.fence(0);
                } else if (locksOne) {
                    window.lock(other, Window.Lock.SHARED);
                } else {
                    window.lockAll();
                }
                window.put(buffer, other, 0);
                window.get(buffer, other, 1);
                assertThrows(IllegalStateException.class, arena::close);
                ends.get(i).run();
                arena.close();
                if (i == 0) {
                    window.fence(Window.NOSUCCEED);
                } else if (i < 5) {
                    window.unlockAll();
                }
                world.barrier();
            }
            try (Group all = world.group();
                    Group peer = all.incl(other)) {
                GuardedArena arena = GuardedArena.ofConfined();
                window.post(peer, 0);
                window.start(peer, 0);
                window.put(Buffer.of(arena.allocate(JAVA_INT), Datatype.INT), other, 0);
                assertThrows(IllegalStateException.class, arena::close);
                window.complete();
                arena.close();
                window.waitFor();
            }
        }
    }

    /** A flush of one rank does not complete what is under way to another. */
    @Test
    void shouldGuardTheMemoryOfTransfersToSeveral() {
        try (Window window = Window.allocate(world, 4, 4, Info.NULL)) {
            GuardedArena arena = GuardedArena.ofConfined();
            Buffer buffer = Buffer.of(arena.allocate(JAVA_INT), Datatype.INT);
            window.lock(0, Window.Lock.SHARED);
            window.lock(1, Window.Lock.SHARED);
            window.put(buffer, 0, 0);
            window.put(buffer, 1, 0);
            window.flush(0);
            assertThrows(IllegalStateException.class, arena::close);
            window.unlock(0);
            window.unlock(1);
            arena.close();
            window.lockAll();
            assertThrows(IllegalStateException.class, () -> window.put(buffer, 0, 0));
            window.unlockAll();
        }
    }

    @Test
    void shouldEndWhatIsInUseWhenItIsClosed() {
        GuardedArena arena = GuardedArena.ofConfined();
        MemorySegment memory = arena.allocate(JAVA_INT, 2);
        Window dynamic = Window.createDynamic(world, Info.NULL);
        dynamic.attach(memory);
        assertThrows(IllegalArgumentException.class, () -> dynamic.detach(memory.asSlice(4)));
        assertThrows(IllegalStateException.class, arena::close);
        dynamic.close();
        Window window = Window.create(world, memory, 4, Info.NULL);
        Window.Shared own;
        try {
            own = window.sharedQuery(me);
        } catch (MpiException e) { // of memory that is not shared, an implementation need not tell
            own = null;
        }
        window.close();
        Window.Shared shared = own;
        if (shared != null) {
            assertThrows(IllegalStateException.class, () -> shared.segment().get(JAVA_INT, 0));
        }
        arena.close();
    }
}
