// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import static dev.isthmus.mpi.RanksMain.ints;
import static dev.isthmus.mpi.RanksMain.toInts;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Every collective call in its three forms, which must give the same. */
@Tag("mpi")
@Ranks(3)
class CollectivesTest {

    private static final int N = 3;

    private final Communicator world = RanksMain.world();
    private final int me = RanksMain.rank();

    /** The blocking form. */
    private interface Blocking {
        void call();
    }

    /** A form that returns a request. */
    private interface Starting {
        void call(Request request);
    }

    /** Makes a call in each form, twice in the persistent one, and checks what the receive buffer has then. */
    private static void each(int[] expected, Buffer receive, Blocking blocking, Starting starting, Starting preparing) {
        int[] before = toInts(receive);
        Blocking check = () -> {
            assertArrayEquals(expected, toInts(receive));
            MemorySegment.copy(before, 0, receive.segment(), ValueLayout.JAVA_INT, 0, before.length);
        };
        blocking.call();
        check.call();
        try (Request request = Request.create()) {
            starting.call(request);
            request.waitFor();
            check.call();
            preparing.call(request);
            for (int i = 0; i < 2; i++) {
                request.start();
                request.waitFor();
                check.call();
            }
        }
    }

    private static int[] filled(java.util.function.IntUnaryOperator value, int count) {
        return IntStream.range(0, count).map(value).toArray();
    }

    @Test
    void shouldWaitForAll() {
        Buffer none = ints(0);
        each(new int[1], none, world::barrier, world::ibarrier, request -> world.barrierInit(Info.NULL, request));
    }

    @Test
    void shouldBroadcast() {
        Buffer buffer = ints(me == 1 ? 7 : 0, me == 1 ? 8 : 0);
        if (me != 1) {
            each(
                    new int[] {7, 8},
                    buffer,
                    () -> world.bcast(buffer, 1),
                    request -> world.ibcast(buffer, 1, request),
                    request -> world.bcastInit(buffer, 1, Info.NULL, request));
        } else {
            Buffer readOnly = Buffer.of(buffer.segment().asReadOnly(), Datatype.INT);
            each(
                    new int[] {7, 8},
                    buffer,
                    () -> world.bcast(readOnly, 1),
                    request -> world.ibcast(readOnly, 1, request),
                    request -> world.bcastInit(readOnly, 1, Info.NULL, request));
        }
    }

    @Test
    void shouldGatherAndScatter() {
        Buffer mine = ints(me, me + 10);
        Buffer all = me == 0 ? ints(new int[2 * N]) : Buffer.EMPTY;
        each(
                me == 0 ? new int[] {0, 10, 1, 11, 2, 12} : new int[0],
                all,
                () -> world.gather(mine, all, 0),
                request -> world.igather(mine, all, 0, request),
                request -> world.gatherInit(mine, all, 0, Info.NULL, request));
        Buffer source = me == 2 ? ints(1, 2, 3) : Buffer.EMPTY;
        Buffer part = ints(0);
        each(
                new int[] {me + 1},
                part,
                () -> world.scatter(source, part, 2),
                request -> world.iscatter(source, part, 2, request),
                request -> world.scatterInit(source, part, 2, Info.NULL, request));
        if (me == 0) {
            assertThrows(IllegalArgumentException.class, () -> world.gather(mine, ints(1, 2), 0));
        }
    }

    @Test
    void shouldGatherAndScatterPartsOfDifferentLengths() {
        Buffer mine = ints(filled(i -> me, me + 1));
        long[] counts = {1, 2, 3};
        Buffer memory = ints(new int[6]);
        Blocks all = me == 0 ? Blocks.of(memory.segment(), Datatype.INT, counts) : Blocks.EMPTY;
        each(
                me == 0 ? new int[] {0, 1, 1, 2, 2, 2} : new int[6],
                memory,
                () -> world.gatherv(mine, all, 0),
                request -> world.igatherv(mine, all, 0, request),
                request -> world.gathervInit(mine, all, 0, Info.NULL, request));
        Blocks source = me == 0
                ? Blocks.of(ints(9, 8, 8, 7, 7, 7).segment(), Datatype.INT, counts, new long[] {0, 1, 3})
                : Blocks.EMPTY;
        Buffer part = ints(new int[me + 1]);
        each(
                filled(i -> 9 - me, me + 1),
                part,
                () -> world.scatterv(source, part, 0),
                request -> world.iscatterv(source, part, 0, request),
                request -> world.scattervInit(source, part, 0, Info.NULL, request));
        Blocks everywhere = Blocks.of(memory.segment(), Datatype.INT, counts);
        each(
                new int[] {0, 1, 1, 2, 2, 2},
                memory,
                () -> world.allgatherv(mine, everywhere),
                request -> world.iallgatherv(mine, everywhere, request),
                request -> world.allgathervInit(mine, everywhere, Info.NULL, request));
        assertThrows(
                IllegalArgumentException.class,
                () -> world.allgatherv(mine, Blocks.of(memory.segment(), Datatype.INT, 1, 1)));
        assertThrows(
                IllegalArgumentException.class,
                () -> Blocks.of(memory.segment(), Datatype.INT, new long[] {3, 4}, new long[] {0, 3}));
    }

