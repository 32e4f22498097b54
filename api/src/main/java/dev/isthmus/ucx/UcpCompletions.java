// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.internal.HotPath;
import java.util.Objects;

/**
 * Room for the results of ended operations, filled by {@link UcpWorker#poll}: for UCX, what WorkCompletions is for
 * verbs. Create it once and fill it again and again. What it holds stays until the next poll, even when the worker
 * is closed.
 *
 * <p>Not thread-safe. Nothing here blocks or allocates, except {@link #allocate}.
 */
public final class UcpCompletions {

    private final long[] userData;
    private final long[] lengths;
    private final long[] senderTags;
    private final long[] fetched;
    private final byte[] statuses;
    private int size;

    private UcpCompletions(int capacity) {
        userData = new long[capacity];
        lengths = new long[capacity];
        senderTags = new long[capacity];
        fetched = new long[capacity];
        statuses = new byte[capacity];
    }

    /**
     * Allocates room for completions.
     *
     * @param capacity how many a poll takes at most
     * @return the room, empty
     * @throws IllegalArgumentException if the capacity is less than 1
     */
    public static UcpCompletions allocate(int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException("room for " + capacity + " completions");
        }
        return new UcpCompletions(capacity);
    }

    /**
     * How many a poll takes at most.
     *
     * @return the number
     */
    public int capacity() {
        return userData.length;
    }

    /**
     * How many the last poll took.
     *
     * @return the number
     */
    public int size() {
        return size;
    }

    /**
     * The number that the program gave the operation: {@link UcpPayload#userData}.
     *
     * @param index which, less than {@link #size}
     * @return the number
     * @throws IndexOutOfBoundsException if there is no such completion
     */
    @HotPath
    public long userData(int index) {
        Objects.checkIndex(index, size);
        return userData[index];
    }

    /**
     * Whether the operation has succeeded.
     *
     * @param index which, less than {@link #size}
     * @return whether its status is {@link UcsStatus#OK}
     * @throws IndexOutOfBoundsException if there is no such completion
     */
    @HotPath
    public boolean isSuccess(int index) {
        return statusCode(index) == 0;
    }

    /**
     * How the operation has ended.
     *
     * @param index which, less than {@link #size}
     * @return its status, never {@link UcsStatus#IN_PROGRESS}
     * @throws IndexOutOfBoundsException if there is no such completion
     */
    @HotPath
    public UcsStatus status(int index) {
        return UcsStatus.of(statusCode(index));
    }

    /**
     * How the operation has ended, as a number.
     *
     * @param index which, less than {@link #size}
     * @return a {@code ucs_status_t}: 0, or negative for an error
     * @throws IndexOutOfBoundsException if there is no such completion
     */
    @HotPath
    public int statusCode(int index) {
        Objects.checkIndex(index, size);
        return statuses[index];
    }

    /**
     * The length of the message, or of the part of a stream, that a receive got.
     *
     * @param index which, less than {@link #size}
     * @return the length in bytes; 0 for any other operation, and for one that failed
     * @throws IndexOutOfBoundsException if there is no such completion
     */
    @HotPath
    public long length(int index) {
        Objects.checkIndex(index, size);
        return lengths[index];
    }

    /**
     * The tag of the message that a receive got.
     *
     * @param index which, less than {@link #size}
     * @return the sender's tag; 0 for any other operation, and for one that failed
     * @throws IndexOutOfBoundsException if there is no such completion
     */
    @HotPath
    public long senderTag(int index) {
        Objects.checkIndex(index, size);
        return senderTags[index];
    }

    /**
     * The number that an atomic operation fetched: what the peer's memory held before it.
     *
     * @param index which, less than {@link #size}
     * @return the number, sign-extended if it has 32 bits; 0 for any other operation, and for one that failed
     * @throws IndexOutOfBoundsException if there is no such completion
     */
    @HotPath
    public long fetched(int index) {
        Objects.checkIndex(index, size);
        return fetched[index];
    }

    @HotPath
    void clear() {
        size = 0;
    }

    @HotPath
    boolean isFull() {
        return size == userData.length;
    }

    @HotPath
    void add(long data, byte status, long length, long senderTag, long number) {
        userData[size] = data;
        statuses[size] = status;
        lengths[size] = length;
        senderTags[size] = senderTag;
        fetched[size++] = number;
    }

    /** The room as it appears in error messages. */
    @Override
    public String toString() {
        return "UcpCompletions(" + size + " of " + userData.length + ")";
    }
}
