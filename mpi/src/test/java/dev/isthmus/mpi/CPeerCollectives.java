// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import java.util.function.IntBinaryOperator;

/** Every collective call in its three forms. */
final class CPeerCollectives extends CPeer {

    private static final int N = 5;
    private static final int ROUNDS = 3;

    private final Buffer out = ints(4 * N);
    private final Buffer in = ints(4 * N);
    private final MemorySegment from = out.segment();
    private final MemorySegment into = in.segment();

    CPeerCollectives(Communicator world, Arena arena) {
        super(world, arena);
    }

    private void each(
            Runnable prepare,
            Runnable check,
            Runnable blocking,
            Consumer<Request> starting,
            Consumer<Request> preparing) {
        nextStep();
        prepare.run();
        blocking.run();
        check.run();
        try (Request request = Request.create()) {
            prepare.run();
            starting.accept(request);
            request.waitFor();
            check.run();
            prepare.run();
            preparing.accept(request);
            for (int round = 0; round < ROUNDS; round++) {
                prepare.run();
                request.start();
                request.waitFor();
                check.run();
            }
        }
    }

    private void reset() {
        fill(out, me);
        clear(in, -1);
    }

    private static Buffer part(MemorySegment memory, int count) {
        return Buffer.of(memory, count, Datatype.INT);
    }

    private void expectBoth(int count) {
        expect(in, 0, count, 0, 0);
        expect(in, count, count, 1, 0);
    }

    private void expectSums(int count, int first) {
        for (int i = 0; i < count; i++) {
            expect(value(0, first + i) + value(1, first + i), at(in, i));
        }
    }

    CPeer run() {
        long[] counts = {3, N};
        long[] at = {N + 1, 0};
        each(() -> {}, () -> {}, world::barrier, world::ibarrier, request -> world.barrierInit(Info.NULL, request));
        for (int root = 0; root < 2; root++) {
            rooted(root, counts, at);
        }
        toAll(counts, at);
        exchanges(at);
        reductions(counts);
        neighbours(at);
        return this;
    }

    private void rooted(int root, long[] counts, long[] at) {
        boolean isRoot = me == root;
        int mine = (int) counts[me];
        Buffer five = part(into, N);
        each(
                () -> fill(five, me),
                () -> expect(in, N, root),
                () -> world.bcast(five, root),
                request -> world.ibcast(five, root, request),
                request -> world.bcastInit(five, root, Info.NULL, request));
        Buffer one = part(from, N);
        Buffer two = isRoot ? part(into, 2 * N) : Buffer.EMPTY;
        each(
                this::reset,
                () -> expectBoth(isRoot ? N : 0),
                () -> world.gather(one, two, root),
                request -> world.igather(one, two, root, request),
                request -> world.gatherInit(one, two, root, Info.NULL, request));
        Buffer both = isRoot ? part(from, 2 * N) : Buffer.EMPTY;
        each(
                this::reset,
                () -> expect(in, 0, N, root, me * N),
                () -> world.scatter(both, five, root),
                request -> world.iscatter(both, five, root, request),
                request -> world.scatterInit(both, five, root, Info.NULL, request));
        Blocks all = isRoot ? Blocks.of(into, Datatype.INT, counts, at) : Blocks.EMPTY;
        each(
                this::reset,
                () -> {
                    expect(in, (int) at[0], isRoot ? 3 : 0, 0, 0);
                    expect(in, 0, isRoot ? N : 0, 1, 0);
                },
                () -> world.gatherv(part(from, mine), all, root),
                request -> world.igatherv(part(from, mine), all, root, request),
                request -> world.gathervInit(part(from, mine), all, root, Info.NULL, request));
        Blocks source = isRoot ? Blocks.of(from, Datatype.INT, counts, at) : Blocks.EMPTY;
        each(
                this::reset,
                () -> expect(in, 0, mine, root, (int) at[me]),
                () -> world.scatterv(source, part(into, mine), root),
                request -> world.iscatterv(source, part(into, mine), root, request),
                request -> world.scattervInit(source, part(into, mine), root, Info.NULL, request));
        each(
                this::reset,
                () -> expectSums(isRoot ? N : 0, 0),
                () -> world.reduce(one, five, Operation.SUM, root),
                request -> world.ireduce(one, five, Operation.SUM, root, request),
                request -> world.reduceInit(one, five, Operation.SUM, root, Info.NULL, request));
    }

