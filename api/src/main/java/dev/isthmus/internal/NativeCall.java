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
 * <p>The overloads are the C signatures in use: P a pointer, I an int, L a long, in the order of the arguments. A
 * call with another signature than the function's descriptor is refused by the method handle itself.
 */
public final class NativeCall implements AutoCloseable, SegmentAllocator {

    static final Linker.Option CAPTURE_ERRNO = Linker.Option.captureCallState("errno");

    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    private final Lifetime lifetime; // null when no object is needed
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

    /** Begins a call on no object, or on one that is just being made or closed. */
    public NativeCall() {
        this(null);
    }

    /** errno as the last call left it: valid only where that call says that it failed. */
    public int errno() {
        return (int) ERRNO.get(state, 0L);
    }

    /** Memory of the call's arguments, zeroed, which lives until the call is closed. */
    @Override
    public MemorySegment allocate(long byteSize, long byteAlignment) {
        return arena.allocate(byteSize, byteAlignment);
    }

    /** Memory for an {@code int} that the call writes to. */
    public MemorySegment allocateInt() {
        return arena.allocate(ValueLayout.JAVA_INT);
    }

    /** A pointer that C returned, as memory of the size that it is known to have; C owns it. */
    @SuppressWarnings("restricted")
    public static MemorySegment sized(MemorySegment pointer, long byteSize) {
        return pointer.reinterpret(byteSize);
    }

    /** A NUL-terminated string that C returned; C owns it. */
    public static String string(MemorySegment pointer) {
        return sized(pointer, Long.MAX_VALUE).getString(0);
    }

    /** A number that stands in network order. */
    public static long fromBigEndian(long value) {
        return ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN ? value : Long.reverseBytes(value);
    }

    public MemorySegment pointer(NativeFunction f, MemorySegment a) {
        try {
            return (MemorySegment) f.handle().invokeExact(state, a);
        } catch (Throwable t) {
            throw unexpected(f, t);
        }
    }

    public MemorySegment pointer(NativeFunction f, MemorySegment a, MemorySegment b) {
        try {
            return (MemorySegment) f.handle().invokeExact(state, a, b);
        } catch (Throwable t) {
            throw unexpected(f, t);
        }
    }

    /** PPLI: {@code ibv_reg_mr}. */
    public MemorySegment pointer(NativeFunction f, MemorySegment a, MemorySegment b, long c, int d) {
        try {
            return (MemorySegment) f.handle().invokeExact(state, a, b, c, d);
        } catch (Throwable t) {
            throw unexpected(f, t);
        }
    }

    /** PIPPI: {@code ibv_create_cq}. */
    public MemorySegment pointer(NativeFunction f, MemorySegment a, int b, MemorySegment c, MemorySegment d, int e) {
        try {
            return (MemorySegment) f.handle().invokeExact(state, a, b, c, d, e);
        } catch (Throwable t) {
            throw unexpected(f, t);
        }
    }

    public int integer(NativeFunction f, MemorySegment a) {
        try {
            return (int) f.handle().invokeExact(state, a);
        } catch (Throwable t) {
            throw unexpected(f, t);
        }
    }

    public int integer(NativeFunction f, MemorySegment a, MemorySegment b) {
        try {
            return (int) f.handle().invokeExact(state, a, b);
        } catch (Throwable t) {
            throw unexpected(f, t);
        }
    }

    /** PPI: {@code ibv_modify_qp}. */
    public int integer(NativeFunction f, MemorySegment a, MemorySegment b, int c) {
        try {
            return (int) f.handle().invokeExact(state, a, b, c);
        } catch (Throwable t) {
            throw unexpected(f, t);
        }
    }

    /** PPIP: {@code ibv_query_qp}. */
    public int integer(NativeFunction f, MemorySegment a, MemorySegment b, int c, MemorySegment d) {
        try {
            return (int) f.handle().invokeExact(state, a, b, c, d);
        } catch (Throwable t) {
            throw unexpected(f, t);
        }
    }

    /** PBPL: {@code query_port} of verbs_context, with its uint8_t port and size_t length. */
    public int integer(NativeFunction f, MemorySegment a, byte b, MemorySegment c, long d) {
        try {
            return (int) f.handle().invokeExact(state, a, b, c, d);
        } catch (Throwable t) {
            throw unexpected(f, t);
        }
    }

    /** PBP: {@code ibv_query_port}, the exported one. */
    public int integer(NativeFunction f, MemorySegment a, byte b, MemorySegment c) {
        try {
            return (int) f.handle().invokeExact(state, a, b, c);
        } catch (Throwable t) {
            throw unexpected(f, t);
        }
    }

    /** A long of one pointer: {@code ibv_get_device_guid}. */
    public long integer64(NativeFunction f, MemorySegment a) {
        try {
            return (long) f.handle().invokeExact(state, a);
        } catch (Throwable t) {
            throw unexpected(f, t);
        }
    }

    /** PPLIL: {@code _ibv_query_gid_table}. */
    public long integer64(NativeFunction f, MemorySegment a, MemorySegment b, long c, int d, long e) {
        try {
            return (long) f.handle().invokeExact(state, a, b, c, d, e);
        } catch (Throwable t) {
            throw unexpected(f, t);
        }
    }

    /** A call without a result: {@code ibv_free_device_list}. */
    public void nothing(NativeFunction f, MemorySegment a) {
        try {
            f.handle().invokeExact(state, a);
        } catch (Throwable t) {
            throw unexpected(f, t);
        }
    }

    /**
     * A downcall throws when the caller closed a segment's arena, or may not use it, which is the caller's to hear; an
     * Error passes as it is. Anything else is a fault of this library.
     */
    private static RuntimeException unexpected(NativeFunction f, Throwable t) {
        return switch (t) {
            case IllegalStateException e -> e;
            case WrongThreadException e -> e;
            case RdmaException e -> e; // the function is not in this version of the library
            case Error e -> throw e;
            default -> throw new AssertionError("Isthmus called " + f.name() + " wrongly: please report it", t);
        };
    }

    @Override
    public void close() {
        arena.close();
        if (lifetime != null) {
            lifetime.endCall();
        }
    }
}
