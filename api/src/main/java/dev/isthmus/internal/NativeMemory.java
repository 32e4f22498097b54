// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;

/**
 * C's memory by address, where a segment for each use would allocate. Nothing is checked: the caller knows that the
 * memory exists.
 */
public final class NativeMemory {

    /** A mask that changes no address, for the JIT: docs/instructions.md, "Lines written for the JIT". */
    public static final long ANY_ADDRESS = Long.MAX_VALUE >> 1;

    private static final MemorySegment ALL = all();

    private NativeMemory() {}

    @SuppressWarnings("restricted")
    private static MemorySegment all() {
        return MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    }

    /** A byte. */
    @HotPath
    public static byte getByte(long address) {
        return ALL.get(JAVA_BYTE, address);
    }

    /** Two bytes, in the machine's order. */
    @HotPath
    public static short getShort(long address) {
        return ALL.get(JAVA_SHORT_UNALIGNED, address);
    }

    /** Four bytes, in the machine's order. */
    @HotPath
    public static int getInt(long address) {
        return ALL.get(JAVA_INT_UNALIGNED, address);
    }

    /** Eight bytes, in the machine's order. */
    @HotPath
    public static long getLong(long address) {
        return ALL.get(JAVA_LONG_UNALIGNED, address);
    }

    /** Writes a byte. */
    @HotPath
    public static void setByte(long address, byte value) {
        ALL.set(JAVA_BYTE, address, value);
    }

    /** Writes two bytes. */
    @HotPath
    public static void setShort(long address, short value) {
        ALL.set(JAVA_SHORT_UNALIGNED, address, value);
    }

    /** Writes four bytes. */
    @HotPath
    public static void setInt(long address, int value) {
        ALL.set(JAVA_INT_UNALIGNED, address, value);
    }

    /** Writes eight bytes. */
    @HotPath
    public static void setLong(long address, long value) {
        ALL.set(JAVA_LONG_UNALIGNED, address, value);
    }

    /** Copies within C's memory. */
    @HotPath
    public static void copy(long address, long to, long length) {
        MemorySegment.copy(ALL, address, ALL, to, length);
    }

    /** Copies from C's memory; the destination is checked. */
    @HotPath
    public static void copy(long address, MemorySegment to, long offset, long length) {
        MemorySegment.copy(ALL, address, to, offset, length);
    }
}
