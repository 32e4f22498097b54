// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import static java.lang.foreign.ValueLayout.ADDRESS;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * An object of MPI that a handle stands for. Close it once nothing uses it any more: that is not checked by the garbage
 * collector, and MPI is not finalized while one is open. A closed object, or one whose {@link Mpi} or {@link Session} is
 * closed, refuses every call with an {@link IllegalStateException}.
 */
public abstract class MpiObject implements AutoCloseable {

    private static final VarHandle HANDLE;

    static {
        try {
            HANDLE = MethodHandles.lookup().findVarHandle(MpiObject.class, "handle", MemorySegment.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** A function that frees what a pointer to a handle points at, such as {@code MPI_Comm_free}. */
    interface Free {
        int call(MemorySegment pointer);
    }

    final Instance instance; // null for what is predefined
    private final boolean predefined;
    private MemorySegment handle; // null once it is closed

    MpiObject(Instance instance, MemorySegment handle, boolean predefined) {
        this.instance = instance;
        this.handle = handle;
        this.predefined = predefined;
        if (!predefined) {
            instance.add(this);
        }
    }

    /** What it is, for messages. */
    abstract String kind();

    /** The handle, for a call that is about to be made. */
    @HotPath
    final MemorySegment handle() {
        if (instance != null) {
            instance.enter();
        }
        MemorySegment now = handle;
        if (now == null) {
            throw new IllegalStateException(this + " is closed");
        }
        return now;
    }

    /**
     * Whether it is predefined, so that it is never closed.
     *
     * @return true for constants such as {@link Datatype#INT}, for {@link Mpi#world()} and {@link Mpi#self()}
     */
    public final boolean isPredefined() {
        return predefined;
    }

    /**
     * Whether it is closed.
     *
     * @return true once {@link #close} has succeeded, or MPI is finalized
     */
    public final boolean isClosed() {
        return handle == null || (instance != null && instance.isClosed());
    }

    /** Takes the handle away, for what frees it; null if that has been done. */
    final MemorySegment take() {
        return (MemorySegment) HANDLE.getAndSet(this, (MemorySegment) null);
    }

    /** Calls what frees a handle, unless it is freed already. */
    final void free(String call, Free function) {
        if (predefined) {
            throw new IllegalStateException(this + " is predefined: it is not closed");
        }
        if (isClosed()) {
            return;
        }
        instance.enter();
        MemorySegment mine = take();
        if (mine == null) {
            return;
        }
        try (Arena arena = Arena.ofConfined()) {
            int code = function.call(arena.allocateFrom(ADDRESS, mine));
            if (code != 0) {
                handle = mine;
            }
            instance.check(code, call, this);
        }
        instance.remove(this);
    }

    @Override
    public abstract void close();

    @Override
    public String toString() {
        return kind();
    }
}
