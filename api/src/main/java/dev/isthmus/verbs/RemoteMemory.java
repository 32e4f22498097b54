// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.internal.HotPath;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * Memory that a peer lends: what an RDMA READ, WRITE or atomic needs to know of it. The owner creates it by
 * {@link MemoryRegion#remoteMemory()} and sends it, by {@link #write}. The other end reads it, by {@link #read}, and
 * passes it to requests with an offset. A request that goes beyond the end is refused before it is posted.
 *
 * {@snippet :
 * region.remoteMemory().write(message);                  // 20 bytes, sent by any means
 *
 * var there = RemoteMemory.read(message);                // at the other end
 * qp.post(write.remote(there, 64));                      // to 64 bytes after its start
 * }
 *
 * <p>It is a value: it can outlive the region. The peer's device checks the key and the range of each request. It
 * corresponds to no C struct.
 *
 * @param address where the memory begins, for the peer's device; unsigned
 * @param rkey its key
 * @param length its length in bytes
 */
public record RemoteMemory(long address, int rkey, long length) {

    /** How many bytes {@link #write} takes: the address (8), the key (4) and the length (8), in network byte order. */
    public static final int BYTES = Long.BYTES + Integer.BYTES + Long.BYTES;

    /**
     * Checks the range.
     *
     * @throws IllegalArgumentException if the length is negative, or the end is beyond the address space
     */
    public RemoteMemory {
        boolean wraps = length > 0 && Long.compareUnsigned(address + (length - 1), address) < 0;
        if (length < 0 || wraps) {
            throw new IllegalArgumentException(
                    "no memory is at 0x" + Long.toHexString(address) + " with " + length + " bytes");
        }
    }

    /**
     * Reads what {@link #write} has written, at a buffer's position, which it advances. You can pass it a peer's bytes
     * as they arrived.
     *
     * @param from a buffer of any byte order
     * @return the memory
     * @throws IllegalArgumentException if fewer than {@link #BYTES} bytes remain, or if they describe no memory; the
     *     position stays as it was
     */
    public static RemoteMemory read(ByteBuffer from) {
        checkRemaining(from);
        int at = from.position();
        boolean swap = from.order() != ByteOrder.BIG_ENDIAN;
        long address = from.getLong(at);
        int rkey = from.getInt(at + Long.BYTES);
        long length = from.getLong(at + Long.BYTES + Integer.BYTES);
        var memory = swap
                ? new RemoteMemory(Long.reverseBytes(address), Integer.reverseBytes(rkey), Long.reverseBytes(length))
                : new RemoteMemory(address, rkey, length);
        from.position(at + BYTES);
        return memory;
    }

    /**
     * Writes this to a buffer, at its position, which it advances.
     *
     * @param into a buffer of any byte order
     * @return the buffer
     * @throws IllegalArgumentException if fewer than {@link #BYTES} bytes remain; nothing is written
     * @throws java.nio.ReadOnlyBufferException if it is read-only
     */
    public ByteBuffer write(ByteBuffer into) {
        checkRemaining(into);
        boolean swap = into.order() != ByteOrder.BIG_ENDIAN;
        return into.putLong(swap ? Long.reverseBytes(address) : address)
                .putInt(swap ? Integer.reverseBytes(rkey) : rkey)
                .putLong(swap ? Long.reverseBytes(length) : length);
    }

    private static void checkRemaining(ByteBuffer buffer) {
        if (buffer.remaining() < BYTES) {
            throw new IllegalArgumentException(
                    "remote memory takes " + BYTES + " bytes, and " + buffer.remaining() + " remain");
        }
    }

    /**
     * A part of this memory, with the same key.
     *
     * @param offset where it begins in this, in bytes
     * @param partLength its length in bytes
     * @return the part
     * @throws IndexOutOfBoundsException if the range is not within this
     */
    public RemoteMemory slice(long offset, long partLength) {
        return new RemoteMemory(at(offset, partLength), rkey, partLength);
    }

    /** The address of a range, after a check that the range is within. */
    @HotPath
    long at(long offset, long bytes) {
        Objects.checkFromIndexSize(offset, bytes, length);
        return address + offset;
    }

    /** The length, the address and the key. */
    @Override
    public String toString() {
        return "RemoteMemory(" + length + " bytes at 0x" + Long.toHexString(address) + ", rkey 0x"
                + Integer.toHexString(rkey) + ")";
    }
}
