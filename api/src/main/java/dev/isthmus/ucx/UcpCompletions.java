// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.internal.HotPath;
import java.util.Objects;

/**
 * Room for the results of operations that have ended, filled by {@link UcpWorker#poll}: what WorkCompletions is to verbs. Made
 * once and filled again and again. What it holds stays until the next poll, also when the worker is closed.
 *
 * <p>Not thread-safe. Nothing here blocks or allocates, but for {@link #allocate}.
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
     * Makes room.
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
     * What the program has said of the operation: {@link UcpPayload#userData}.
     *
     * @param index which, less than {@link #size}
     * @return the number that it was begun with
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
     * @return the length in bytes; 0 of any other operation, and of one that failed
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
     * @return the tag that the sender gave; 0 of any other operation, and of one that failed
     * @throws IndexOutOfBoundsException if there is no such completion
     */
    @HotPath
    public long senderTag(int index) {
        Objects.checkIndex(index, size);
        return senderTags[index];
    }

    /**
     * The number that an atomic operation fetched: what was in the peer's memory before it.
     *
     * @param index which, less than {@link #size}
     * @return the number, of 32 bits with its sign; 0 of any other operation, and of one that failed
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

    /** The room as messages name it. */
    @Override
    public String toString() {
        return "UcpCompletions(" + size + " of " + userData.length + ")";
    }
}
