// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.RdmaUnavailableException;
import dev.isthmus.UcxException;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.NativeMemory;
import dev.isthmus.internal.ucx.SharedMemoryAtomics;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/**
 * Operations on numbers of 32 and 64 bits in a peer's memory, that all who use these see as done at once or not at all:
 * {@code ucp_atomic_op_nbx}. The numbers are in the byte order of the machines, and lie at multiples of their size.
 *
 * <p>That holds among operations of UCX over the same kind of transport. What the peer's program does to the numbers itself
 * can come in between.
 *
 * <p>UCX 1.13.1 as Debian 12 has it does not compute {@link UcpAtomic#AND}, {@link UcpAtomic#OR} and {@link UcpAtomic#XOR}
 * when it fetches over shared memory. There they are refused with a {@link RdmaUnavailableException}, unless nothing is
 * fetched; {@link #compareAndSwap64} does the same with a few tries.
 *
 * <p>Confined to the thread of the worker. Nothing blocks, and nothing but the methods that return futures allocates.
 */
public final class UcpRemoteAtomics {

    private final UcpRemoteMemory memory;
    private final RemoteOperations operations;
    private final UcpContext context;
    private final boolean of32;
    private final boolean of64;
    private final boolean withoutBitwiseFetch;

    UcpRemoteAtomics(UcpRemoteMemory memory, RemoteOperations operations, UcpContext context) {
        this.memory = memory;
        this.operations = operations;
        this.context = context;
        this.of32 = context.features().contains(UcpFeature.AMO32);
        this.of64 = context.features().contains(UcpFeature.AMO64);
        this.withoutBitwiseFetch =
                SharedMemoryAtomics.areWrong() && memory.endpoint().isWithinMachine();
    }

    /**
     * Changes a number of 64 bits and does not fetch it.
     *
     * @param operation any but {@link UcpAtomic#SWAP}
     * @param offset where the number is in the peer's memory, in bytes
     * @param operand the other number
     * @return the operation's number in {@link UcpWorker#requests()}, never 0, to be released
     * @throws IllegalArgumentException if the operation is a swap, or the number's address is not a multiple of its size
     * @throws IndexOutOfBoundsException if the number is not within the peer's memory
     * @throws IllegalStateException if the memory or the endpoint is closed, or the context was made without {@link
     *     UcpFeature#AMO64}, for 32 bits {@link UcpFeature#AMO32}
     * @throws WrongThreadException if the worker belongs to another thread
     * @throws UcxException if UCX refuses, or the endpoint failed
     */
    @HotPath
    public long apply64(UcpAtomic operation, long offset, long operand) {
        long at = at64(offset);
        return operations.atomic64(memory, at, posted(operation), operand, 0, RequestSlot.ATOMIC, false);
    }

    /**
     * Changes a number of 64 bits and does not fetch it. {@link UcpWorker#poll} reports that it is done. Otherwise as
     * {@link #apply64(UcpAtomic, long, long)}.
     *
     * @param operation any but {@link UcpAtomic#SWAP}
     * @param offset where the number is in the peer's memory, in bytes
     * @param operand the other number
     * @param userData the poll returns it
     * @return a negative number, which only {@link UcpRequests#cancel} takes
     */
    @HotPath
    public long apply64(UcpAtomic operation, long offset, long operand, long userData) {
        long at = at64(offset);
        return operations.atomic64(memory, at, posted(operation), operand, 0, RequestSlot.ATOMIC, userData);
    }

    /**
     * Changes a number of 64 bits without a number for the operation, as {@code ucp_atomic_post} does: that it is done is
     * told by a flush that begins afterwards. Otherwise as {@link #apply64}.
     *
     * @param operation any but {@link UcpAtomic#SWAP}
     * @param offset where the number is in the peer's memory, in bytes
     * @param operand the other number
     */
    @HotPath
    public void post64(UcpAtomic operation, long offset, long operand) {
        long at = at64(offset);
        operations.atomic64(memory, at, posted(operation), operand, 0, RequestSlot.ATOMIC, true);
    }

    /**
     * Changes a number of 64 bits and fetches what it was before: {@link UcpRequests#fetched}. Otherwise as {@link
     * #apply64(UcpAtomic, long, long)}.
     *
     * @param operation any
     * @param offset where the number is in the peer's memory, in bytes
     * @param operand the other number
     * @return the operation's number in {@link UcpWorker#requests()}, never 0, to be released
     * @throws RdmaUnavailableException if the loaded UCX would do something else
     */
    @HotPath
    public long fetch64(UcpAtomic operation, long offset, long operand) {
        long at = at64(offset);
        return operations.atomic64(memory, at, fetched(operation), operand, 0, RequestSlot.FETCH_64, false);
    }

    /**
     * Changes a number of 64 bits. {@link UcpWorker#poll} reports what it was before: {@link UcpCompletions#fetched}.
     * Otherwise as {@link #fetch64(UcpAtomic, long, long)}.
     *
     * @param operation any
     * @param offset where the number is in the peer's memory, in bytes
     * @param operand the other number
     * @param userData the poll returns it
     * @return a negative number, which only {@link UcpRequests#cancel} takes
     */
    @HotPath
    public long fetch64(UcpAtomic operation, long offset, long operand, long userData) {
        long at = at64(offset);
        return operations.atomic64(memory, at, fetched(operation), operand, 0, RequestSlot.FETCH_64, userData);
    }

