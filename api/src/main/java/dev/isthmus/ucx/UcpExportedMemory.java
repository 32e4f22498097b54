// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Locale;

/**
 * A {@link UcpMemory} as bytes for another context of the machine, which can use it in its own operations: what
 * {@code ucp_memh_pack} with {@code UCP_MEMH_PACK_FLAG_EXPORT} gives. {@link UcpMemory#export()} creates it; the
 * program itself carries {@link #toByteArray()} to the other process. Immutable.
 *
 * <p>A checksum finds bytes that were truncated or changed on the way. UCX believes what they say: take them only from
 * trusted programs.
 */
public final class UcpExportedMemory {

    static final int MARK = 0x49734d31; // "IsM1"

    // What every export begins with: see ucp_memh_common_pack.
    private static final int MIN_BYTES = 12;

    // If an export is cut, UCX reads zeros after it, not other memory.
    private static final int ZERO_TAIL = 1 << 16;

    private final byte[] bytes;

    private UcpExportedMemory(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * Exported memory that another process sent. Thread-safe.
     *
     * @param bytes all bytes of {@link #toByteArray()}; copied
     * @return the exported memory
     * @throws IllegalArgumentException if they are not those of exported memory
     */
    public static UcpExportedMemory of(byte[] bytes) {
        ByteBuffer content = Framed.open(bytes, MARK, "exported memory", MIN_BYTES);
        byte[] raw = new byte[content.remaining()];
        content.get(raw);
        return new UcpExportedMemory(raw);
    }

    static UcpExportedMemory ofRaw(byte[] bytes) {
        return new UcpExportedMemory(bytes);
    }

    /**
     * The bytes to carry to the other process.
     *
     * @return a copy, for {@link #of}
     */
    public byte[] toByteArray() {
        return Framed.of(MARK, bytes.length, content -> content.put(bytes));
    }

    MemorySegment copyTo(SegmentAllocator allocator) {
        MemorySegment copy = allocator.allocate(bytes.length + ZERO_TAIL, Long.BYTES);
        MemorySegment.copy(bytes, 0, copy, ValueLayout.JAVA_BYTE, 0, bytes.length);
        return copy;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof UcpExportedMemory exported && Arrays.equals(bytes, exported.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /** Enough to tell one memory from another in messages. */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "UcpExportedMemory(%08x, %d bytes)", hashCode(), bytes.length);
    }
}
