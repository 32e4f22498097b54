// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.util.function.BiConsumer;

/** Derived and predefined datatypes, which C has made by its own declarations. */
final class CPeerDatatypes extends CPeer {

    private static final int ROOM = 200;
    private static final int N = 10;

    /** {@code struct particle}. */
    static final MemoryLayout PARTICLE = MemoryLayout.structLayout(
            JAVA_INT.withName("id"),
            MemoryLayout.paddingLayout(4),
            JAVA_DOUBLE.withName("mass"),
            MemoryLayout.sequenceLayout(3, JAVA_DOUBLE).withName("position"),
            JAVA_BYTE.withName("kind"),
            MemoryLayout.paddingLayout(7));

    CPeerDatatypes(Communicator world, Arena arena) {
        super(world, arena);
    }

    CPeer run() {
        long[] lengths = {3, 1, 2};
        long[] displacements = {10, 2, 20};
        long[] bytes = {40, 8, 80};
        Datatype element = Datatype.INT;
        exchange(Datatype.contiguous(5, element), 7);
        exchange(Datatype.vector(4, 2, 5, element), 3);
        exchange(Datatype.hvector(4, 2, 24, element), 3);
        exchange(Datatype.indexed(lengths, displacements, element), 2);
        exchange(Datatype.hindexed(lengths, bytes, element), 2);
        exchange(Datatype.indexedBlock(2, displacements, element), 2);
        exchange(Datatype.hindexedBlock(2, bytes, element), 2);
        exchange(Datatype.struct(lengths, bytes, element, element, element), 2);
        long[] sizes = {6, 8};
        long[] part = {3, 4};
        long[] start = {2, 1};
        exchange(Datatype.subarray(sizes, part, start, Datatype.Order.C, element), 3);
        exchange(Datatype.subarray(sizes, part, start, Datatype.Order.FORTRAN, element), 3);
        exchange(
                Datatype.darray(
                        2,
                        0,
                        sizes,
                        new Datatype.Distribution[] {Datatype.Distribution.CYCLIC, Datatype.Distribution.BLOCK},
                        new int[] {2, Datatype.DEFAULT_ARGUMENT},
                        new int[] {2, 1},
                        Datatype.Order.C,
                        element),
                2);
        try (Datatype inner = Datatype.vector(2, 1, 3, element)) {
            exchange(Datatype.resized(inner, 0, 7 * Integer.BYTES), 6);
        }
        particles();
        external();
        predefined();
        return this;
    }

    private void exchange(Datatype made, int count) {
        nextStep();
        try (Datatype type = made) {
            int n = (int) (type.size() / Integer.BYTES * count);
            Buffer out = ints(ROOM);
            Buffer in = ints(ROOM);
            Buffer row = ints(ROOM);
            fill(out, me);
            Status status = Status.create();
            Buffer elements = Buffer.of(out.segment(), count, type);
            world.sendrecv(elements, other, step(), Buffer.of(in.segment(), count, type), other, step(), status);
            expect(count, status.count(type));
            Buffer rowOfN = Buffer.of(row.segment(), n, Datatype.INT);
            world.sendrecv(elements, other, step(), rowOfN, other, step());
            Buffer theirs = ints(ROOM);
            fill(theirs, other);
            Buffer expected = ints(ROOM);
            expect(n * 4L, Datatype.pack(Buffer.of(theirs.segment(), count, type), expected.segment(), 0, world));
            expect(-1, expected.segment().mismatch(row.segment()));
            Buffer packed = ints(ROOM);
            Datatype.pack(Buffer.of(in.segment(), count, type), packed.segment(), 0, world);
            expect(-1, expected.segment().mismatch(packed.segment()));
            int touched = 0;
            for (int i = 0; i < ROOM; i++) {
                touched += at(in, i) == 0 ? 0 : 1;
            }
            check(touched <= n);
        }
    }

    private void particles() {
        nextStep();
        try (Datatype type = Datatype.of(PARTICLE)) {
            MemorySegment out = bytes(N * PARTICLE.byteSize());
            MemorySegment in = bytes(N * PARTICLE.byteSize());
            for (int i = 0; i < N; i++) {
                MemorySegment particle = out.asSlice(i * PARTICLE.byteSize());
                particle.set(JAVA_INT, 0, value(me, i));
                particle.set(JAVA_DOUBLE, 8, i + 0.5);
                particle.set(JAVA_DOUBLE, 16, i);
                particle.set(JAVA_DOUBLE, 24, me);
                particle.set(JAVA_DOUBLE, 32, -i);
                particle.set(JAVA_BYTE, 40, (byte) (i + me));
            }
            world.sendrecv(Buffer.of(out, type), other, step(), Buffer.of(in, type), other, step());
            for (int i = 0; i < N; i++) {
                MemorySegment particle = in.asSlice(i * PARTICLE.byteSize());
                expect(value(other, i), particle.get(JAVA_INT, 0));
                check(particle.get(JAVA_DOUBLE, 8) == i + 0.5
                        && particle.get(JAVA_DOUBLE, 16) == i
                        && particle.get(JAVA_DOUBLE, 24) == other
                        && particle.get(JAVA_DOUBLE, 32) == -i);
                expect(i + other, particle.get(JAVA_BYTE, 40));
            }
            MemorySegment packed = bytes(2000);
            long end = Datatype.pack(Buffer.of(out, type), packed, 0, world);
            world.sendrecvReplace(Buffer.of(packed, end, Datatype.PACKED), other, step(), other, step());
            MemorySegment again = bytes(N * PARTICLE.byteSize());
            Datatype.unpack(packed, 0, Buffer.of(again, type), world);
            expect(-1, in.mismatch(again));
        }
    }