    private void toAll(long[] counts, long[] at) {
        Buffer one = part(from, N);
        Buffer two = part(into, 2 * N);
        each(
                this::reset,
                () -> expectBoth(N),
                () -> world.allgather(one, two),
                request -> world.iallgather(one, two, request),
                request -> world.allgatherInit(one, two, Info.NULL, request));
        Buffer mine = part(from, (int) counts[me]);
        Blocks all = Blocks.of(into, Datatype.INT, counts, at);
        each(
                this::reset,
                () -> {
                    expect(in, (int) at[0], 3, 0, 0);
                    expect(in, 0, N, 1, 0);
                },
                () -> world.allgatherv(mine, all),
                request -> world.iallgatherv(mine, all, request),
                request -> world.allgathervInit(mine, all, Info.NULL, request));
    }

    private void exchanges(long[] at) {
        Buffer sent = part(from, 2 * N);
        Buffer got = part(into, 2 * N);
        each(
                this::reset,
                () -> {
                    expect(in, 0, N, 0, me * N);
                    expect(in, N, N, 1, me * N);
                },
                () -> world.alltoall(sent, got),
                request -> world.ialltoall(sent, got, request),
                request -> world.alltoallInit(sent, got, Info.NULL, request));
        long[] equal = {3, 3};
        Blocks a = Blocks.of(from, Datatype.INT, equal, at);
        Blocks b = Blocks.of(into, Datatype.INT, equal, at);
        each(
                this::reset,
                () -> {
                    expect(in, (int) at[0], 3, 0, (int) at[me]);
                    expect(in, 0, 3, 1, (int) at[me]);
                },
                () -> world.alltoallv(a, b),
                request -> world.ialltoallv(a, b, request),
                request -> world.alltoallvInit(a, b, Info.NULL, request));
        long[] begin = {12, 0};
        try (Datatype gap = Datatype.vector(2, 1, 2, Datatype.INT)) {
            Blocks typed = Blocks.of(from, new Datatype[] {gap, gap}, new long[] {1, 1}, begin);
            Blocks rows = rows();
            each(
                    this::reset,
                    () -> {
                        for (int i = 0; i < 4; i++) {
                            expect(value(i / 2, (int) begin[me] / 4 + 2 * (i % 2)), at(in, i));
                        }
                    },
                    () -> world.alltoallw(typed, rows),
                    request -> world.ialltoallw(typed, rows, request),
                    request -> world.alltoallwInit(typed, rows, Info.NULL, request));
        }
    }

    private Blocks rows() {
        return Blocks.of(into, new Datatype[] {Datatype.INT, Datatype.INT}, new long[] {2, 2}, new long[] {0, 8});
    }

    private void reductions(long[] counts) {
        Buffer one = part(from, N);
        Buffer five = part(into, N);
        Operation op = Operation.SUM;
        each(
                this::reset,
                () -> expectSums(N, 0),
                () -> world.allreduce(one, five, op),
                request -> world.iallreduce(one, five, op, request),
                request -> world.allreduceInit(one, five, op, Info.NULL, request));
        Blocks parts = Blocks.of(from, Datatype.INT, counts);
        Buffer mine = part(into, (int) counts[me]);
        each(
                this::reset,
                () -> expectSums((int) counts[me], me == 0 ? 0 : 3),
                () -> world.reduceScatter(parts, mine, op),
                request -> world.ireduceScatter(parts, mine, op, request),
                request -> world.reduceScatterInit(parts, mine, op, Info.NULL, request));
        Buffer both = part(from, 2 * N);
        each(
                this::reset,
                () -> expectSums(N, me * N),
                () -> world.reduceScatterBlock(both, five, op),
                request -> world.ireduceScatterBlock(both, five, op, request),
                request -> world.reduceScatterBlockInit(both, five, op, Info.NULL, request));
        each(
                this::reset,
                () -> {
                    expect(in, 0, me == 0 ? N : 0, 0, 0);
                    expectSums(me == 1 ? N : 0, 0);
                },
                () -> world.scan(one, five, op),
                request -> world.iscan(one, five, op, request),
                request -> world.scanInit(one, five, op, Info.NULL, request));
        each(
                this::reset,
                () -> expect(in, 0, me == 1 ? N : 0, 0, 0),
                () -> world.exscan(one, five, op),
                request -> world.iexscan(one, five, op, request),
                request -> world.exscanInit(one, five, op, Info.NULL, request));
        operations();
    }

    private void reduction(Operation op, IntBinaryOperator expected) {
        nextStep();
        reset();
        world.allreduce(part(from, N), part(into, N), op);
        for (int i = 0; i < N; i++) {
            expect(expected.applyAsInt(value(0, i), value(1, i)), at(in, i));
        }
    }