    @Test
    void shouldGatherAtAll() {
        Buffer all = ints(new int[N]);
        each(
                new int[] {0, 1, 2},
                all,
                () -> world.allgather(ints(me), all),
                request -> world.iallgather(ints(me), all, request),
                request -> world.allgatherInit(ints(me), all, Info.NULL, request));
    }

    @Test
    void shouldExchangeBetweenAll() {
        Buffer out = ints(filled(i -> 10 * me + i, N));
        Buffer in = ints(new int[N]);
        each(
                filled(i -> 10 * i + me, N),
                in,
                () -> world.alltoall(out, in),
                request -> world.ialltoall(out, in, request),
                request -> world.alltoallInit(out, in, Info.NULL, request));
        Blocks from = Blocks.of(out.segment(), Datatype.INT, 1, 1, 1);
        Blocks into = Blocks.of(in.segment(), Datatype.INT, new long[] {1, 1, 1}, new long[] {2, 1, 0});
        each(
                filled(i -> 10 * (2 - i) + me, N),
                in,
                () -> world.alltoallv(from, into),
                request -> world.ialltoallv(from, into, request),
                request -> world.alltoallvInit(from, into, Info.NULL, request));
        Datatype[] types = {Datatype.INT, Datatype.INT, Datatype.INT};
        Blocks typedFrom = Blocks.of(out.segment(), types, new long[] {1, 1, 1}, new long[] {0, 4, 8});
        Blocks typedInto = Blocks.of(in.segment(), types, new long[] {1, 1, 1}, new long[] {8, 4, 0});
        each(
                filled(i -> 10 * (2 - i) + me, N),
                in,
                () -> world.alltoallw(typedFrom, typedInto),
                request -> world.ialltoallw(typedFrom, typedInto, request),
                request -> world.alltoallwInit(typedFrom, typedInto, Info.NULL, request));
        assertThrows(IllegalArgumentException.class, () -> world.alltoallv(typedFrom, typedInto));
    }

    @Test
    void shouldReduce() {
        Buffer mine = ints(me + 1, 5);
        Buffer result = ints(0, 0);
        each(
                me == 1 ? new int[] {6, 15} : new int[2],
                result,
                () -> world.reduce(mine, result, Operation.SUM, 1),
                request -> world.ireduce(mine, result, Operation.SUM, 1, request),
                request -> world.reduceInit(mine, result, Operation.SUM, 1, Info.NULL, request));
        each(
                new int[] {3, 5},
                result,
                () -> world.allreduce(mine, result, Operation.MAX),
                request -> world.iallreduce(mine, result, Operation.MAX, request),
                request -> world.allreduceInit(mine, result, Operation.MAX, Info.NULL, request));
        each(
                new int[] {(me + 1) * (me + 2) / 2, 5 * (me + 1)},
                result,
                () -> world.scan(mine, result, Operation.SUM),
                request -> world.iscan(mine, result, Operation.SUM, request),
                request -> world.scanInit(mine, result, Operation.SUM, Info.NULL, request));
        each(
                me == 0 ? new int[2] : new int[] {me * (me + 1) / 2, 5 * me},
                result,
                () -> world.exscan(mine, result, Operation.SUM),
                request -> world.iexscan(mine, result, Operation.SUM, request),
                request -> world.exscanInit(mine, result, Operation.SUM, Info.NULL, request));
        Buffer inPlace = ints(me);
        world.allreduce(Buffer.IN_PLACE, inPlace, Operation.SUM);
        assertArrayEquals(new int[] {3}, toInts(inPlace));
        assertThrows(IllegalArgumentException.class, () -> world.allreduce(mine, ints(0), Operation.SUM));
    }