    /**
     * Replaces a number of 64 bits if it is the expected one, and fetches what it was before: {@link UcpRequests#fetched}.
     * Otherwise as {@link #apply64}.
     *
     * @param offset where the number is in the peer's memory, in bytes
     * @param expected what it is replaced if it is
     * @param replacement by what
     * @return the operation's number in {@link UcpWorker#requests()}, never 0, to be released
     */
    @HotPath
    public long compareAndSwap64(long offset, long expected, long replacement) {
        long at = at64(offset);
        int operation = UcpAtomic.COMPARE_AND_SWAP;
        return operations.atomic64(memory, at, operation, expected, replacement, RequestSlot.FETCH_64, false);
    }

    /**
     * Replaces a number of 64 bits if it is the expected one. {@link UcpWorker#poll} reports what it was before: {@link
     * UcpCompletions#fetched}. Otherwise as {@link #compareAndSwap64(long, long, long)}.
     *
     * @param offset where the number is in the peer's memory, in bytes
     * @param expected what it is replaced if it is
     * @param replacement by what
     * @param userData the poll returns it
     * @return a negative number, which only {@link UcpRequests#cancel} takes
     */
    @HotPath
    public long compareAndSwap64(long offset, long expected, long replacement, long userData) {
        long at = at64(offset);
        int operation = UcpAtomic.COMPARE_AND_SWAP;
        return operations.atomic64(memory, at, operation, expected, replacement, RequestSlot.FETCH_64, userData);
    }

    /**
     * Changes a number of 32 bits and does not fetch it. Otherwise as {@link #apply64}.
     *
     * @param operation any but {@link UcpAtomic#SWAP}
     * @param offset where the number is in the peer's memory, in bytes
     * @param operand the other number
     * @return the operation's number in {@link UcpWorker#requests()}, never 0, to be released
     */
    @HotPath
    public long apply32(UcpAtomic operation, long offset, int operand) {
        long at = at32(offset);
        return operations.atomic32(memory, at, posted(operation), operand, 0, RequestSlot.ATOMIC, false);
    }

    /**
     * Changes a number of 32 bits and does not fetch it. {@link UcpWorker#poll} reports that it is done. Otherwise as
     * {@link #apply32(UcpAtomic, long, int)}.
     *
     * @param operation any but {@link UcpAtomic#SWAP}
     * @param offset where the number is in the peer's memory, in bytes
     * @param operand the other number
     * @param userData the poll returns it
     * @return a negative number, which only {@link UcpRequests#cancel} takes
     */
    @HotPath
    public long apply32(UcpAtomic operation, long offset, int operand, long userData) {
        long at = at32(offset);
        return operations.atomic32(memory, at, posted(operation), operand, 0, RequestSlot.ATOMIC, userData);
    }

    /**
     * Changes a number of 32 bits without a number for the operation. Otherwise as {@link #post64}.
     *
     * @param operation any but {@link UcpAtomic#SWAP}
     * @param offset where the number is in the peer's memory, in bytes
     * @param operand the other number
     */
    @HotPath
    public void post32(UcpAtomic operation, long offset, int operand) {
        long at = at32(offset);
        operations.atomic32(memory, at, posted(operation), operand, 0, RequestSlot.ATOMIC, true);
    }

    /**
     * Changes a number of 32 bits and fetches what it was before. Otherwise as {@link #fetch64}.
     *
     * @param operation any
     * @param offset where the number is in the peer's memory, in bytes
     * @param operand the other number
     * @return the operation's number in {@link UcpWorker#requests()}, never 0, to be released
     */
    @HotPath
    public long fetch32(UcpAtomic operation, long offset, int operand) {
        long at = at32(offset);
        return operations.atomic32(memory, at, fetched(operation), operand, 0, RequestSlot.FETCH_32, false);
    }

    /**
     * Changes a number of 32 bits. {@link UcpWorker#poll} reports what it was before: {@link UcpCompletions#fetched}.
     * Otherwise as {@link #fetch32(UcpAtomic, long, int)}.
     *
     * @param operation any
     * @param offset where the number is in the peer's memory, in bytes
     * @param operand the other number
     * @param userData the poll returns it
     * @return a negative number, which only {@link UcpRequests#cancel} takes
     */
    @HotPath
    public long fetch32(UcpAtomic operation, long offset, int operand, long userData) {
        long at = at32(offset);
        return operations.atomic32(memory, at, fetched(operation), operand, 0, RequestSlot.FETCH_32, userData);
    }