    private void operations() {
        reduction(Operation.SUM, Integer::sum);
        reduction(Operation.PROD, (a, b) -> a * b);
        reduction(Operation.MIN, Math::min);
        reduction(Operation.MAX, Math::max);
        reduction(Operation.BAND, (a, b) -> a & b);
        reduction(Operation.BOR, (a, b) -> a | b);
        reduction(Operation.BXOR, (a, b) -> a ^ b);
        reduction(Operation.LAND, (a, b) -> a != 0 && b != 0 ? 1 : 0);
        reduction(Operation.LOR, (a, b) -> a != 0 || b != 0 ? 1 : 0);
        reduction(Operation.LXOR, (a, b) -> (a != 0) != (b != 0) ? 1 : 0);
        try (Operation op = Operation.of(Datatype.INT, true, (a, b, count) -> {
            for (long i = 0; i < count; i++) {
                int one = a.getAtIndex(JAVA_INT, i);
                if (Math.abs(one / 2) > Math.abs(b.getAtIndex(JAVA_INT, i) / 2)) {
                    b.setAtIndex(JAVA_INT, i, one);
                }
            }
        })) {
            reduction(op, (a, b) -> Math.abs(a / 2) > Math.abs(b / 2) ? a : b);
        }
        MemorySegment mine = bytes(16);
        MemorySegment best = bytes(16);
        mine.set(JAVA_DOUBLE, 0, me == 0 ? -1.5 : 2.5);
        mine.set(JAVA_INT, 8, 40 + me);
        world.allreduce(
                Buffer.of(mine, 1, Datatype.DOUBLE_INT), Buffer.of(best, 1, Datatype.DOUBLE_INT), Operation.MAXLOC);
        check(best.get(JAVA_DOUBLE, 0) == 2.5 && best.get(JAVA_INT, 8) == 41);
        world.allreduce(
                Buffer.of(mine, 1, Datatype.DOUBLE_INT), Buffer.of(best, 1, Datatype.DOUBLE_INT), Operation.MINLOC);
        check(best.get(JAVA_DOUBLE, 0) == -1.5 && best.get(JAVA_INT, 8) == 40);
    }

    private void neighbours(long[] at) {
        int side = me == 0 ? N : 0;
        int there = (int) at[me == 0 ? 1 : 0];
        try (Communicator line = world.cartCreate(new int[] {2}, new boolean[] {false}, false);
                Datatype gap = Datatype.vector(2, 1, 2, Datatype.INT)) {
            Buffer one = part(from, N);
            Buffer two = part(into, 2 * N);
            each(
                    this::reset,
                    () -> expect(in, side, N, other, 0),
                    () -> line.neighborAllgather(one, two),
                    request -> line.ineighborAllgather(one, two, request),
                    request -> line.neighborAllgatherInit(one, two, Info.NULL, request));
            long[] equal = {3, 3};
            Blocks a = Blocks.of(from, Datatype.INT, equal, at);
            Blocks b = Blocks.of(into, Datatype.INT, equal, at);
            Buffer three = part(from, 3);
            each(
                    this::reset,
                    () -> expect(in, there, 3, other, 0),
                    () -> line.neighborAllgatherv(three, b),
                    request -> line.ineighborAllgatherv(three, b, request),
                    request -> line.neighborAllgathervInit(three, b, Info.NULL, request));
            Buffer both = part(from, 2 * N);
            each(
                    this::reset,
                    () -> expect(in, side, N, other, me == 0 ? 0 : N),
                    () -> line.neighborAlltoall(both, two),
                    request -> line.ineighborAlltoall(both, two, request),
                    request -> line.neighborAlltoallInit(both, two, Info.NULL, request));
            each(
                    this::reset,
                    () -> expect(in, there, 3, other, (int) at[me]),
                    () -> line.neighborAlltoallv(a, b),
                    request -> line.ineighborAlltoallv(a, b, request),
                    request -> line.neighborAlltoallvInit(a, b, Info.NULL, request));
            long[] far = {12, 0};
            Blocks typed = Blocks.of(from, new Datatype[] {gap, gap}, new long[] {1, 1}, far);
            Blocks rows = rows();
            each(
                    this::reset,
                    () -> {
                        for (int i = 0; i < 2; i++) {
                            expect(value(other, (int) far[me] / 4 + 2 * i), at(in, (me == 0 ? 2 : 0) + i));
                        }
                    },
                    () -> line.neighborAlltoallw(typed, rows),
                    request -> line.ineighborAlltoallw(typed, rows, request),
                    request -> line.neighborAlltoallwInit(typed, rows, Info.NULL, request));
        }
    }
}
