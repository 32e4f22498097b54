// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Memory from C's {@code malloc}, not registered, and up to a limit. An arena would zero it, and might collect garbage
 * first, all on the transport's thread. Thread-safe.
 */
final class OrdinaryMemory {

    /** A piece; after its end, any access throws. */
    record Piece(Arena arena, MemorySegment segment) {}

    private static final MethodHandle MALLOC = function("malloc", FunctionDescriptor.of(ADDRESS, JAVA_LONG));
    private static final MethodHandle FREE = function("free", FunctionDescriptor.ofVoid(ADDRESS));

    private final long maxBytes;
    private final AtomicLong taken = new AtomicLong();

    OrdinaryMemory(long most) {
        this.maxBytes = most;
    }

    @SuppressWarnings("restricted")
    private static MethodHandle function(String name, FunctionDescriptor descriptor) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(linker.defaultLookup().find(name).orElseThrow(), descriptor);
    }

    /** Allocates memory with undefined contents; throws an OutOfMemoryError at the limit. */
    Piece allocate(long bytes) {
        if (taken.addAndGet(bytes) > maxBytes) {
            taken.addAndGet(-bytes);
            throw new OutOfMemoryError(
                    bytes + " more bytes would exceed the " + maxBytes + " beside registered memory");
        }
        MemorySegment memory = malloc(bytes);
        if (memory.address() == 0) {
            taken.addAndGet(-bytes);
            throw new OutOfMemoryError("malloc cannot allocate " + bytes + " bytes");
        }
        var arena = Arena.ofShared();
        return new Piece(arena, reinterpret(memory, bytes, arena));
    }

    private static MemorySegment malloc(long bytes) {
        try {
            return (MemorySegment) MALLOC.invokeExact(bytes);
        } catch (Throwable e) {
            throw new AssertionError("malloc throws nothing", e);
        }
    }

    @SuppressWarnings("restricted")
    private static MemorySegment reinterpret(MemorySegment memory, long bytes, Arena arena) {
        return memory.reinterpret(bytes, arena, OrdinaryMemory::free);
    }

    private static void free(MemorySegment memory) {
        try {
            FREE.invokeExact(memory);
        } catch (Throwable e) {
            throw new AssertionError("free throws nothing", e);
        }
    }

    void free(Piece piece) {
        long bytes = piece.segment().byteSize();
        piece.arena().close();
        taken.addAndGet(-bytes);
    }

    /** The bytes in use. */
    long bytes() {
        return taken.get();
    }
}
