// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.isthmus.bindings.mpi.mpi_abi_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** An ordered set of processes: {@code MPI_Group}. */
public final class Group extends MpiObject {

    /**
     * A range of ranks, for {@link #rangeIncl} and {@link #rangeExcl}.
     *
     * @param first the first rank
     * @param last the last, if the stride meets it
     * @param stride from one rank to the next
     */
    public record Range(int first, int last, int stride) {}

    /** How two groups or communicators compare. */
    public enum Comparison {
        /** {@code MPI_IDENT}: the same. */
        IDENT(201),
        /** {@code MPI_CONGRUENT}: the same processes in the same order, but another communicator. */
        CONGRUENT(202),
        /** {@code MPI_SIMILAR}: the same processes in another order. */
        SIMILAR(203),
        /** {@code MPI_UNEQUAL}. */
        UNEQUAL(204);

        private final int number;

        Comparison(int number) {
            this.number = number;
        }

        static Comparison of(int number) {
            for (Comparison each : values()) {
                if (each.number == number) {
                    return each;
                }
            }
            return UNEQUAL;
        }
    }

    /** A call that writes a handle of a new group. */
    interface Getter {
        int call(Arena arena, MemorySegment handle);
    }

    private Group(Instance instance, MemorySegment handle) {
        super(instance, handle, false);
    }

    static Group get(Instance instance, String call, Object object, Getter getter) {
        instance.enter();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment handle = arena.allocate(ADDRESS);
            instance.check(getter.call(arena, handle), call, object);
            return new Group(instance, handle.get(ADDRESS, 0));
        }
    }

    /**
     * How many processes it has: {@code MPI_Group_size}.
     *
     * @return the number
     */
    public int size() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment number = arena.allocate(JAVA_INT);
            instance.check(mpi_abi_h.MPI_Group_size(handle(), number), "MPI_Group_size", this);
            return number.get(JAVA_INT, 0);
        }
    }

    /**
     * This process's rank in it: {@code MPI_Group_rank}.
     *
     * @return the rank, or {@link Communicator#UNDEFINED} if it is not a member
     */
    public int rank() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment number = arena.allocate(JAVA_INT);
            instance.check(mpi_abi_h.MPI_Group_rank(handle(), number), "MPI_Group_rank", this);
            return number.get(JAVA_INT, 0);
        }
    }

    /**
     * The ranks that processes have in another group: {@code MPI_Group_translate_ranks}.
     *
     * @param other the other group
     * @param ranks ranks in this one
     * @return their ranks there, {@link Communicator#UNDEFINED} for those that are not members
     */
    public int[] translateRanks(Group other, int... ranks) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment there = arena.allocate(JAVA_INT, Math.max(ranks.length, 1));
            instance.check(
                    mpi_abi_h.MPI_Group_translate_ranks(
                            handle(), ranks.length, arena.allocateFrom(JAVA_INT, ranks), other.handle(), there),
                    "MPI_Group_translate_ranks",
                    this);
            return there.asSlice(0, (long) ranks.length * Integer.BYTES).toArray(JAVA_INT);
        }
    }

    /**
     * Compares it with another: {@code MPI_Group_compare}.
     *
     * @param other the other group
     * @return how they compare
     */
    public Comparison compare(Group other) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment number = arena.allocate(JAVA_INT);
            instance.check(mpi_abi_h.MPI_Group_compare(handle(), other.handle(), number), "MPI_Group_compare", this);
            return Comparison.of(number.get(JAVA_INT, 0));
        }
    }

    /**
     * The members with these ranks, in this order: {@code MPI_Group_incl}.
     *
     * @param ranks the ranks
     * @return a new group
     */
    public Group incl(int... ranks) {
        return get(
                instance,
                "MPI_Group_incl",
                this,
                (arena, group) ->
                        mpi_abi_h.MPI_Group_incl(handle(), ranks.length, arena.allocateFrom(JAVA_INT, ranks), group));
    }

    /**
     * The members without these: {@code MPI_Group_excl}.
     *
     * @param ranks the ranks that are left out
     * @return a new group
     */
    public Group excl(int... ranks) {
        return get(
                instance,
                "MPI_Group_excl",
                this,
                (arena, group) ->
                        mpi_abi_h.MPI_Group_excl(handle(), ranks.length, arena.allocateFrom(JAVA_INT, ranks), group));
    }

    /**
     * The members in these ranges: {@code MPI_Group_range_incl}.
     *
     * @param ranges the ranges
     * @return a new group
     */
    public Group rangeIncl(Range... ranges) {
        return get(
                instance,
                "MPI_Group_range_incl",
                this,
                (arena, group) ->
                        mpi_abi_h.MPI_Group_range_incl(handle(), ranges.length, triplets(arena, ranges), group));
    }

    /**
     * The members outside these ranges: {@code MPI_Group_range_excl}.
     *
     * @param ranges the ranges that are left out
     * @return a new group
     */
    public Group rangeExcl(Range... ranges) {
        return get(
                instance,
                "MPI_Group_range_excl",
                this,
                (arena, group) ->
                        mpi_abi_h.MPI_Group_range_excl(handle(), ranges.length, triplets(arena, ranges), group));
    }

    private static MemorySegment triplets(Arena arena, Range... ranges) {
        MemorySegment numbers = arena.allocate(JAVA_INT, Math.max(3L * ranges.length, 1));
        for (int i = 0; i < ranges.length; i++) {
            numbers.setAtIndex(JAVA_INT, 3L * i, ranges[i].first);
            numbers.setAtIndex(JAVA_INT, 3L * i + 1, ranges[i].last);
            numbers.setAtIndex(JAVA_INT, 3L * i + 2, ranges[i].stride);
        }
        return numbers;
    }

    /**
     * The members of both: {@code MPI_Group_union}.
     *
     * @param other the other group
     * @return a new group: this one's members, then those that only the other has
     */
    public Group union(Group other) {
        return get(
                instance,
                "MPI_Group_union",
                this,
                (arena, group) -> mpi_abi_h.MPI_Group_union(handle(), other.handle(), group));
    }

    /**
     * The members that are also in another: {@code MPI_Group_intersection}.
     *
     * @param other the other group
     * @return a new group
     */
    public Group intersection(Group other) {
        return get(
                instance,
                "MPI_Group_intersection",
                this,
                (arena, group) -> mpi_abi_h.MPI_Group_intersection(handle(), other.handle(), group));
    }

    /**
     * The members that are not in another: {@code MPI_Group_difference}.
     *
     * @param other the other group
     * @return a new group
     */
    public Group difference(Group other) {
        return get(
                instance,
                "MPI_Group_difference",
                this,
                (arena, group) -> mpi_abi_h.MPI_Group_difference(handle(), other.handle(), group));
    }

    /** Frees it: {@code MPI_Group_free}. What was made with it stays. */
    @Override
    public void close() {
        free("MPI_Group_free", mpi_abi_h::MPI_Group_free);
    }

    @Override
    String kind() {
        return "Group";
    }
}