    @Test
    void shouldReduceAndScatter() {
        Buffer out = ints(filled(i -> i, N));
        Buffer in = ints(0);
        each(
                new int[] {3 * me},
                in,
                () -> world.reduceScatterBlock(out, in, Operation.SUM),
                request -> world.ireduceScatterBlock(out, in, Operation.SUM, request),
                request -> world.reduceScatterBlockInit(out, in, Operation.SUM, Info.NULL, request));
        Blocks parts = Blocks.of(ints(1, 2, 3, 4, 5, 6).segment(), Datatype.INT, 1, 2, 3);
        Buffer mine = ints(new int[me + 1]);
        int first = me * (me + 1) / 2 + 1;
        each(
                filled(i -> 3 * (first + i), me + 1),
                mine,
                () -> world.reduceScatter(parts, mine, Operation.SUM),
                request -> world.ireduceScatter(parts, mine, Operation.SUM, request),
                request -> world.reduceScatterInit(parts, mine, Operation.SUM, Info.NULL, request));
        assertThrows(IllegalArgumentException.class, () -> world.reduceScatterBlock(out, ints(1, 2), Operation.SUM));
    }

    @Test
    void shouldExchangeWithNeighbours() {
        try (Communicator ring = world.cartCreate(new int[] {N}, new boolean[] {true}, false)) {
            int left = (me + N - 1) % N;
            int right = (me + 1) % N;
            Buffer in = ints(0, 0);
            each(
                    new int[] {left, right},
                    in,
                    () -> ring.neighborAllgather(ints(me), in),
                    request -> ring.ineighborAllgather(ints(me), in, request),
                    request -> ring.neighborAllgatherInit(ints(me), in, Info.NULL, request));
            Blocks into = Blocks.of(in.segment(), Datatype.INT, new long[] {1, 1}, new long[] {1, 0});
            each(
                    new int[] {right, left},
                    in,
                    () -> ring.neighborAllgatherv(ints(me), into),
                    request -> ring.ineighborAllgatherv(ints(me), into, request),
                    request -> ring.neighborAllgathervInit(ints(me), into, Info.NULL, request));
            Buffer out = ints(10 * me, 10 * me + 1);
            int[] expected = {10 * left + 1, 10 * right};
            each(
                    expected,
                    in,
                    () -> ring.neighborAlltoall(out, in),
                    request -> ring.ineighborAlltoall(out, in, request),
                    request -> ring.neighborAlltoallInit(out, in, Info.NULL, request));
            Blocks from = Blocks.of(out.segment(), Datatype.INT, 1, 1);
            Blocks straight = Blocks.of(in.segment(), Datatype.INT, 1, 1);
            each(
                    expected,
                    in,
                    () -> ring.neighborAlltoallv(from, straight),
                    request -> ring.ineighborAlltoallv(from, straight, request),
                    request -> ring.neighborAlltoallvInit(from, straight, Info.NULL, request));
            Datatype[] types = {Datatype.INT, Datatype.INT};
            Blocks typedFrom = Blocks.of(out.segment(), types, new long[] {1, 1}, new long[] {0, 4});
            Blocks typedInto = Blocks.of(in.segment(), types, new long[] {1, 1}, new long[] {0, 4});
            each(
                    expected,
                    in,
                    () -> ring.neighborAlltoallw(typedFrom, typedInto),
                    request -> ring.ineighborAlltoallw(typedFrom, typedInto, request),
                    request -> ring.neighborAlltoallwInit(typedFrom, typedInto, Info.NULL, request));
        }
        assertThrows(IllegalStateException.class, () -> world.neighborAllgather(ints(0), ints(0, 0)));
    }

