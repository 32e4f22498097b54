// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Locale;

/**
 * What a peer needs to access a {@link UcpMemory}: its address, its length, and the key of {@code ucp_rkey_pack}.
 * {@link UcpMemory#packKey()} creates it; the program itself carries {@link #toByteArray()} to the peer. Immutable.
 *
 * <p>A checksum finds bytes that were truncated or changed on the way. It does not stop a peer that makes a key up.
 * The key contains what devices say about the memory, UCX believes it, and the process can end. Take keys only from
 * trusted peers.
 */
public final class UcpPackedKey {

    private static final int MARK = 0x49734b31; // "IsK1"
    private static final int PLACE_BYTES = 2 * Long.BYTES;

    // What UCX reads after a key that is shorter than it expects: invalid device numbers, then the end of a text.
    private static final int TAIL = 512;
    private static final int TAIL_END = 8;
    private static final byte NO_DEVICE = -1;

    private final long address;
    private final long byteSize;
    private final byte[] rkey;

    private UcpPackedKey(long address, long byteSize, byte[] rkey) {
        if (byteSize < 0 || (byteSize > 0 && Long.compareUnsigned(address, -byteSize) > 0)) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT, "there is no memory of %d bytes at the address 0x%x", byteSize, address));
        }
        PackedKeyFormat.check(rkey);
        this.address = address;
        this.byteSize = byteSize;
        this.rkey = rkey;
    }

    /**
     * The key that a peer sent. Thread-safe.
     *
     * @param bytes all bytes of {@link #toByteArray()}; copied
     * @return the key
     * @throws IllegalArgumentException if they are not those of a key
     */
    public static UcpPackedKey of(byte[] bytes) {
        ByteBuffer content = Framed.open(bytes, MARK, "a packed key", PLACE_BYTES);
        long address = content.getLong();
        long byteSize = content.getLong();
        byte[] rkey = new byte[content.remaining()];
        content.get(rkey);
        return new UcpPackedKey(address, byteSize, rkey);
    }

    /**
     * A key that a program in C packed. Thread-safe.
     *
     * @param address where the memory begins in its process
     * @param byteSize how long the memory is, in bytes; operations beyond it are refused
     * @param rkey the bytes of {@code ucp_rkey_pack}; copied
     * @return the key
     * @throws IllegalArgumentException if the bytes do not look like a key, or there can be no such memory
     */
    public static UcpPackedKey ofRaw(long address, long byteSize, byte[] rkey) {
        return new UcpPackedKey(address, byteSize, rkey.clone());
    }

    /**
     * The bytes to carry to the peer.
     *
     * @return a copy, for {@link #of}
     */
    public byte[] toByteArray() {
        return Framed.of(
                MARK,
                PLACE_BYTES + rkey.length,
                content -> content.putLong(address).putLong(byteSize).put(rkey));
    }

    /**
     * Where the memory begins, in the process or on the device that owns it.
     *
     * @return the address
     */
    public long address() {
        return address;
    }

    /**
     * How much memory there is.
     *
     * @return the length in bytes
     */
    public long byteSize() {
        return byteSize;
    }

    /**
     * The bytes of {@code ucp_rkey_pack} alone, for a peer in C.
     *
     * @return a copy
     */
    public byte[] rkey() {
        return rkey.clone();
    }

    byte[] bytes() {
        return rkey;
    }

    MemorySegment copyTo(SegmentAllocator allocator) {
        MemorySegment copy = allocator.allocate(rkey.length + TAIL + TAIL_END, Long.BYTES);
        MemorySegment.copy(rkey, 0, copy, ValueLayout.JAVA_BYTE, 0, rkey.length);
        copy.asSlice(rkey.length, TAIL).fill(NO_DEVICE);
        return copy;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof UcpPackedKey key
                && address == key.address
                && byteSize == key.byteSize
                && Arrays.equals(rkey, key.rkey);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(address) * 31 + Arrays.hashCode(rkey);
    }

    /** Enough to tell one memory from another in messages. */
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT, "UcpPackedKey(%d bytes at 0x%x, key of %d bytes)", byteSize, address, rkey.length);
    }
}
