// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * One block of elements for each rank, of different lengths and places in native memory: what the calls whose names end in
 * v and w take as counts, displacements and datatypes. Like a {@link Buffer} it is prepared once, and owns no memory but its
 * own lists.
 */
public final class Blocks implements Data {

    /** {@code MPI_IN_PLACE}: see {@link Buffer#IN_PLACE}. */
    public static final Blocks IN_PLACE =
            new Blocks(Buffer.IN_PLACE, 0, MemorySegment.NULL, MemorySegment.NULL, MemorySegment.NULL);

    /** No blocks, for the arguments that a rank's call does not use. */
    public static final Blocks EMPTY =
            new Blocks(Buffer.EMPTY, 0, MemorySegment.NULL, MemorySegment.NULL, MemorySegment.NULL);

    final Buffer buffer; // whose bounds hold all blocks
    final MemorySegment counts;
    final MemorySegment displacements; // of the v calls in elements, of the w calls in bytes
    final MemorySegment types; // NULL if all are of one type
    final long countsAt; // the same as addresses
    final long displacementsAt;
    final long typesAt;
    private final int blocks;
    private final Datatype[] all;

    private Blocks(
            Buffer buffer,
            int blocks,
            MemorySegment counts,
            MemorySegment displacements,
            MemorySegment types,
            Datatype... all) {
        this.buffer = buffer;
        this.blocks = blocks;
        this.counts = counts;
        this.displacements = displacements;
        this.types = types;
        this.all = all;
        countsAt = counts.address();
        displacementsAt = displacements.address();
        typesAt = types.address();
    }

    /**
     * Blocks one after another.
     *
     * @param segment native memory
     * @param type the elements' type
     * @param counts the elements of each rank's block
     * @return the blocks
     */
    public static Blocks of(MemorySegment segment, Datatype type, long... counts) {
        long[] displacements = new long[counts.length];
        for (int i = 1; i < counts.length; i++) {
            displacements[i] = Math.addExact(displacements[i - 1], counts[i - 1]);
        }
        return of(segment, type, counts, displacements);
    }

    /**
     * Blocks anywhere, for the calls whose names end in v.
     *
     * @param segment native memory
     * @param type the elements' type
     * @param counts the elements of each rank's block
     * @param displacements where each block begins, in elements
     * @return the blocks
     */
    public static Blocks of(MemorySegment segment, Datatype type, long[] counts, long[] displacements) {
        requireSame(counts.length, displacements.length);
        for (int i = 0; i < counts.length; i++) {
            check(segment, type, counts[i], Math.multiplyExact(displacements[i], type.extent()), i);
        }
        Arena arena = Arena.ofAuto();
        return new Blocks(
                Buffer.of(segment, 0, type),
                counts.length,
                arena.allocateFrom(JAVA_LONG, counts),
                arena.allocateFrom(JAVA_LONG, displacements),
                MemorySegment.NULL);
    }

    /**
     * Blocks anywhere, each of its own type, for the calls whose names end in w.
     *
     * @param segment native memory
     * @param types the type of each block's elements
     * @param counts the elements of each rank's block
     * @param displacementBytes where each block begins, in bytes
     * @return the blocks
     */
    public static Blocks of(MemorySegment segment, Datatype[] types, long[] counts, long[] displacementBytes) {
        requireSame(counts.length, displacementBytes.length);
        requireSame(counts.length, types.length);
        for (int i = 0; i < counts.length; i++) {
            check(segment, types[i], counts[i], displacementBytes[i], i);
        }
        Arena arena = Arena.ofAuto();
        return new Blocks(
                Buffer.of(segment, 0, Datatype.BYTE),
                counts.length,
                arena.allocateFrom(JAVA_LONG, counts),
                arena.allocateFrom(JAVA_LONG, displacementBytes),
                Datatype.handles(arena, types),
                types.clone());
    }

    private static void requireSame(int one, int other) {
        if (one != other) {
            throw new IllegalArgumentException("arrays of different lengths: " + one + " and " + other);
        }
    }

    private static void check(MemorySegment segment, Datatype type, long count, long offset, int block) {
        if (count < 0 || offset < 0 || Math.addExact(offset, type.span(count)) > segment.byteSize()) {
            throw new IllegalArgumentException("block " + block + ", " + count + " elements of " + type + " at byte "
                    + offset + ", is not within the " + segment.byteSize() + " bytes of the segment");
        }
    }

    /** The same, for a call that takes {@link #IN_PLACE}. */
    @HotPath
    @SuppressWarnings("ReferenceEquality") // identity is meant
    long fromOrInPlace(int ranks, boolean typed) {
        return this == IN_PLACE ? buffer.from() : from(ranks, typed);
    }

    /** Its address, for a call that reads a block of each of so many ranks. */
    @HotPath
    long from(int ranks, boolean typed) {
        check(ranks, typed);
        return buffer.from();
    }

    /** Its address, for a call that writes them. */
    @HotPath
    long into(int ranks, boolean typed) {
        check(ranks, typed);
        return buffer.into();
    }

    private void check(int ranks, boolean typed) {
        if (blocks != ranks || counts.byteSize() == 0) {
            throw new IllegalArgumentException(blocks + " blocks for " + ranks + " ranks");
        }
        if (typed != (types.address() != 0)) {
            throw new IllegalArgumentException(
                    typed
                            ? "this call takes a datatype for each block"
                            : "this call takes one datatype for all blocks");
        }
        for (int i = 0; i < all.length; i++) {
            all[i].handle(); // closed ones are refused
        }
    }

    @Override
    public Buffer memory() {
        return buffer;
    }

    /** The datatype's handle. */
    @HotPath
    long pointer() {
        return buffer.pointer();
    }

    /** The number of blocks. */
    int blocks() {
        return blocks;
    }

    /** A block's count. */
    long count(int block) {
        return counts.getAtIndex(JAVA_LONG, block);
    }

    @Override
    public String toString() {
        return "Blocks(" + blocks + ")";
    }
}
