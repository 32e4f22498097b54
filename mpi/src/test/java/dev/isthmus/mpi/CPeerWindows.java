// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Set;

/** Windows whose other side is C's, and a file that both write. */
final class CPeerWindows extends CPeer {

    private static final int N = 5;
    private static final int INCREMENTS = 1000;
    private static final long BYTES = 8L * N * Integer.BYTES;

    private final Buffer out = ints(4 * N);
    private final Buffer in = ints(4 * N);
    private final Buffer five = part(out, 0, N);
    private final Buffer got = part(in, 0, N);

    CPeerWindows(Communicator world, Arena arena) {
        super(world, arena);
    }

    private static Buffer part(Buffer whole, int first, int count) {
        return Buffer.of(whole.segment().asSlice((long) first * Integer.BYTES), count, Datatype.INT);
    }

    private void reset() {
        fill(out, me);
        clear(in, -1);
    }

    CPeer run() {
        try (Window window = Window.allocate(world, BYTES, Integer.BYTES, Info.NULL)) {
            fences(window);
            counters(window);
            byRequests(window);
            epochs(window);
            typed(window);
        }
        try (Window window = Window.create(world, bytes(BYTES), Integer.BYTES, Info.NULL)) {
            fences(window);
        }
        try (Window window = Window.allocateShared(world, BYTES, Integer.BYTES, Info.NULL)) {
            shared(window);
        }
        return this;
    }

    private static Buffer memory(Window window) {
        return Buffer.of(window.memory(), Datatype.INT);
    }

    private void fences(Window window) {
        nextStep();
        reset();
        Buffer memory = memory(window);
        clear(memory, 0);
        window.fence(0);
        window.put(five, other, 0);
        window.accumulate(part(out, N, N), other, N, Operation.SUM);
        window.fence(0);
        expect(memory, 0, N, other, 0);
        expect(memory, N, N, other, N);
        window.fence(0);
        window.get(got, other, 0);
        window.fence(0);
        expect(in, N, me);
    }

    private void counters(Window window) {
        Buffer one = ints(1);
        Buffer was = ints(1);
        Buffer seen = ints(1);
        Buffer next = ints(1);
        set(one, 0, 1);
        clear(memory(window), 0);
        world.barrier();
        for (int i = 0; i < INCREMENTS; i++) {
            window.lock(0, Window.Lock.SHARED);
            window.fetchAndOp(one, was, 0, 0, Operation.SUM);
            window.unlock(0);
            check(at(was, 0) >= i && at(was, 0) < 2 * INCREMENTS);
            window.lock(0, Window.Lock.SHARED);
            set(was, 0, 0);
            do {
                set(seen, 0, at(was, 0));
                set(next, 0, at(was, 0) + 1);
                window.compareAndSwap(next, seen, was, 0, 1);
                window.flush(0);
            } while (at(was, 0) != at(seen, 0));
            window.getAccumulate(one, was, 0, 2, Operation.SUM);
            window.unlock(0);
        }
        world.barrier();
        Buffer all = part(in, 0, 3);
        window.lock(0, Window.Lock.EXCLUSIVE);
        window.get(all, 0, 0);
        window.unlock(0);
        for (int i = 0; i < 3; i++) {
            expect(2 * INCREMENTS, at(all, i));
        }
        world.barrier();
    }

    private void byRequests(Window window) {
        nextStep();
        reset();
        Buffer memory = memory(window);
        clear(memory, 0);
        world.barrier();
        try (Request request = Request.create()) {
            window.lockAll();
            window.rput(five, other, 0, request);
            request.waitFor();
            window.raccumulate(five, other, N, Operation.SUM, request);
            request.waitFor();
            window.flushAll();
            window.rget(got, other, 0, request);
            request.waitFor();
            expect(in, N, me);
            window.rgetAccumulate(five, got, other, N, Operation.SUM, request);
            request.waitFor();
            expect(in, N, me);
            window.unlockAll();
        }
        world.barrier();
        for (int i = 0; i < N; i++) {
            expect(value(other, i) + value(other, i), at(memory, N + i));
        }
        world.barrier();
    }

    private void epochs(Window window) {
        try (Group all = world.group();
                Group peer = all.incl(other)) {
            for (int origin = 0; origin < 2; origin++) {
                nextStep();
                reset();
                if (me == origin) {
                    window.start(peer, 0);
                    window.put(five, other, 3);
                    window.complete();
                } else {
                    window.post(peer, 0);
                    window.waitFor();
                    expect(memory(window), 3, N, other, 0);
                }
            }
        }
    }

    private void typed(Window window) {
        nextStep();
        reset();
        Buffer memory = memory(window);
        clear(memory, 0);
        try (Datatype gap = Datatype.vector(N, 1, 2, Datatype.INT)) {
            window.fence(0);
            window.put(five, other, 1, 1, gap);
            window.fence(0);
            for (int i = 0; i < 2 * N; i++) {
                expect(i % 2 == 1 ? value(other, i / 2) : 0, at(memory, i));
            }
        }
    }

    private void shared(Window window) {
        nextStep();
        window.lockAll();
        fill(Buffer.of(window.memory(), 2 * N, Datatype.INT), me);
        window.sync();
        world.barrier();
        window.sync();
        Window.Shared theirs = window.sharedQuery(other);
        expect(BYTES, theirs.segment().byteSize());
        expect(Integer.BYTES, theirs.displacementUnit());
        expect(Buffer.of(theirs.segment(), 2 * N, Datatype.INT), 2 * N, other);
        world.barrier();
        window.unlockAll();
    }

    CPeer files(String path) {
        Set<MpiFile.Mode> modes = Set.of(MpiFile.Mode.CREATE, MpiFile.Mode.RDWR);
        try (MpiFile file = MpiFile.open(world, Path.of(path), modes, Info.NULL)) {
            nextStep();
            reset();
            Status status = Status.create();
            file.writeAtAll((long) me * N * Integer.BYTES, five, Status.IGNORE);
            file.sync();
            world.barrier();
            file.sync();
            file.readAtAll((long) other * N * Integer.BYTES, got, status);
            expect(N, status.count(Datatype.INT));
            expect(in, N, other);
            nextStep();
            reset();
            try (Datatype every = Datatype.vector(N, 1, 2, Datatype.INT)) {
                file.setView((long) me * Integer.BYTES, Datatype.INT, every, "native", Info.NULL);
                file.writeAll(five, Status.IGNORE);
                file.sync();
                world.barrier();
                file.sync();
                file.setView(0, Datatype.INT, Datatype.INT, "native", Info.NULL);
                MemorySegment all = in.segment().asSlice(0, 2L * N * Integer.BYTES);
                file.readAt(0, Buffer.of(all, Datatype.INT), Status.IGNORE);
                for (int i = 0; i < 2 * N; i++) {
                    expect(value(i % 2, i / 2), all.getAtIndex(JAVA_INT, i));
                }
            }
        }
        return this;
    }
}