    /**
     * Replaces a number of 32 bits if it is the expected one, and fetches what it was before. Otherwise as {@link
     * #compareAndSwap64}.
     *
     * @param offset where the number is in the peer's memory, in bytes
     * @param expected what it is replaced if it is
     * @param replacement by what
     * @return the operation's number in {@link UcpWorker#requests()}, never 0, to be released
     */
    @HotPath
    public long compareAndSwap32(long offset, int expected, int replacement) {
        long at = at32(offset);
        int operation = UcpAtomic.COMPARE_AND_SWAP;
        return operations.atomic32(memory, at, operation, expected, replacement, RequestSlot.FETCH_32, false);
    }

    /**
     * Replaces a number of 32 bits if it is the expected one. {@link UcpWorker#poll} reports what it was before: {@link
     * UcpCompletions#fetched}. Otherwise as {@link #compareAndSwap32(long, int, int)}.
     *
     * @param offset where the number is in the peer's memory, in bytes
     * @param expected what it is replaced if it is
     * @param replacement by what
     * @param userData the poll returns it
     * @return a negative number, which only {@link UcpRequests#cancel} takes
     */
    @HotPath
    public long compareAndSwap32(long offset, int expected, int replacement, long userData) {
        long at = at32(offset);
        int operation = UcpAtomic.COMPARE_AND_SWAP;
        return operations.atomic32(memory, at, operation, expected, replacement, RequestSlot.FETCH_32, userData);
    }

    /**
     * Changes a number of 64 bits and fetches what it was before, the convenient way. The future is completed by {@link
     * UcpWorker#progress()}, on the worker's thread, with a {@link UcxException} if the operation fails. It allocates;
     * otherwise as {@link #fetch64}.
     *
     * @param operation any
     * @param offset where the number is in the peer's memory, in bytes
     * @param operand the other number
     * @return completed with the number before
     */
    public CompletableFuture<Long> fetch64Async(UcpAtomic operation, long offset, long operand) {
        return async(() -> fetch64(operation, offset, operand));
    }

    /**
     * Replaces a number of 64 bits if it is the expected one, the convenient way. Otherwise as {@link #fetch64Async} and
     * {@link #compareAndSwap64}.
     *
     * @param offset where the number is in the peer's memory, in bytes
     * @param expected what it is replaced if it is
     * @param replacement by what
     * @return completed with the number before
     */
    public CompletableFuture<Long> compareAndSwap64Async(long offset, long expected, long replacement) {
        return async(() -> compareAndSwap64(offset, expected, replacement));
    }

    /**
     * Changes a number of 32 bits and fetches what it was before, the convenient way. Otherwise as {@link #fetch64Async}.
     *
     * @param operation any
     * @param offset where the number is in the peer's memory, in bytes
     * @param operand the other number
     * @return completed with the number before
     */
    public CompletableFuture<Integer> fetch32Async(UcpAtomic operation, long offset, int operand) {
        return async(() -> fetch32(operation, offset, operand)).thenApply(Long::intValue);
    }

    /**
     * Replaces a number of 32 bits if it is the expected one, the convenient way. Otherwise as {@link #fetch64Async} and
     * {@link #compareAndSwap32}.
     *
     * @param offset where the number is in the peer's memory, in bytes
     * @param expected what it is replaced if it is
     * @param replacement by what
     * @return completed with the number before
     */
    public CompletableFuture<Integer> compareAndSwap32Async(long offset, int expected, int replacement) {
        return async(() -> compareAndSwap32(offset, expected, replacement)).thenApply(Long::intValue);
    }

    private CompletableFuture<Long> async(LongSupplier operation) {
        return memory.endpoint().worker().parts().async().fetch(operation, memory);
    }

    /** What an operation has fetched that is done. */
    @HotPath
    static long fetched(RequestSlot slot) {
        return slot.kind == RequestSlot.FETCH_32
                ? NativeMemory.getInt(slot.reply())
                : NativeMemory.getLong(slot.reply());
    }

    @HotPath
    private long at64(long offset) {
        return at(offset, Long.BYTES, of64);
    }

    @HotPath
    private long at32(long offset) {
        return at(offset, Integer.BYTES, of32);
    }

    @HotPath
    private long at(long offset, int size, boolean possible) {
        if (!possible) {
            throw new IllegalStateException(context + " was made without UcpFeature.AMO" + 8 * size);
        }
        long at = memory.at(offset, size);
        if ((at & (size - 1)) != 0) {
            throw misaligned(at, size);
        }
        return at;
    }

    private static IllegalArgumentException misaligned(long at, int size) {
        return new IllegalArgumentException(String.format(
                Locale.ROOT, "the number's address 0x%x in the peer's memory is not a multiple of %d", at, size));
    }

    @HotPath
    private int fetched(UcpAtomic operation) {
        if (withoutBitwiseFetch && operation.isBitwise()) {
            throw new RdmaUnavailableException("the loaded UCX computes " + operation
                    + " wrongly when it fetches over shared memory, as its package in Debian 12 does: use a newer one,"
                    + " or compareAndSwap");
        }
        return operation.code();
    }

    @HotPath
    private static int posted(UcpAtomic operation) {
        if (operation == UcpAtomic.SWAP) {
            throw new IllegalArgumentException("a swap fetches: use fetch64 or fetch32");
        }
        return operation.code();
    }
}
