// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.NativeMemory;
import dev.isthmus.internal.OwnerThread;
import java.lang.foreign.MemorySegment;

/**
 * Bytes that UCX lends from its own memory. You read them by index or copy them, never out of bounds. They are refused
 * once UCX has taken the memory back. Those of an active message are {@link UcpMessageBytes}, those of a stream
 * {@link UcpStreamData}.
 *
 * <p>Confined to the thread of the worker. Numbers are in the machine's byte order, at any offset. Reading
 * allocates nothing.
 */
public abstract sealed class UcpBytes permits UcpMessageBytes, UcpStreamData {

    private static final long NONE = -1; // shorter than any offset

    private final OwnerThread owner;
    private long address;
    private long length = NONE;

    UcpBytes(OwnerThread owner) {
        this.owner = owner;
    }

    @HotPath
    final void lend(long begin, long count) {
        address = begin;
        length = count;
    }

    @HotPath
    final void endLoan() {
        length = NONE;
    }

    final boolean isLent() {
        return length != NONE;
    }

    /** The address of the bytes, while there are any. */
    @HotPath
    final long address() {
        return address;
    }

    /** How many there are, for any thread; negative if there are none. */
    @HotPath
    final long count() {
        return length;
    }

    @HotPath
    final OwnerThread owner() {
        return owner;
    }

    /** Why there are no bytes, for messages. */
    abstract String unavailableReason();

    /**
     * How many bytes there are.
     *
     * @return the length
     * @throws IllegalStateException if UCX has taken them back
     * @throws WrongThreadException if the worker belongs to another thread
     */
    @HotPath
    public final long length() {
        at(0, 0);
        return length;
    }

    /**
     * Reads a byte.
     *
     * @param offset where
     * @return the byte
     * @throws IndexOutOfBoundsException if it is out of bounds
     * @throws IllegalStateException if UCX has taken them back
     * @throws WrongThreadException if the worker belongs to another thread
     */
    @HotPath
    public final byte getByte(long offset) {
        return NativeMemory.getByte(at(offset, Byte.BYTES));
    }

    /**
     * Reads four bytes.
     *
     * @param offset where
     * @return the number
     * @throws IndexOutOfBoundsException if they are out of bounds
     * @throws IllegalStateException if UCX has taken them back
     * @throws WrongThreadException if the worker belongs to another thread
     */
    @HotPath
    public final int getInt(long offset) {
        return NativeMemory.getInt(at(offset, Integer.BYTES));
    }

    /**
     * Reads eight bytes.
     *
     * @param offset where
     * @return the number
     * @throws IndexOutOfBoundsException if they are out of bounds
     * @throws IllegalStateException if UCX has taken them back
     * @throws WrongThreadException if the worker belongs to another thread
     */
    @HotPath
    public final long getLong(long offset) {
        return NativeMemory.getLong(at(offset, Long.BYTES));
    }

    /**
     * Copies all bytes to the start of a segment.
     *
     * @param to on the heap or off it
     * @throws IndexOutOfBoundsException if it is too short
     * @throws IllegalStateException if UCX has taken them back, or the segment's arena is closed
     * @throws WrongThreadException if the worker or the segment belongs to another thread
     */
    @HotPath
    public final void copyTo(MemorySegment to) {
        copyTo(to, 0, 0, length());
    }

    /**
     * Copies bytes.
     *
     * @param to on the heap or off it
     * @param toOffset where they begin there
     * @param offset where they begin here
     * @param count how many
     * @throws IndexOutOfBoundsException if they are out of bounds, here or there
     * @throws IllegalArgumentException if the segment is read-only
     * @throws IllegalStateException if UCX has taken them back, or the segment's arena is closed
     * @throws WrongThreadException if the worker or the segment belongs to another thread
     */
    @HotPath
    public final void copyTo(MemorySegment to, long toOffset, long offset, long count) {
        NativeMemory.copy(at(offset, count), to, toOffset, count);
    }

    /**
     * Copies all bytes to a new array.
     *
     * @return the array
     * @throws IllegalStateException if UCX has taken them back, or there are more than an array can hold
     * @throws WrongThreadException if the worker belongs to another thread
     */
    public final byte[] toArray() {
        long count = length();
        if (count > Integer.MAX_VALUE - 8) {
            throw new IllegalStateException(count + " bytes are more than an array has: use copyTo()");
        }
        byte[] array = new byte[(int) count];
        copyTo(MemorySegment.ofArray(array));
        return array;
    }

    @HotPath
    final long at(long offset, long count) {
        owner.checkReading();
        if ((offset | count) < 0 || count > length - offset) {
            throw refusal(offset, count);
        }
        return address + offset;
    }

    private RuntimeException refusal(long offset, long count) {
        if (length == NONE) {
            return new IllegalStateException(unavailableReason());
        }
        return new IndexOutOfBoundsException(
                "offset " + offset + " and length " + count + " are not within the " + length + " bytes");
    }
}