    private void external() {
        nextStep();
        try (Datatype type = Datatype.vector(5, 2, 4, Datatype.INT)) {
            Buffer numbers = ints(ROOM);
            fill(numbers, me);
            MemorySegment bytes = bytes(4 * ROOM);
            long end = Datatype.packExternal(Buffer.of(numbers.segment(), 2, type), bytes, 0);
            expect(20 * 4, end);
            world.sendrecvReplace(Buffer.of(bytes, end, Datatype.BYTE), other, step(), other, step());
            expect(value(other, 0) >> 24, bytes.get(JAVA_BYTE, 0)); // big endian
            Buffer got = ints(ROOM);
            Datatype.unpackExternal(bytes, 0, Buffer.of(got.segment(), 2, type));
            for (int i = 0; i < 36; i++) {
                expect(i % 18 % 4 < 2 ? value(other, i) : 0, at(got, i));
            }
        }
    }

    /** Exchanges one element, that of this rank; what comes must be that of the other. */
    private void one(Datatype type, BiConsumer<MemorySegment, Integer> write) {
        nextStep();
        MemorySegment out = bytes(16);
        MemorySegment in = bytes(16);
        write.accept(out, me);
        world.sendrecv(Buffer.of(out, 1, type), other, step(), Buffer.of(in, 1, type), other, step());
        write.accept(out, other);
        expect(-1, out.mismatch(in));
    }

    private void predefined() {
        one(Datatype.BYTE, (at, from) -> at.set(JAVA_BYTE, 0, (byte) (0xa0 + from)));
        one(Datatype.INT8, (at, from) -> at.set(JAVA_BYTE, 0, (byte) (-100 - from)));
        one(Datatype.UINT8, (at, from) -> at.set(JAVA_BYTE, 0, (byte) (200 + from)));
        one(Datatype.C_CHAR, (at, from) -> at.set(JAVA_BYTE, 0, (byte) ('a' + from)));
        one(Datatype.BOOLEAN, (at, from) -> at.set(JAVA_BYTE, 0, (byte) (from == 0 ? 1 : 0)));
        one(Datatype.CHAR, (at, from) -> at.set(JAVA_SHORT, 0, (short) (0xfff0 + from)));
        one(Datatype.SHORT, (at, from) -> at.set(JAVA_SHORT, 0, (short) (-30_000 - from)));
        one(Datatype.INT, (at, from) -> at.set(JAVA_INT, 0, -2_000_000_000 - from));
        one(Datatype.UINT32, (at, from) -> at.set(JAVA_INT, 0, 0xfffffff0 + from));
        one(Datatype.LONG, (at, from) -> at.set(JAVA_LONG, 0, -4_000_000_000_000_000_000L - from));
        one(Datatype.UINT64, (at, from) -> at.set(JAVA_LONG, 0, 0xfffffffffffffff0L + from));
        one(Datatype.AINT, (at, from) -> at.set(JAVA_LONG, 0, -5_000_000_000L - from));
        one(Datatype.COUNT, (at, from) -> at.set(JAVA_LONG, 0, -6_000_000_000L - from));
        one(Datatype.OFFSET, (at, from) -> at.set(JAVA_LONG, 0, -7_000_000_000L - from));
        one(Datatype.FLOAT, (at, from) -> at.set(JAVA_FLOAT, 0, 1.5f + from));
        one(Datatype.DOUBLE, (at, from) -> at.set(JAVA_DOUBLE, 0, 1e300 * (from + 1)));
        one(Datatype.FLOAT_COMPLEX, (at, from) -> {
            at.set(JAVA_FLOAT, 0, 2.5f + from);
            at.set(JAVA_FLOAT, 4, 3.5f);
        });
        one(Datatype.DOUBLE_COMPLEX, (at, from) -> {
            at.set(JAVA_DOUBLE, 0, 4.5 + from);
            at.set(JAVA_DOUBLE, 8, 5.5);
        });
        one(Datatype.FLOAT_INT, (at, from) -> {
            at.set(JAVA_FLOAT, 0, 10.5f + from);
            at.set(JAVA_INT, 4, 3 + from);
        });
        one(Datatype.DOUBLE_INT, (at, from) -> {
            at.set(JAVA_DOUBLE, 0, 10.5 + from);
            at.set(JAVA_INT, 8, 3 + from);
        });
        one(Datatype.LONG_INT, (at, from) -> {
            at.set(JAVA_LONG, 0, 10 + from);
            at.set(JAVA_INT, 8, 3 + from);
        });
        one(Datatype.INT_INT, (at, from) -> {
            at.set(JAVA_INT, 0, 10 + from);
            at.set(JAVA_INT, 4, 3 + from);
        });
    }
}