    @Test
    void shouldCombineByAnOperationOfTheProgram() {
        Operation larger = Operation.of(Datatype.INT, true, (in, inOut, count) -> {
            for (long i = 0; i < count; i++) {
                int a = in.getAtIndex(ValueLayout.JAVA_INT, i);
                int b = inOut.getAtIndex(ValueLayout.JAVA_INT, i);
                inOut.setAtIndex(ValueLayout.JAVA_INT, i, Math.max(a, b));
            }
        });
        try (Request request = Request.create()) {
            assertTrue(larger.isCommutative());
            Buffer result = ints(0);
            larger.reduceLocal(ints(3), result);
            assertArrayEquals(new int[] {3}, toInts(result));
            world.allreduce(ints(me), result, larger);
            assertArrayEquals(new int[] {2}, toInts(result));
            world.iallreduce(ints(me), result, larger, request);
            assertThrows(IllegalStateException.class, larger::close);
            request.waitFor();
            assertArrayEquals(new int[] {2}, toInts(result));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> world.allreduce(
                            Buffer.of(Arena.ofAuto().allocate(8), Datatype.DOUBLE),
                            Buffer.of(Arena.ofAuto().allocate(8), Datatype.DOUBLE),
                            larger));
        }
        larger.close();
        try (Operation broken = Operation.of(Datatype.INT, false, (in, inOut, count) -> {
            throw new ArithmeticException("no");
        })) {
            assertFalse(broken.isCommutative());
            var e = assertThrows(IllegalStateException.class, () -> broken.reduceLocal(ints(1), ints(2)));
            assertEquals("no", e.getCause().getMessage());
        }
    }

    @Test
    void shouldCombineInAnIntercommunicator() {
        try (Communicator half = world.split(me == 0 ? 0 : 1, me);
                Communicator inter = half.intercommCreate(0, world, me == 0 ? 1 : 0, 5)) {
            assertTrue(inter.isInter());
            assertEquals(me == 0 ? 2 : 1, inter.remoteSize());
            Buffer result = ints(0);
            inter.allreduce(ints(me + 1), result, Operation.SUM);
            assertArrayEquals(new int[] {me == 0 ? 5 : 1}, toInts(result));
            Buffer token = ints(me == 0 ? 42 : 0);
            inter.bcast(token, me == 0 ? Communicator.ROOT : 0);
            assertArrayEquals(new int[] {42}, toInts(token));
            try (Communicator merged = inter.intercommMerge(me == 0);
                    Group remote = inter.remoteGroup()) {
                assertEquals(me == 0 ? 2 : me - 1, merged.rank());
                assertEquals(inter.remoteSize(), remote.size());
            }
            assertThrows(IllegalArgumentException.class, () -> inter.bcast(token, 2));
        }
        assertThrows(IllegalStateException.class, () -> world.intercommMerge(true));
    }

    @Test
    void shouldRefuseBlocksThatAreNone() {
        Blocks some = Blocks.of(Arena.ofAuto().allocate(4L * world.size()), Datatype.INT, new long[world.size()]);
        assertThrows(IllegalArgumentException.class, () -> world.alltoallv(Blocks.EMPTY, some));
        assertThrows(IllegalArgumentException.class, () -> world.alltoallv(some, Blocks.EMPTY));
        assertThrows(IllegalArgumentException.class, () -> world.alltoallv(some, Blocks.IN_PLACE));
        assertThrows(IllegalArgumentException.class, () -> world.alltoallw(Blocks.EMPTY, Blocks.EMPTY));
        assertThrows(IllegalArgumentException.class, () -> world.allgatherv(Buffer.EMPTY, Blocks.EMPTY));
        assertThrows(
                IllegalArgumentException.class, () -> world.reduceScatter(Blocks.EMPTY, Buffer.EMPTY, Operation.SUM));
    }

    /** The function runs while C reads and writes the memory. */
    @Test
    void shouldHoldMemoryWhileAFunctionOfTheProgramRuns() {
        for (Arena arena : List.of(Arena.ofConfined(), Arena.ofShared(), GuardedArena.ofConfined())) {
            var refused = new AtomicInteger();
            Buffer one = Buffer.of(arena.allocateFrom(ValueLayout.JAVA_INT, 1), Datatype.INT);
            Buffer sum = Buffer.of(arena.allocate(ValueLayout.JAVA_INT), Datatype.INT);
            try (Operation add = Operation.of(Datatype.INT, true, (in, inOut, count) -> {
                try {
                    arena.close();
                } catch (IllegalStateException e) {
                    refused.incrementAndGet();
                }
                inOut.set(
                        ValueLayout.JAVA_INT, 0, in.get(ValueLayout.JAVA_INT, 0) + inOut.get(ValueLayout.JAVA_INT, 0));
            })) {
                world.allreduce(one, sum, add);
            }
            assertArrayEquals(new int[] {3}, toInts(sum));
            Buffer calls = ints(refused.get());
            world.allreduce(Buffer.IN_PLACE, calls, Operation.SUM);
            assertTrue(toInts(calls)[0] >= 2, calls::toString);
            arena.close();
        }
    }
}
