// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal;

import dev.isthmus.RdmaException;
import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * A call into C off the data path: holds its object open while it runs, owns the memory of its arguments, and
 * captures errno. Closed by try-with-resources; used by one thread.
 *
 * <p>Arguments are boxed, and their types are the C function's: {@code (byte) port} for a {@code uint8_t}. That matters
 * little in calls that enter the kernel anyway; the data path has its own method handles.
 */
public class NativeCall implements AutoCloseable, SegmentAllocator {

    static final Linker.Option CAPTURE_ERRNO = Linker.Option.captureCallState("errno");

    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    private final Lifetime lifetime; // null if no object is needed
    private final Arena arena;
    private final MemorySegment state;

    /**
     * Begins a call on an object.
     *
     * @throws IllegalStateException if the object is closed
     */
    public NativeCall(Lifetime lifetime) {
        this.lifetime = lifetime;
        this.arena = Arena.ofConfined();
        this.state = arena.allocate(STATE);
        if (lifetime != null) {
            beginCall();
        }
    }

    private void beginCall() {
        boolean begun = false;
        try {
            lifetime.beginCall();
            begun = true;
        } finally {
            if (!begun) {
                arena.close();
            }
        }
    }

    /** Begins a call on no object, or on one that is being created or closed. */
    public NativeCall() {
        this(null);
    }

    /** errno after the last call; valid only if that call has reported a failure. */
    public final int errno() {
        return errnoOf(state);
    }

    /** Memory for the errno of calls that do not go through this class. */
    public static MemorySegment allocateErrno(SegmentAllocator allocator) {
        return allocator.allocate(STATE);
    }

    /** The errno in such memory; valid only if the call has reported a failure. */
    public static int errnoOf(MemorySegment state) {
        return (int) ERRNO.get(state, 0L);
    }

    /** Zeroed memory for the call's arguments, which lives until the call is closed. */
    @Override
    public final MemorySegment allocate(long byteSize, long byteAlignment) {
        return arena.allocate(byteSize, byteAlignment);
    }

    /** Memory for an {@code int} that the call writes to. */
    public final MemorySegment allocateInt() {
        return arena.allocate(ValueLayout.JAVA_INT);
    }

    /** A pointer from C as memory of its known size; C owns it. */
    @SuppressWarnings("restricted")
    public static MemorySegment sized(MemorySegment pointer, long byteSize) {
        return pointer.reinterpret(byteSize);
    }

    /** A NUL-terminated string from C; C owns it. */
    public static String string(MemorySegment pointer) {
        return sized(pointer, Long.MAX_VALUE).getString(0);
    }

    /** Converts a number in network order. */
    public static long fromBigEndian(long value) {
        return ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN ? value : Long.reverseBytes(value);
    }

    /** Calls a function that returns a pointer. */
    public final MemorySegment pointer(NativeFunction f, Object... arguments) {
        return invoke(MemorySegment.class, f, arguments);
    }

    /** Calls a function that returns one signed byte, such as UCX's that return a {@code ucs_status_t}. */
    public final int integer8(NativeFunction f, Object... arguments) {
        return invoke(Byte.class, f, arguments);
    }

    /** Calls a function that returns an {@code int}. */
    public final int integer(NativeFunction f, Object... arguments) {
        return invoke(Integer.class, f, arguments);
    }

    /** Calls a function that returns a {@code long}. */
    public final long integer64(NativeFunction f, Object... arguments) {
        return invoke(Long.class, f, arguments);
    }

    /** Calls a function that returns nothing. */
    public final void nothing(NativeFunction f, Object... arguments) {
        invoke(Void.class, f, arguments);
    }

    private <T> T invoke(Class<T> result, NativeFunction f, Object[] arguments) {
        try {
            return result.cast((Object) f.handle().invokeExact(state, arguments));
        } catch (Throwable t) {
            throw unexpected(f, t);
        }
    }

    /**
     * A downcall throws if the caller closed a segment's arena, or may not use it: the caller gets that exception. An
     * Error passes unchanged. Anything else is a fault of this library.
     */
    private static RuntimeException unexpected(NativeFunction f, Throwable t) {
        return switch (t) {
            case IllegalStateException e -> e;
            case WrongThreadException e -> e;
            case RdmaException e -> e; // this version of the library lacks the function
            case Error e -> throw e;
            default -> throw new AssertionError("Isthmus called " + f.name() + " wrongly: please report it", t);
        };
    }

    @Override
    public final void close() {
        arena.close();
        if (lifetime != null) {
            lifetime.endCall();
        }
    }
}
