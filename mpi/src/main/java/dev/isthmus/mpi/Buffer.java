// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * What the calls of MPI take as address, count and datatype: elements in native memory. It is prepared once, when its
 * bounds are checked, and used any number of times; then a call checks plain fields only. It does not own the memory.
 *
 * <p>From a non-blocking call until its request has completed, MPI owns the memory: of a send, nobody writes it; of a
 * receive, nobody reads or writes it. A {@link GuardedArena} refuses to free it until then.
 */
public final class Buffer implements Data {

    private static final Thread NOBODY = new Thread(() -> {}); // never started

    /** No elements, for the arguments that a rank's call does not use. */
    public static final Buffer EMPTY = new Buffer(MemorySegment.NULL, 0, Datatype.BYTE);

    /** {@code MPI_IN_PLACE}: a collective call takes a rank's own part from where its result belongs. */
    public static final Buffer IN_PLACE = new Buffer(MemorySegment.ofAddress(1), 0, Datatype.BYTE);

    final MemorySegment segment;
    final long count;
    final Datatype type;
    final GuardedArena guard;
    final long span; // bytes from its start to the end of its last element
    private final long address;
    private final Thread owner; // the only one that may access it, or null
    private final boolean stable; // no other thread can free it
    private final MemorySegment.Scope scope;
    private final boolean writable;

    private Buffer(MemorySegment segment, long count, Datatype type) {
        this.segment = segment;
        this.count = count;
        this.type = type;
        span = type.span(count);
        guard = GuardedArena.of(segment);
        address = segment.address();
        scope = segment.scope();
        boolean confined = !segment.isAccessibleBy(NOBODY);
        owner = confined ? Thread.currentThread() : null;
        stable = confined || scope.equals(Arena.global().scope());
        writable = !segment.isReadOnly();
    }

    /**
     * As many elements as fit into a segment.
     *
     * @param segment native memory
     * @param type the elements' type
     * @return the buffer
     * @throws IllegalArgumentException if the segment is on the heap
     * @throws WrongThreadException if it is of another thread's confined arena
     */
    public static Buffer of(MemorySegment segment, Datatype type) {
        return of(segment, type.fitting(segment.byteSize()), type);
    }

    /**
     * Elements at the start of a segment.
     *
     * @param segment native memory
     * @param count how many elements
     * @param type the elements' type
     * @return the buffer
     * @throws IllegalArgumentException if the segment is on the heap, or the elements do not fit into it
     * @throws WrongThreadException if it is of another thread's confined arena
     */
    public static Buffer of(MemorySegment segment, long count, Datatype type) {
        if (!segment.isNative()) {
            throw new IllegalArgumentException(
                    "MPI needs native memory: allocate from an Arena, or use the calls whose names say copy");
        }
        if (count < 0 || type.span(count) > segment.byteSize()) {
            throw new IllegalArgumentException(count + " elements of " + type + " take " + type.span(count)
                    + " bytes, and the segment has " + segment.byteSize());
        }
        if (!segment.isAccessibleBy(Thread.currentThread())) {
            throw new WrongThreadException("the segment is of another thread's confined arena");
        }
        return new Buffer(segment, count, type);
    }

    @Override
    public Buffer memory() {
        return this;
    }

    /** Its address, for a call that reads it. */
    @HotPath
    @SuppressWarnings("ReferenceEquality") // identity is meant
    long from() {
        if (!scope.isAlive() || (owner != null && owner != Thread.currentThread())) {
            refuse();
        }
        return address;
    }

    /** Its address, for a call that writes it. */
    @HotPath
    long into() {
        if (!writable) {
            throw new IllegalArgumentException(this + " is read-only");
        }
        return from();
    }

    private void refuse() {
        if (!scope.isAlive()) {
            throw new IllegalStateException(this + ": its arena is closed");
        }
        throw new WrongThreadException(this + " is of another thread's confined arena");
    }

    /** Whether nobody can free it during a call: no other thread, and no function of an {@link Operation} on this one. */
    @HotPath
    boolean isStable() {
        return stable && !Operation.canCallBack();
    }

    /** Whether nobody frees it while its guard is in use. */
    boolean isKept() {
        return guard != null || (stable && owner == null);
    }

    /** The segment, for a call off the data path that reads it. */
    MemorySegment readable() {
        from();
        return segment;
    }

    /** The segment, for a call off the data path that writes it. */
    MemorySegment writable() {
        into();
        return segment;
    }

    /** The datatype's handle. */
    @HotPath
    long pointer() {
        return type.pointer();
    }

    /** The same, for a call off the data path. */
    MemorySegment type() {
        return type.handle();
    }

    /**
     * The memory.
     *
     * @return the segment that it was made of
     */
    public MemorySegment segment() {
        return segment;
    }

    /**
     * How many elements it has.
     *
     * @return the count
     */
    public long count() {
        return count;
    }

    /**
     * The elements' type.
     *
     * @return the datatype
     */
    public Datatype datatype() {
        return type;
    }

    @Override
    public String toString() {
        return "Buffer(" + count + " x " + type + ")";
    }
}
