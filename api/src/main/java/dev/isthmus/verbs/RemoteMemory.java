// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.internal.HotPath;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * Memory of a peer, as far as it lets others in: what an RDMA READ, WRITE or atomic needs to know of it. Its owner makes one
 * by {@link MemoryRegion#remoteMemory()} and sends it, by {@link #write}; the other end reads it, by {@link #read}, and gives
 * it to its requests with an offset: a request that goes beyond the end is refused before it is posted.
 *
 * {@snippet :
 * region.remoteMemory().write(message);                  // 20 bytes, sent by any means
 *
 * var there = RemoteMemory.read(message);                // at the other end
 * qp.post(write.remote(there, 64));                      // into what begins 64 bytes behind its beginning
 * }
 *
 * <p>It is a value: that it exists does not say that the region still does. The peer's device checks the key and the range
 * at each request. No C struct stands behind it.
 *
 * @param address where it begins, for the peer's device; unsigned
 * @param rkey its key
 * @param length its length in bytes
 */
public record RemoteMemory(long address, int rkey, long length) {

    /** How many bytes {@link #write} takes: the address (8), the key (4) and the length (8), in network byte order. */
    public static final int BYTES = Long.BYTES + Integer.BYTES + Long.BYTES;

    /**
     * Checks the range.
     *
     * @throws IllegalArgumentException if the length is negative, or the end beyond that of the address space
     */
    public RemoteMemory {
        boolean wraps = length > 0 && Long.compareUnsigned(address + (length - 1), address) < 0;
        if (length < 0 || wraps) {
            throw new IllegalArgumentException(
                    "no memory is at 0x" + Long.toHexString(address) + " with " + length + " bytes");
        }
    }

    /**
     * Reads what {@link #write} has written, at a buffer's position, which it moves. Bytes of a peer can be given to it as they
     * came.
     *
     * @param from a buffer of any byte order
     * @return the memory
     * @throws IllegalArgumentException if fewer than {@link #BYTES} bytes remain, or if they describe no memory; the position
     *     is as it was
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
     * Writes this to a buffer, at its position, which it moves.
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
     * A part of it, by the same key.
     *
     * @param offset where it begins in this, in bytes
     * @param partLength its length in bytes
     * @return the part
     * @throws IndexOutOfBoundsException if the range is not within this
     */
    public RemoteMemory slice(long offset, long partLength) {
        return new RemoteMemory(at(offset, partLength), rkey, partLength);
    }

    /** Where a range of it begins, once it is known to be within. */
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
