// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.internal.HotPath;
import java.lang.foreign.MemorySegment;

/** Checks a caller's buffer before C sees its address. */
final class BufferChecks {

    private BufferChecks() {}

    /** The address of bytes that C may read. */
    @HotPath
    static long readable(MemorySegment buffer, long offset, long length) {
        checkRange(buffer, offset, length);
        if (!buffer.isNative() || !buffer.scope().isAlive() || !buffer.isAccessibleBy(Thread.currentThread())) {
            throw unusable(buffer);
        }
        return buffer.address() + offset;
    }

    @HotPath
    static void checkRange(MemorySegment buffer, long offset, long length) {
        if ((offset | length) < 0 || length > buffer.byteSize() - offset) {
            throw outOfBounds(buffer, offset, length);
        }
    }

    /** The address of bytes that C may write. */
    @HotPath
    static long writable(MemorySegment buffer, long offset, long length) {
        if (buffer.isReadOnly()) {
            throw new IllegalArgumentException("the receive buffer " + buffer + " is read-only");
        }
        return readable(buffer, offset, length);
    }

    private static IndexOutOfBoundsException outOfBounds(MemorySegment buffer, long offset, long length) {
        return new IndexOutOfBoundsException("offset " + offset + " and length " + length
                + " are not within the buffer of " + buffer.byteSize() + " bytes");
    }

    private static RuntimeException unusable(MemorySegment buffer) {
        if (!buffer.isNative()) {
            return new IllegalArgumentException(
                    "the buffer is on the Java heap, where C cannot reach it: allocate it from an Arena");
        }
        if (!buffer.scope().isAlive()) {
            return new IllegalStateException("the arena of the buffer is closed");
        }
        return new WrongThreadException(
                "the buffer is of an arena confined to another thread: use Arena.ofShared() or this thread's own");
    }
}
