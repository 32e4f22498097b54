// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * An arena that never frees memory that MPI still uses. {@link #close()} is refused while a request that has started with
 * a {@link Buffer} of its memory has not completed, a {@link PreparedMessage} has one, or a {@link Window} or an attached
 * buffer lies in it. Use it wherever a non-blocking call gets memory; an operation with it costs one atomic addition more, at
 * its start and at its end, but of a prepared message none.
 *
 * <p>The JDK's own arenas close at once. There the program has to make sure that MPI has finished with the memory, as in C;
 * only a blocking call keeps a shared arena open by itself. Memory of {@link Arena#ofAuto()} is reachable, and so not freed,
 * as long as its request is open.
 */
public final class GuardedArena implements Arena {

    private static final int CLOSED = Integer.MIN_VALUE;
    private static final Map<MemorySegment.Scope, GuardedArena> GUARDS = new ConcurrentHashMap<>();
    private static final VarHandle USES;

    static {
        try {
            USES = MethodHandles.lookup().findVarHandle(GuardedArena.class, "uses", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Arena arena;

    @SuppressWarnings("UnusedVariable") // by USES
    private volatile int uses;

    private GuardedArena(Arena arena) {
        this.arena = arena;
        GUARDS.put(arena.scope(), this);
    }

    /**
     * An arena that only the calling thread may use and close, as {@link Arena#ofConfined()}.
     *
     * @return the arena
     */
    public static GuardedArena ofConfined() {
        return new GuardedArena(Arena.ofConfined());
    }

    /**
     * An arena that any thread may use and close, as {@link Arena#ofShared()}.
     *
     * @return the arena
     */
    public static GuardedArena ofShared() {
        return new GuardedArena(Arena.ofShared());
    }

    /** The guard of a segment, or null. */
    static GuardedArena of(MemorySegment segment) {
        return GUARDS.get(segment.scope());
    }

    /** MPI begins to use the memory. */
    @HotPath
    void begin() {
        if ((int) USES.getAndAdd(this, 1) < 0) {
            USES.getAndAdd(this, -1);
            throw new IllegalStateException("the GuardedArena is closed");
        }
    }

    /** MPI has finished with it. */
    @HotPath
    void end() {
        USES.getAndAdd(this, -1);
    }

    @Override
    public MemorySegment allocate(long byteSize, long byteAlignment) {
        return arena.allocate(byteSize, byteAlignment);
    }

    @Override
    public MemorySegment.Scope scope() {
        return arena.scope();
    }

    /**
     * Frees the memory. Waits for nothing.
     *
     * @throws IllegalStateException if MPI uses the memory, or it is closed; in the first case it stays open, and you can
     *     try again
     */
    @Override
    public void close() {
        if (!USES.compareAndSet(this, 0, CLOSED)) {
            int now = (int) USES.getVolatile(this);
            throw new IllegalStateException(
                    now < 0
                            ? "the GuardedArena is closed"
                            : "the GuardedArena cannot be closed yet: " + now + " active requests, prepared messages,"
                                    + " windows or attached buffers use its memory; wait for them, or close them");
        }
        boolean done = false;
        try {
            arena.close();
            done = true;
        } finally {
            if (!done) {
                USES.getAndAdd(this, -CLOSED); // -CLOSED is CLOSED: the sum is what has been added meanwhile
            }
        }
        GUARDS.remove(arena.scope());
    }
}
