// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.isthmus.bindings.mpi.mpi_abi_h;
import java.lang.foreign.Arena;
import java.lang.foreign.GroupLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.PaddingLayout;
import java.lang.foreign.SequenceLayout;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * How data lies in memory: {@code MPI_Datatype}. Predefined ones are constants, which need no MPI. Derived ones are
 * {@linkplain #of(MemoryLayout) made of a layout}, or by the standard's constructors; they are committed when they are made,
 * and closed by the program. A derived datatype may be closed while operations use it, but not while a {@link PreparedMessage}
 * does.
 */
public final class Datatype extends MpiObject {

    /** {@code MPI_BYTE}: uninterpreted bytes. */
    public static final Datatype BYTE = new Datatype("BYTE", 0x247, 1, 1);
    /** {@code MPI_PACKED}: what {@link #pack} has written. */
    public static final Datatype PACKED = new Datatype("PACKED", 0x207, 1, 1);
    /** {@code MPI_INT8_T}: Java's {@code byte} as a number. */
    public static final Datatype INT8 = new Datatype("INT8_T", 0x240, 1, 1);
    /** {@code MPI_UINT8_T}. */
    public static final Datatype UINT8 = new Datatype("UINT8_T", 0x241, 1, 1);
    /** {@code MPI_CHAR}: a character of C, one byte. */
    public static final Datatype C_CHAR = new Datatype("CHAR", 0x243, 1, 1);
    /** {@code MPI_C_BOOL}: Java's {@code boolean}. */
    public static final Datatype BOOLEAN = new Datatype("C_BOOL", 0x238, 1, 1);
    /** {@code MPI_UINT16_T}: Java's {@code char}. */
    public static final Datatype CHAR = new Datatype("UINT16_T", 0x249, 2, 2);
    /** {@code MPI_SHORT}: Java's {@code short}. */
    public static final Datatype SHORT = new Datatype("SHORT", 0x208, 2, 2);
    /** {@code MPI_INT}: Java's {@code int}. */
    public static final Datatype INT = new Datatype("INT", 0x209, 4, 4);
    /** {@code MPI_UINT32_T}. */
    public static final Datatype UINT32 = new Datatype("UINT32_T", 0x251, 4, 4);
    /** {@code MPI_INT64_T}: Java's {@code long}. */
    public static final Datatype LONG = new Datatype("INT64_T", 0x258, 8, 8);
    /** {@code MPI_UINT64_T}. */
    public static final Datatype UINT64 = new Datatype("UINT64_T", 0x259, 8, 8);
    /** {@code MPI_AINT}: an address or displacement. */
    public static final Datatype AINT = new Datatype("AINT", 0x201, 8, 8);
    /** {@code MPI_COUNT}. */
    public static final Datatype COUNT = new Datatype("COUNT", 0x202, 8, 8);
    /** {@code MPI_OFFSET}: an offset in a file. */
    public static final Datatype OFFSET = new Datatype("OFFSET", 0x203, 8, 8);
    /** {@code MPI_FLOAT}: Java's {@code float}. */
    public static final Datatype FLOAT = new Datatype("FLOAT", 0x210, 4, 4);
    /** {@code MPI_DOUBLE}: Java's {@code double}. */
    public static final Datatype DOUBLE = new Datatype("DOUBLE", 0x214, 8, 8);
    /** {@code MPI_C_FLOAT_COMPLEX}: two floats. */
    public static final Datatype FLOAT_COMPLEX = new Datatype("C_FLOAT_COMPLEX", 0x212, 8, 8);
    /** {@code MPI_C_DOUBLE_COMPLEX}: two doubles. */
    public static final Datatype DOUBLE_COMPLEX = new Datatype("C_DOUBLE_COMPLEX", 0x216, 16, 16);
    /** {@code MPI_FLOAT_INT}: a float and an int, for {@link Operation#MAXLOC} and {@link Operation#MINLOC}. */
    public static final Datatype FLOAT_INT = new Datatype("FLOAT_INT", 0x228, 8, 8);
    /** {@code MPI_DOUBLE_INT}: a double and an int, 16 bytes apart. */
    public static final Datatype DOUBLE_INT = new Datatype("DOUBLE_INT", 0x229, 12, 16);
    /** {@code MPI_LONG_INT}: a long and an int, 16 bytes apart. */
    public static final Datatype LONG_INT = new Datatype("LONG_INT", 0x22a, 12, 16);
    /** {@code MPI_2INT}: two ints. */
    public static final Datatype INT_INT = new Datatype("2INT", 0x22b, 8, 8);

    /** The order of an array's dimensions in memory. */
    public enum Order {
        /** {@code MPI_ORDER_C}: the last index varies fastest. */
        C(0xC),
        /** {@code MPI_ORDER_FORTRAN}: the first index varies fastest. */
        FORTRAN(0xF);

        private final int number;

        Order(int number) {
            this.number = number;
        }
    }

    /** How one dimension of an array is distributed over processes. */
    public enum Distribution {
        /** {@code MPI_DISTRIBUTE_NONE}. */
        NONE(16),
        /** {@code MPI_DISTRIBUTE_BLOCK}. */
        BLOCK(17),
        /** {@code MPI_DISTRIBUTE_CYCLIC}. */
        CYCLIC(18);

        private final int number;

        Distribution(int number) {
            this.number = number;
        }
    }

    /** {@code MPI_DISTRIBUTE_DFLT_DARG}: the default argument of a {@link Distribution}. */
    public static final int DEFAULT_ARGUMENT = 19;

    /**
     * How a datatype was made: {@code MPI_Type_get_envelope_c} and {@code MPI_Type_get_contents_c}.
     *
     * @param combiner the {@code MPI_COMBINER_} number of {@code mpi_abi.h}; 101 for a predefined datatype
     * @param integers the arguments of type int
     * @param addresses the arguments that are displacements
     * @param counts the arguments that are large counts
     * @param datatypes how many datatypes it was made of
     */
    public record Contents(
            int combiner, List<Integer> integers, List<Long> addresses, List<Long> counts, int datatypes) {}

    /** A constructor of C, which writes a handle. */
    private interface Constructor {
        int call(Arena arena, MemorySegment handle);
    }

    private final String name;
    private final long size;
    private final long lowerBound;
    private final long extent;
    private final long trueLowerBound;
    private final long trueExtent;

    private Datatype(String name, long handle, long size, long extent) {
        super(null, MemorySegment.ofAddress(handle), true);
        this.name = name;
        this.size = size;
        this.extent = extent;
        lowerBound = 0;
        trueLowerBound = 0;
        trueExtent = size;
    }

    private Datatype(Instance instance, String name, MemorySegment handle) {
        super(instance, handle, false);
        this.name = name;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment two = arena.allocate(JAVA_LONG, 2);
            MemorySegment second = two.asSlice(Long.BYTES);
            instance.check(mpi_abi_h.MPI_Type_size_c(handle, two), "MPI_Type_size_c", this);
            size = two.get(JAVA_LONG, 0);
            instance.check(mpi_abi_h.MPI_Type_get_extent_c(handle, two, second), "MPI_Type_get_extent_c", this);
            lowerBound = two.get(JAVA_LONG, 0);
            extent = second.get(JAVA_LONG, 0);
            instance.check(
                    mpi_abi_h.MPI_Type_get_true_extent_c(handle, two, second), "MPI_Type_get_true_extent_c", this);
            trueLowerBound = two.get(JAVA_LONG, 0);
            trueExtent = second.get(JAVA_LONG, 0);
        }
    }

    private static Datatype create(String call, String name, Constructor constructor) {
        Instance instance = Instance.entered();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment handle = arena.allocate(ADDRESS);
            instance.check(constructor.call(arena, handle), call, name);
            instance.check(mpi_abi_h.MPI_Type_commit(handle), "MPI_Type_commit", name);
            return new Datatype(instance, name, handle.get(ADDRESS, 0));
        }
    }

    /**
     * Makes the datatype of a layout: values of Java's primitive types in the machine's byte order, sequences and structs of
     * them. Paddings are not transferred. Its extent is the layout's size, so that arrays of it lie as Java lays them.
     *
     * @param layout the layout
     * @return a predefined datatype for a value, a derived one otherwise
     * @throws IllegalArgumentException if the layout has a union, an address, or values in another byte order
     */
    public static Datatype of(MemoryLayout layout) {
        return switch (layout) {
            case ValueLayout value -> ofValue(value);
            case SequenceLayout sequence -> {
                Datatype element = of(sequence.elementLayout());
                try {
                    yield contiguous(sequence.elementCount(), element);
                } finally {
                    element.closeIfDerived();
                }
            }
            case StructLayout struct -> ofStruct(struct);
            case GroupLayout union -> throw new IllegalArgumentException("a union is of no datatype: " + union);
            case PaddingLayout padding -> throw new IllegalArgumentException("a padding is of no datatype: " + padding);
        };
    }

    private static Datatype ofValue(ValueLayout value) {
        if (value.byteSize() > 1 && value.order() != ByteOrder.nativeOrder()) {
            throw new IllegalArgumentException(value + " is not in this machine's byte order");
        }
        return switch (value) {
            case ValueLayout.OfByte _byte -> INT8;
            case ValueLayout.OfBoolean _boolean -> BOOLEAN;
            case ValueLayout.OfChar _char -> CHAR;
            case ValueLayout.OfShort _short -> SHORT;
            case ValueLayout.OfInt _int -> INT;
            case ValueLayout.OfLong _long -> LONG;
            case ValueLayout.OfFloat _float -> FLOAT;
            case ValueLayout.OfDouble _double -> DOUBLE;
            default -> throw new IllegalArgumentException("an address means nothing to another process: " + value);
        };
    }

    private static Datatype ofStruct(StructLayout layout) {
        var types = new ArrayList<Datatype>();
        var offsets = new ArrayList<Long>();
        long offset = 0;
        try {
            for (MemoryLayout member : layout.memberLayouts()) {
                if (!(member instanceof PaddingLayout)) {
                    types.add(of(member));
                    offsets.add(offset);
                }
                offset += member.byteSize();
            }
            long[] lengths = new long[types.size()];
            java.util.Arrays.fill(lengths, 1);
            try (Datatype packed = struct(
                    lengths, offsets.stream().mapToLong(Long::longValue).toArray(), types.toArray(Datatype[]::new))) {
                return resized(packed, 0, layout.byteSize());
            }
        } finally {
            types.forEach(Datatype::closeIfDerived);
        }
    }

    private void closeIfDerived() {
        if (!isPredefined()) {
            close();
        }
    }

    /**
     * Several elements one after another: {@code MPI_Type_contiguous_c}.
     *
     * @param count how many
     * @param type the elements' type
     * @return the datatype
     */
    public static Datatype contiguous(long count, Datatype type) {
        MemorySegment old = type.handle();
        return create(
                "MPI_Type_contiguous_c",
                count + " x " + type,
                (arena, handle) -> mpi_abi_h.MPI_Type_contiguous_c(count, old, handle));
    }

    /**
     * Equally spaced blocks: {@code MPI_Type_vector_c}.
     *
     * @param count how many blocks
     * @param blockLength elements of a block
     * @param stride elements from one block's start to the next
     * @param type the elements' type
     * @return the datatype
     */
    public static Datatype vector(long count, long blockLength, long stride, Datatype type) {
        MemorySegment old = type.handle();
        return create(
                "MPI_Type_vector_c",
                "vector of " + type,
                (arena, handle) -> mpi_abi_h.MPI_Type_vector_c(count, blockLength, stride, old, handle));
    }

    /**
     * Equally spaced blocks with a stride in bytes: {@code MPI_Type_create_hvector_c}.
     *
     * @param count how many blocks
     * @param blockLength elements of a block
     * @param strideBytes bytes from one block's start to the next
     * @param type the elements' type
     * @return the datatype
     */
    public static Datatype hvector(long count, long blockLength, long strideBytes, Datatype type) {
        MemorySegment old = type.handle();
        return create(
                "MPI_Type_create_hvector_c",
                "hvector of " + type,
                (arena, handle) -> mpi_abi_h.MPI_Type_create_hvector_c(count, blockLength, strideBytes, old, handle));
    }

    /**
     * Blocks of different lengths anywhere: {@code MPI_Type_indexed_c}.
     *
     * @param blockLengths elements of each block
     * @param displacements where each block starts, in elements
     * @param type the elements' type
     * @return the datatype
     */
    public static Datatype indexed(long[] blockLengths, long[] displacements, Datatype type) {
        requireSame(blockLengths.length, displacements.length);
        MemorySegment old = type.handle();
        return create(
                "MPI_Type_indexed_c",
                "indexed of " + type,
                (arena, handle) -> mpi_abi_h.MPI_Type_indexed_c(
                        blockLengths.length, longs(arena, blockLengths), longs(arena, displacements), old, handle));
    }

    /**
     * Blocks of different lengths anywhere, in bytes: {@code MPI_Type_create_hindexed_c}.
     *
     * @param blockLengths elements of each block
     * @param displacementBytes where each block starts, in bytes
     * @param type the elements' type
     * @return the datatype
     */
    public static Datatype hindexed(long[] blockLengths, long[] displacementBytes, Datatype type) {
        requireSame(blockLengths.length, displacementBytes.length);
        MemorySegment old = type.handle();
        return create(
                "MPI_Type_create_hindexed_c",
                "hindexed of " + type,
                (arena, handle) -> mpi_abi_h.MPI_Type_create_hindexed_c(
                        blockLengths.length, longs(arena, blockLengths), longs(arena, displacementBytes), old, handle));
    }

    /**
     * Blocks of one length anywhere: {@code MPI_Type_create_indexed_block_c}.
     *
     * @param blockLength elements of each block
     * @param displacements where each block starts, in elements
     * @param type the elements' type
     * @return the datatype
     */
    public static Datatype indexedBlock(long blockLength, long[] displacements, Datatype type) {
        MemorySegment old = type.handle();
        return create(
                "MPI_Type_create_indexed_block_c",
                "indexedBlock of " + type,
                (arena, handle) -> mpi_abi_h.MPI_Type_create_indexed_block_c(
                        displacements.length, blockLength, longs(arena, displacements), old, handle));
    }

    /**
     * Blocks of one length anywhere, in bytes: {@code MPI_Type_create_hindexed_block_c}.
     *
     * @param blockLength elements of each block
     * @param displacementBytes where each block starts, in bytes
     * @param type the elements' type
     * @return the datatype
     */
    public static Datatype hindexedBlock(long blockLength, long[] displacementBytes, Datatype type) {
        MemorySegment old = type.handle();
        return create(
                "MPI_Type_create_hindexed_block_c",
                "hindexedBlock of " + type,
                (arena, handle) -> mpi_abi_h.MPI_Type_create_hindexed_block_c(
                        displacementBytes.length, blockLength, longs(arena, displacementBytes), old, handle));
    }

    /**
     * Blocks of different types anywhere: {@code MPI_Type_create_struct_c}.
     *
     * @param blockLengths elements of each block
     * @param displacementBytes where each block starts, in bytes
     * @param types the type of each block
     * @return the datatype
     */
    public static Datatype struct(long[] blockLengths, long[] displacementBytes, Datatype... types) {
        requireSame(blockLengths.length, displacementBytes.length);
        requireSame(blockLengths.length, types.length);
        return create(
                "MPI_Type_create_struct_c",
                "struct of " + types.length,
                (arena, handle) -> mpi_abi_h.MPI_Type_create_struct_c(
                        types.length,
                        longs(arena, blockLengths),
                        longs(arena, displacementBytes),
                        handles(arena, types),
                        handle));
    }

    /**
     * A part of an array of several dimensions: {@code MPI_Type_create_subarray_c}.
     *
     * @param sizes the array's elements in each dimension
     * @param subsizes the part's elements in each dimension
     * @param starts where the part begins in each dimension
     * @param order the order of the dimensions
     * @param type the elements' type
     * @return the datatype, whose extent is the whole array's
     */
    public static Datatype subarray(long[] sizes, long[] subsizes, long[] starts, Order order, Datatype type) {
        requireSame(sizes.length, subsizes.length);
        requireSame(sizes.length, starts.length);
        MemorySegment old = type.handle();
        return create(
                "MPI_Type_create_subarray_c",
                "subarray of " + type,
                (arena, handle) -> mpi_abi_h.MPI_Type_create_subarray_c(
                        sizes.length,
                        longs(arena, sizes),
                        longs(arena, subsizes),
                        longs(arena, starts),
                        order.number,
                        old,
                        handle));
    }

    /**
     * The part of one process of an array that is distributed over a grid of processes: {@code MPI_Type_create_darray_c}.
     *
     * @param size how many processes
     * @param rank the process
     * @param globalSizes the array's elements in each dimension
     * @param distributions how each dimension is distributed
     * @param arguments the argument of each, or {@link #DEFAULT_ARGUMENT}
     * @param processes how many processes in each dimension
     * @param order the order of the dimensions
     * @param type the elements' type
     * @return the datatype
     */
    public static Datatype darray(
            int size,
            int rank,
            long[] globalSizes,
            Distribution[] distributions,
            int[] arguments,
            int[] processes,
            Order order,
            Datatype type) {
        requireSame(globalSizes.length, distributions.length);
        requireSame(globalSizes.length, arguments.length);
        requireSame(globalSizes.length, processes.length);
        MemorySegment old = type.handle();
        int[] numbers = java.util.Arrays.stream(distributions)
                .mapToInt(each -> each.number)
                .toArray();
        return create(
                "MPI_Type_create_darray_c",
                "darray of " + type,
                (arena, handle) -> mpi_abi_h.MPI_Type_create_darray_c(
                        size,
                        rank,
                        globalSizes.length,
                        longs(arena, globalSizes),
                        arena.allocateFrom(JAVA_INT, numbers),
                        arena.allocateFrom(JAVA_INT, arguments),
                        arena.allocateFrom(JAVA_INT, processes),
                        order.number,
                        old,
                        handle));
    }

    /**
     * The same with other bounds: {@code MPI_Type_create_resized_c}.
     *
     * @param type the datatype
     * @param lowerBound the new lower bound, in bytes
     * @param extent the new extent, in bytes: from one element to the next
     * @return the datatype
     */
    public static Datatype resized(Datatype type, long lowerBound, long extent) {
        MemorySegment old = type.handle();
        return create(
                "MPI_Type_create_resized_c",
                type.name,
                (arena, handle) -> mpi_abi_h.MPI_Type_create_resized_c(old, lowerBound, extent, handle));
    }

    /**
     * The same once more: {@code MPI_Type_dup}.
     *
     * @return a datatype with a life of its own
     */
    public Datatype dup() {
        MemorySegment old = handle();
        return create("MPI_Type_dup", name, (arena, handle) -> mpi_abi_h.MPI_Type_dup(old, handle));
    }

    private static void requireSame(int one, int other) {
        if (one != other) {
            throw new IllegalArgumentException("arrays of different lengths: " + one + " and " + other);
        }
    }

    private static MemorySegment longs(Arena arena, long... values) {
        return arena.allocateFrom(JAVA_LONG, values);
    }

    static MemorySegment handles(Arena arena, Datatype... types) {
        MemorySegment all = arena.allocate(ADDRESS, Math.max(types.length, 1));
        for (int i = 0; i < types.length; i++) {
            all.setAtIndex(ADDRESS, i, types[i].handle());
        }
        return all;
    }

    /**
     * How many bytes an element transfers: {@code MPI_Type_size_c}.
     *
     * @return the number, without gaps
     */
    public long size() {
        return size;
    }

    /**
     * How far apart elements lie: {@code MPI_Type_get_extent_c}.
     *
     * @return bytes
     */
    public long extent() {
        return extent;
    }

    /**
     * Where an element begins, gaps included: {@code MPI_Type_get_extent_c}.
     *
     * @return bytes from its address
     */
    public long lowerBound() {
        return lowerBound;
    }

    /**
     * Where an element's first byte lies: {@code MPI_Type_get_true_extent_c}.
     *
     * @return bytes from its address
     */
    public long trueLowerBound() {
        return trueLowerBound;
    }

    /**
     * How far an element's last byte lies behind its first: {@code MPI_Type_get_true_extent_c}.
     *
     * @return bytes
     */
    public long trueExtent() {
        return trueExtent;
    }

    /** How many bytes a segment must have for so many elements. */
    long span(long count) {
        if (count <= 0) {
            return 0;
        }
        if (trueLowerBound < 0 || extent < 0) {
            throw new IllegalArgumentException(this
                    + " reaches below its address: give it another lower bound by displacements that are not negative");
        }
        return Math.addExact(Math.addExact(trueLowerBound, trueExtent), Math.multiplyExact(count - 1, extent));
    }

    /** How many elements fit into so many bytes. */
    long fitting(long bytes) {
        long first = span(1);
        if (first == 0 || bytes < first) {
            return 0;
        }
        return extent == 0 ? 1 : (bytes - first) / extent + 1;
    }

    /**
     * How it was made.
     *
     * @return its constructor's number and arguments
     */
    public Contents contents() {
        Instance own = Instance.entered();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment numbers = arena.allocate(JAVA_LONG, 4);
            MemorySegment combiner = arena.allocate(JAVA_INT);
            own.check(
                    mpi_abi_h.MPI_Type_get_envelope_c(
                            handle(), numbers, numbers.asSlice(8), numbers.asSlice(16), numbers.asSlice(24), combiner),
                    "MPI_Type_get_envelope_c",
                    this);
            long[] n = numbers.toArray(JAVA_LONG);
            int how = combiner.get(JAVA_INT, 0);
            if (isPredefined()) {
                return new Contents(how, List.of(), List.of(), List.of(), 0);
            }
            MemorySegment integers = arena.allocate(JAVA_INT, Math.max(n[0], 1));
            MemorySegment addresses = arena.allocate(JAVA_LONG, Math.max(n[1], 1));
            MemorySegment counts = arena.allocate(JAVA_LONG, Math.max(n[2], 1));
            MemorySegment types = arena.allocate(ADDRESS, Math.max(n[3], 1));
            own.check(
                    mpi_abi_h.MPI_Type_get_contents_c(
                            handle(), n[0], n[1], n[2], n[3], integers, addresses, counts, types),
                    "MPI_Type_get_contents_c",
                    this);
            var ints = new ArrayList<Integer>();
            for (long i = 0; i < n[0]; i++) {
                ints.add(integers.getAtIndex(JAVA_INT, i));
            }
            for (long i = 0; i < n[3]; i++) { // derived ones are new handles, which are ours to free
                freeIfDerived(own, types.asSlice(i * ADDRESS.byteSize(), ADDRESS));
            }
            return new Contents(how, ints, list(addresses, n[1]), list(counts, n[2]), (int) n[3]);
        }
    }

    /** Frees a handle that a call has written, unless it is predefined. */
    static void freeIfDerived(Instance instance, MemorySegment type) {
        if (type.get(ADDRESS, 0).address() > 0x3ff) { // predefined handles are smaller, by the ABI
            instance.check(mpi_abi_h.MPI_Type_free(type), "MPI_Type_free", "");
        }
    }

    private static List<Long> list(MemorySegment longs, long count) {
        var list = new ArrayList<Long>();
        for (long i = 0; i < count; i++) {
            list.add(longs.getAtIndex(JAVA_LONG, i));
        }
        return list;
    }

    /**
     * How many bytes so many elements take when they are packed: {@code MPI_Pack_size_c}.
     *
     * @param count how many elements
     * @param communicator where the packed data is sent
     * @return an upper bound
     */
    public long packSize(long count, Communicator communicator) {
        Instance own = Instance.entered();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(JAVA_LONG);
            own.check(
                    mpi_abi_h.MPI_Pack_size_c(count, handle(), communicator.handle(), bytes), "MPI_Pack_size_c", this);
            return bytes.get(JAVA_LONG, 0);
        }
    }

    /**
     * Appends elements to packed data: {@code MPI_Pack_c}.
     *
     * @param elements what to pack
     * @param packed where to
     * @param position where in it, in bytes
     * @param communicator where the packed data is sent
     * @return the position behind what was packed
     */
    public static long pack(Buffer elements, MemorySegment packed, long position, Communicator communicator) {
        return transfer(
                packed,
                position,
                "MPI_Pack_c",
                at -> mpi_abi_h.MPI_Pack_c(
                        elements.readable(),
                        elements.count,
                        elements.type(),
                        packed,
                        packed.byteSize(),
                        at,
                        communicator.handle()));
    }

    /**
     * Takes elements from packed data: {@code MPI_Unpack_c}.
     *
     * @param packed where from
     * @param position where in it, in bytes
     * @param elements where to
     * @param communicator where the packed data came from
     * @return the position behind what was taken
     */
    public static long unpack(MemorySegment packed, long position, Buffer elements, Communicator communicator) {
        return transfer(
                packed,
                position,
                "MPI_Unpack_c",
                at -> mpi_abi_h.MPI_Unpack_c(
                        packed,
                        packed.byteSize(),
                        at,
                        elements.writable(),
                        elements.count,
                        elements.type(),
                        communicator.handle()));
    }

    /**
     * How many bytes so many elements take in the format {@code external32}: {@code MPI_Pack_external_size_c}.
     *
     * @param count how many elements
     * @return the number
     */
    public long packExternalSize(long count) {
        Instance own = Instance.entered();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(JAVA_LONG);
            own.check(
                    mpi_abi_h.MPI_Pack_external_size_c(arena.allocateFrom("external32"), count, handle(), bytes),
                    "MPI_Pack_external_size_c",
                    this);
            return bytes.get(JAVA_LONG, 0);
        }
    }

    /**
     * Appends elements to data in the format {@code external32}, which every MPI reads: {@code MPI_Pack_external_c}.
     *
     * @param elements what to pack
     * @param packed where to
     * @param position where in it, in bytes
     * @return the position behind what was packed
     */
    public static long packExternal(Buffer elements, MemorySegment packed, long position) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment format = arena.allocateFrom("external32");
            return transfer(
                    packed,
                    position,
                    "MPI_Pack_external_c",
                    at -> mpi_abi_h.MPI_Pack_external_c(
                            format,
                            elements.readable(),
                            elements.count,
                            elements.type(),
                            packed,
                            packed.byteSize(),
                            at));
        }
    }

    /**
     * Takes elements from data in the format {@code external32}: {@code MPI_Unpack_external_c}.
     *
     * @param packed where from
     * @param position where in it, in bytes
     * @param elements where to
     * @return the position behind what was taken
     */
    public static long unpackExternal(MemorySegment packed, long position, Buffer elements) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment format = arena.allocateFrom("external32");
            return transfer(
                    packed,
                    position,
                    "MPI_Unpack_external_c",
                    at -> mpi_abi_h.MPI_Unpack_external_c(
                            format,
                            packed,
                            packed.byteSize(),
                            at,
                            elements.writable(),
                            elements.count,
                            elements.type()));
        }
    }

    private static long transfer(
            MemorySegment packed,
            long position,
            String call,
            java.util.function.ToIntFunction<MemorySegment> function) {
        if (!packed.isNative() || position < 0 || position > packed.byteSize()) {
            throw new IllegalArgumentException("packed data is native memory, and position " + position + " in it");
        }
        Instance own = Instance.entered();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment at = arena.allocateFrom(JAVA_LONG, position);
            own.check(function.applyAsInt(at), call, packed.byteSize() + " bytes, position " + position);
            return at.get(JAVA_LONG, 0);
        }
    }

    /**
     * Its name: {@code MPI_Type_get_name}.
     *
     * @return the name that MPI or {@link #setName} has given it
     */
    public String name() {
        Instance own = Instance.entered();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocate(mpi_abi_h.MPI_MAX_OBJECT_NAME());
            own.check(mpi_abi_h.MPI_Type_get_name(handle(), text, arena.allocate(JAVA_INT)), "MPI_Type_get_name", this);
            return text.getString(0, StandardCharsets.UTF_8);
        }
    }

    /**
     * Names it: {@code MPI_Type_set_name}.
     *
     * @param newName the name, for debuggers
     */
    public void setName(String newName) {
        Instance own = Instance.entered();
        try (Arena arena = Arena.ofConfined()) {
            own.check(mpi_abi_h.MPI_Type_set_name(handle(), arena.allocateFrom(newName)), "MPI_Type_set_name", this);
        }
    }

    /** Frees it: {@code MPI_Type_free}. What uses it goes on. */
    @Override
    public void close() {
        free("MPI_Type_free", mpi_abi_h::MPI_Type_free);
    }

    @Override
    String kind() {
        return "Datatype";
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "Datatype(%s)", name);
    }
}
