// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import static dev.isthmus.mpi.RanksMain.ints;
import static dev.isthmus.mpi.RanksMain.toInts;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.isthmus.bindings.mpi.mpi_abi_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("mpi")
@Ranks(2)
class DatatypeTest {

    private final Communicator world = RanksMain.world();
    private final int me = RanksMain.rank();

    /** Sends elements of a type from rank 0, as the ints 0, 1, ..., and checks which ints arrive. */
    private void transfers(int[] expected, Datatype type, long count) {
        int[] numbers = new int[expected.length];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = me == 0 ? i : -1;
        }
        Buffer memory = ints(numbers);
        Buffer buffer = Buffer.of(memory.segment(), count, type);
        if (me == 0) {
            world.send(buffer, 1, 0);
        } else {
            world.recv(buffer, 0, 0);
            assertArrayEquals(expected, toInts(memory));
        }
        world.barrier();
    }

    @Test
    void shouldTransferAStructLayout() {
        try (Datatype particle = Datatype.of(CPeerDatatypes.PARTICLE);
                Arena arena = Arena.ofConfined()) {
            assertEquals(4 + 8 + 24 + 1, particle.size());
            assertEquals(CPeerDatatypes.PARTICLE.byteSize(), particle.extent());
            assertEquals(0, particle.lowerBound());
            assertEquals(0, particle.trueLowerBound());
            assertEquals(41, particle.trueExtent());
            MemorySegment memory = arena.allocate(CPeerDatatypes.PARTICLE, 2);
            memory.fill((byte) (me == 0 ? 1 : 0));
            Buffer buffer = Buffer.of(memory, particle);
            assertEquals(2, buffer.count());
            if (me == 0) {
                world.send(buffer, 1, 0);
            } else {
                Status status = Status.create();
                world.recv(buffer, 0, 0, status);
                assertEquals(2, status.count(particle));
                assertEquals(12, status.elements(particle));
                assertEquals(0x01010101, memory.get(JAVA_INT, 48));
                assertEquals(0, memory.get(JAVA_INT, 4)); // a padding is not transferred
                assertEquals(1, memory.get(JAVA_BYTE, 88));
                assertEquals(0, memory.get(JAVA_BYTE, 89));
            }
        }
    }

    @Test
    void shouldKnowTheTypesOfValues() {
        var types = Map.<MemoryLayout, Datatype>of(
                JAVA_INT,
                Datatype.INT,
                JAVA_LONG,
                Datatype.LONG,
                JAVA_DOUBLE,
                Datatype.DOUBLE,
                JAVA_BYTE,
                Datatype.INT8,
                ValueLayout.JAVA_CHAR,
                Datatype.CHAR,
                ValueLayout.JAVA_SHORT,
                Datatype.SHORT,
                ValueLayout.JAVA_FLOAT,
                Datatype.FLOAT,
                ValueLayout.JAVA_BOOLEAN,
                Datatype.BOOLEAN);
        types.forEach((layout, type) -> {
            assertEquals(type, Datatype.of(layout));
            assertEquals(layout.byteSize(), type.extent());
        });
        assertThrows(IllegalArgumentException.class, () -> Datatype.of(ValueLayout.ADDRESS));
        assertThrows(
                IllegalArgumentException.class, () -> Datatype.of(JAVA_INT.withOrder(java.nio.ByteOrder.BIG_ENDIAN)));
        assertThrows(IllegalArgumentException.class, () -> Datatype.of(MemoryLayout.unionLayout(JAVA_INT)));
    }

    @Test
    void shouldHaveTheNumbersOfTheAbi() {
        var handles = Map.ofEntries(
                Map.entry(Datatype.BYTE, mpi_abi_h.MPI_BYTE()),
                Map.entry(Datatype.PACKED, mpi_abi_h.MPI_PACKED()),
                Map.entry(Datatype.INT8, mpi_abi_h.MPI_INT8_T()),
                Map.entry(Datatype.UINT8, mpi_abi_h.MPI_UINT8_T()),
                Map.entry(Datatype.C_CHAR, mpi_abi_h.MPI_CHAR()),
                Map.entry(Datatype.BOOLEAN, mpi_abi_h.MPI_C_BOOL()),
                Map.entry(Datatype.CHAR, mpi_abi_h.MPI_UINT16_T()),
                Map.entry(Datatype.SHORT, mpi_abi_h.MPI_SHORT()),
                Map.entry(Datatype.INT, mpi_abi_h.MPI_INT()),
                Map.entry(Datatype.UINT32, mpi_abi_h.MPI_UINT32_T()),
                Map.entry(Datatype.LONG, mpi_abi_h.MPI_INT64_T()),
                Map.entry(Datatype.UINT64, mpi_abi_h.MPI_UINT64_T()),
                Map.entry(Datatype.AINT, mpi_abi_h.MPI_AINT()),
                Map.entry(Datatype.COUNT, mpi_abi_h.MPI_COUNT()),
                Map.entry(Datatype.OFFSET, mpi_abi_h.MPI_OFFSET()),
                Map.entry(Datatype.FLOAT, mpi_abi_h.MPI_FLOAT()),
                Map.entry(Datatype.DOUBLE, mpi_abi_h.MPI_DOUBLE()),
                Map.entry(Datatype.FLOAT_COMPLEX, mpi_abi_h.MPI_C_FLOAT_COMPLEX()),
                Map.entry(Datatype.DOUBLE_COMPLEX, mpi_abi_h.MPI_C_DOUBLE_COMPLEX()),
                Map.entry(Datatype.FLOAT_INT, mpi_abi_h.MPI_FLOAT_INT()),
                Map.entry(Datatype.DOUBLE_INT, mpi_abi_h.MPI_DOUBLE_INT()),
                Map.entry(Datatype.LONG_INT, mpi_abi_h.MPI_LONG_INT()),
                Map.entry(Datatype.INT_INT, mpi_abi_h.MPI_2INT()));
        handles.forEach((type, handle) -> {
            assertEquals(handle, type.handle(), type.toString());
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment two = arena.allocate(JAVA_LONG, 2);
                mpi_abi_h.MPI_Type_get_extent_c(handle, two, two.asSlice(8));
                assertEquals(two.getAtIndex(JAVA_LONG, 1), type.extent(), type.toString());
                mpi_abi_h.MPI_Type_size_c(handle, two);
                assertEquals(two.get(JAVA_LONG, 0), type.size(), type.toString());
            }
        });
        for (ThreadLevel level : ThreadLevel.values()) {
            assertEquals(level, ThreadLevel.of(level.number()));
        }
        assertEquals(mpi_abi_h.MPI_THREAD_MULTIPLE(), ThreadLevel.MULTIPLE.number());
        assertEquals(mpi_abi_h.MPI_ERR_ABI(), ErrorClass.ABI.number());
        assertEquals(mpi_abi_h.MPI_ERR_TRUNCATE(), ErrorClass.TRUNCATE.number());
        assertEquals(mpi_abi_h.MPI_ERR_SESSION(), ErrorClass.SESSION.number());
        assertEquals(mpi_abi_h.MPI_NO_OP(), Operation.NO_OP.handle());
        assertEquals(mpi_abi_h.MPI_LXOR(), Operation.LXOR.handle());
        assertEquals(mpi_abi_h.MPI_MAXLOC(), Operation.MAXLOC.handle());
        assertEquals(mpi_abi_h.MPI_PROC_NULL(), Communicator.PROC_NULL);
        assertEquals(mpi_abi_h.MPI_UNDEFINED(), Communicator.UNDEFINED);
        assertEquals(mpi_abi_h.MPI_ROOT(), Communicator.ROOT);
    }

    @Test
    void shouldTransferRegularParts() {
        try (Datatype two = Datatype.contiguous(2, Datatype.INT);
                Datatype columns = Datatype.vector(2, 1, 3, Datatype.INT);
                Datatype strided = Datatype.hvector(2, 1, 8, Datatype.INT);
                Datatype wide = Datatype.resized(Datatype.INT, 0, 12);
                Datatype copy = wide.dup()) {
            transfers(new int[] {0, 1, 2, 3, -1}, two, 2);
            transfers(new int[] {0, -1, -1, 3, -1}, columns, 1);
            transfers(new int[] {0, -1, 2, -1}, strided, 1);
            transfers(new int[] {0, -1, -1, 3, -1, -1}, wide, 2);
            transfers(new int[] {0, -1, -1, 3}, copy, 2);
            assertThrows(
                    IllegalArgumentException.class,
                    () -> Buffer.of(ints(1, 2, 3).segment(), 1, columns));
        }
    }

    @Test
    void shouldTransferIrregularParts() {
        try (Datatype indexed = Datatype.indexed(new long[] {1, 2}, new long[] {0, 3}, Datatype.INT);
                Datatype bytes = Datatype.hindexed(new long[] {1, 1}, new long[] {4, 12}, Datatype.INT);
                Datatype blocks = Datatype.indexedBlock(2, new long[] {0, 3}, Datatype.INT);
                Datatype byteBlocks = Datatype.hindexedBlock(1, new long[] {0, 8}, Datatype.INT);
                Datatype struct = Datatype.struct(new long[] {1, 1}, new long[] {0, 8}, Datatype.INT, Datatype.FLOAT);
                Datatype part = Datatype.subarray(
                        new long[] {3, 3}, new long[] {2, 2}, new long[] {1, 1}, Datatype.Order.C, Datatype.INT);
                Datatype mine = Datatype.darray(
                        2,
                        1,
                        new long[] {4},
                        new Datatype.Distribution[] {Datatype.Distribution.BLOCK},
                        new int[] {Datatype.DEFAULT_ARGUMENT},
                        new int[] {2},
                        Datatype.Order.C,
                        Datatype.INT)) {
            transfers(new int[] {0, -1, -1, 3, 4}, indexed, 1);
            transfers(new int[] {-1, 1, -1, 3}, bytes, 1);
            transfers(new int[] {0, 1, -1, 3, 4}, blocks, 1);
            transfers(new int[] {0, -1, 2}, byteBlocks, 1);
            transfers(new int[] {0, -1, 2}, struct, 1);
            transfers(new int[] {-1, -1, -1, -1, 4, 5, -1, 7, 8}, part, 1);
            transfers(new int[] {-1, -1, 2, 3}, mine, 1);
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> Datatype.indexed(new long[] {1}, new long[] {0, 3}, Datatype.INT));
    }

    @Test
    void shouldTellHowATypeWasMade() {
        try (Datatype columns = Datatype.vector(2, 1, 3, Datatype.INT);
                Datatype two = Datatype.contiguous(2, columns)) {
            Datatype.Contents contents = columns.contents();
            assertEquals(mpi_abi_h.MPI_COMBINER_VECTOR(), contents.combiner());
            assertEquals(List.of(2L, 1L, 3L), contents.counts());
            assertEquals(1, contents.datatypes());
            assertEquals(1, two.contents().datatypes());
            assertEquals(mpi_abi_h.MPI_COMBINER_NAMED(), Datatype.INT.contents().combiner());
            columns.setName("columns");
            assertEquals("columns", columns.name());
            assertEquals("MPI_INT", Datatype.INT.name());
        }
    }

    @Test
    void shouldPackAndUnpack() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment packed = arena.allocate(Datatype.INT.packSize(3, world) + 16);
            long end = Datatype.pack(ints(1, 2), packed, 0, world);
            end = Datatype.pack(ints(3), packed, end, world);
            Buffer out = ints(0, 0, 0);
            assertEquals(end, Datatype.unpack(packed, 0, out, world));
            assertArrayEquals(new int[] {1, 2, 3}, toInts(out));
            assertEquals(12, Datatype.INT.packExternalSize(3));
            assertEquals(8, Datatype.packExternal(ints(5, 6), packed, 0));
            assertEquals(0x05, packed.get(JAVA_BYTE, 3)); // external32 is big-endian
            Buffer two = ints(0, 0);
            assertEquals(8, Datatype.unpackExternal(packed, 0, two));
            assertArrayEquals(new int[] {5, 6}, toInts(two));
            assertThrows(IllegalArgumentException.class, () -> Datatype.pack(two, packed, -1, world));
        }
    }

    @Test
    void shouldRefuseAClosedType() {
        Datatype type = Datatype.contiguous(2, Datatype.INT);
        Buffer buffer = Buffer.of(ints(1, 2).segment(), type);
        type.close();
        type.close();
        assertThrows(IllegalStateException.class, () -> world.send(buffer, me, 0));
        assertThrows(IllegalStateException.class, Datatype.INT::close);
    }

    @Test
    void shouldFindTheLargestAndWhere() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment pair = arena.allocate(16, 8);
            pair.set(JAVA_DOUBLE, 0, 10.0 * me);
            pair.set(JAVA_INT, 8, me);
            world.allreduce(Buffer.IN_PLACE, Buffer.of(pair, 1, Datatype.DOUBLE_INT), Operation.MAXLOC);
            assertEquals(10.0, pair.get(JAVA_DOUBLE, 0));
            assertEquals(1, pair.get(JAVA_INT, 8));
        }
    }
}
