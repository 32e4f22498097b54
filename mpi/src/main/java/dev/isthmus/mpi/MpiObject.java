// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

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
    private static final VarHandle USES;

    static {
        try {
            USES = MethodHandles.lookup().findVarHandle(MpiObject.class, "uses", int.class);
            HANDLE = MethodHandles.lookup().findVarHandle(MpiObject.class, "pointer", long.class);
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
    private long pointer; // 0 once it is closed

    @SuppressWarnings("UnusedVariable") // by USES
    private volatile int uses; // by prepared messages

    MpiObject(Instance instance, MemorySegment handle, boolean predefined) {
        this.instance = instance;
        pointer = handle.address();
        this.predefined = predefined;
        if (!predefined) {
            instance.add(this);
        }
    }

    /** What it is, for messages. */
    abstract String kind();

    /** The handle, for a call that is about to be made. */
    @HotPath
    final long pointer() {
        Instance its = instance;
        if (its != null) {
            its.enter();
        }
        long now = pointer;
        if (now == 0) {
            throw new IllegalStateException(this + " is closed");
        }
        return now;
    }

    /** The same, for a call off the data path. */
    final MemorySegment handle() {
        return MemorySegment.ofAddress(pointer());
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
        return pointer == 0 || (instance != null && instance.isClosed());
    }

    /** Takes the handle away, for what frees it; 0 if that has been done. */
    final long take() {
        return (long) HANDLE.getAndSet(this, 0L);
    }

    /** A prepared message takes the handle: it stays open until {@link #endUse}. */
    final long beginUse() {
        USES.getAndAdd(this, 1);
        long now = (long) HANDLE.getVolatile(this); // free() takes it away before it looks for uses
        if (now == 0) {
            USES.getAndAdd(this, -1);
            throw new IllegalStateException(this + " is closed");
        }
        return now;
    }

    /** The prepared message is closed. */
    final void endUse() {
        USES.getAndAdd(this, -1);
    }

    private void requireUnused() {
        int now = (int) USES.getVolatile(this);
        if (now != 0) {
            throw new IllegalStateException(
                    this + " cannot be closed yet: " + now + " prepared messages use it; close them first");
        }
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
        requireUnused();
        long mine = take();
        if (mine == 0) {
            return;
        }
        try {
            requireUnused(); // of a message that was prepared meanwhile
        } catch (IllegalStateException e) {
            pointer = mine;
            throw e;
        }
        try (Arena arena = Arena.ofConfined()) {
            int code = function.call(arena.allocateFrom(JAVA_LONG, mine));
            if (code != 0) {
                pointer = mine;
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
