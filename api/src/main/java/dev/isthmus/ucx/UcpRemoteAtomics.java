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
 * Operations on numbers of 32 and 64 bits in a peer's memory, atomic for all who use these: {@code ucp_atomic_op_nbx}.
 * The numbers are in the byte order of the machines, and aligned to their size.
 *
 * <p>They are atomic among operations of UCX over the same kind of transport. What the peer's program does to the
 * numbers itself can come in between.
 *
 * <p>UCX 1.13.1 as in Debian 12 does not compute {@link UcpAtomic#AND}, {@link UcpAtomic#OR} and {@link UcpAtomic#XOR}
 * when it fetches over shared memory. There Isthmus refuses them with a {@link RdmaUnavailableException}, unless
 * nothing is fetched. {@link #compareAndSwap64} does the same in a few tries.
 *
 * <p>Confined to the thread of the worker. Nothing blocks, and only the methods that return futures allocate.
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
     * Changes a number of 64 bits without fetching it.
     *
     * @param operation any but {@link UcpAtomic#SWAP}
     * @param offset where the number is in the peer's memory, in bytes
     * @param operand the second operand
     * @return the operation's number in {@link UcpWorker#requests()}, never 0; release it
     * @throws IllegalArgumentException if the operation is a swap, or the number's address is not a multiple of its size
     * @throws IndexOutOfBoundsException if the number is not within the peer's memory
     * @throws IllegalStateException if the memory or the endpoint is closed, or the context was created without
     *     {@link UcpFeature#AMO64}, for 32 bits {@link UcpFeature#AMO32}
     * @throws WrongThreadException if the worker belongs to another thread
     * @throws UcxException if UCX refuses, or the endpoint failed
     */
    @HotPath
    public long apply64(UcpAtomic operation, long offset, long operand) {
        long at = at64(offset);
        return operations.atomic64(memory, at, posted(operation), operand, 0, RequestSlot.ATOMIC, false);
    }

    /**
     * Changes a number of 64 bits without fetching it. {@link UcpWorker#poll} reports when it is done. Otherwise like
     * {@link #apply64(UcpAtomic, long, long)}.
     *
     * @param operation any but {@link UcpAtomic#SWAP}
     * @param offset where the number is in the peer's memory, in bytes
     * @param operand the second operand
     * @param userData the number that the poll returns
     * @return a negative number, only for {@link UcpRequests#cancel}
     */
    @HotPath
    public long apply64(UcpAtomic operation, long offset, long operand, long userData) {
        long at = at64(offset);
        return operations.atomic64(memory, at, posted(operation), operand, 0, RequestSlot.ATOMIC, userData);
    }

    /**
     * Changes a number of 64 bits without a number for the operation, as {@code ucp_atomic_post} does. A flush that
     * begins afterwards tells when it is done. Otherwise like {@link #apply64}.
     *
     * @param operation any but {@link UcpAtomic#SWAP}
     * @param offset where the number is in the peer's memory, in bytes
     * @param operand the second operand
     */
    @HotPath
    public void post64(UcpAtomic operation, long offset, long operand) {
        long at = at64(offset);
        operations.atomic64(memory, at, posted(operation), operand, 0, RequestSlot.ATOMIC, true);
    }

    /**
     * Changes a number of 64 bits and fetches its former value: {@link UcpRequests#fetched}. Otherwise like
     * {@link #apply64(UcpAtomic, long, long)}.
     *
     * @param operation any
     * @param offset where the number is in the peer's memory, in bytes
     * @param operand the second operand
     * @return the operation's number in {@link UcpWorker#requests()}, never 0; release it
     * @throws RdmaUnavailableException if the loaded UCX would compute something else
     */
    @HotPath
    public long fetch64(UcpAtomic operation, long offset, long operand) {
        long at = at64(offset);
        return operations.atomic64(memory, at, fetched(operation), operand, 0, RequestSlot.FETCH_64, false);
    }

    /**
     * Changes a number of 64 bits. {@link UcpWorker#poll} reports its former value: {@link UcpCompletions#fetched}.
     * Otherwise like {@link #fetch64(UcpAtomic, long, long)}.
     *
     * @param operation any
     * @param offset where the number is in the peer's memory, in bytes
     * @param operand the second operand
     * @param userData the number that the poll returns
     * @return a negative number, only for {@link UcpRequests#cancel}
     */
    @HotPath
    public long fetch64(UcpAtomic operation, long offset, long operand, long userData) {
        long at = at64(offset);
        return operations.atomic64(memory, at, fetched(operation), operand, 0, RequestSlot.FETCH_64, userData);
    }

    /**
     * Replaces a number of 64 bits if it equals the expected one, and fetches its former value:
     * {@link UcpRequests#fetched}. Otherwise like {@link #apply64}.
     *
     * @param offset where the number is in the peer's memory, in bytes
     * @param expected the number to replace
     * @param replacement the new number
     * @return the operation's number in {@link UcpWorker#requests()}, never 0; release it
     */
    @HotPath
    public long compareAndSwap64(long offset, long expected, long replacement) {
        long at = at64(offset);
        int operation = UcpAtomic.COMPARE_AND_SWAP;
        return operations.atomic64(memory, at, operation, expected, replacement, RequestSlot.FETCH_64, false);
    }

    /**
     * Replaces a number of 64 bits if it equals the expected one. {@link UcpWorker#poll} reports its former value:
     * {@link UcpCompletions#fetched}. Otherwise like {@link #compareAndSwap64(long, long, long)}.
     *
     * @param offset where the number is in the peer's memory, in bytes
     * @param expected the number to replace
     * @param replacement the new number
     * @param userData the number that the poll returns
     * @return a negative number, only for {@link UcpRequests#cancel}
     */
    @HotPath
    public long compareAndSwap64(long offset, long expected, long replacement, long userData) {
        long at = at64(offset);
        int operation = UcpAtomic.COMPARE_AND_SWAP;
        return operations.atomic64(memory, at, operation, expected, replacement, RequestSlot.FETCH_64, userData);
    }

    /**
     * Changes a number of 32 bits without fetching it. Otherwise like {@link #apply64}.
     *
     * @param operation any but {@link UcpAtomic#SWAP}
     * @param offset where the number is in the peer's memory, in bytes
     * @param operand the second operand
     * @return the operation's number in {@link UcpWorker#requests()}, never 0; release it
     */
    @HotPath
    public long apply32(UcpAtomic operation, long offset, int operand) {
        long at = at32(offset);
        return operations.atomic32(memory, at, posted(operation), operand, 0, RequestSlot.ATOMIC, false);
    }

    /**
     * Changes a number of 32 bits without fetching it. {@link UcpWorker#poll} reports when it is done. Otherwise like
     * {@link #apply32(UcpAtomic, long, int)}.
     *
     * @param operation any but {@link UcpAtomic#SWAP}
     * @param offset where the number is in the peer's memory, in bytes
     * @param operand the second operand
     * @param userData the number that the poll returns
     * @return a negative number, only for {@link UcpRequests#cancel}
     */
    @HotPath
    public long apply32(UcpAtomic operation, long offset, int operand, long userData) {
        long at = at32(offset);
        return operations.atomic32(memory, at, posted(operation), operand, 0, RequestSlot.ATOMIC, userData);
    }

    /**
     * Changes a number of 32 bits without a number for the operation. Otherwise like {@link #post64}.
     *
     * @param operation any but {@link UcpAtomic#SWAP}
     * @param offset where the number is in the peer's memory, in bytes
     * @param operand the second operand
     */
    @HotPath
    public void post32(UcpAtomic operation, long offset, int operand) {
        long at = at32(offset);
        operations.atomic32(memory, at, posted(operation), operand, 0, RequestSlot.ATOMIC, true);
    }

    /**
     * Changes a number of 32 bits and fetches its former value. Otherwise like {@link #fetch64}.
     *
     * @param operation any
     * @param offset where the number is in the peer's memory, in bytes
     * @param operand the second operand
     * @return the operation's number in {@link UcpWorker#requests()}, never 0; release it
     */
    @HotPath
    public long fetch32(UcpAtomic operation, long offset, int operand) {
        long at = at32(offset);
        return operations.atomic32(memory, at, fetched(operation), operand, 0, RequestSlot.FETCH_32, false);
    }

    /**
     * Changes a number of 32 bits. {@link UcpWorker#poll} reports its former value: {@link UcpCompletions#fetched}.
     * Otherwise like {@link #fetch32(UcpAtomic, long, int)}.
     *
     * @param operation any
     * @param offset where the number is in the peer's memory, in bytes
     * @param operand the second operand
     * @param userData the number that the poll returns
     * @return a negative number, only for {@link UcpRequests#cancel}
     */
    @HotPath
    public long fetch32(UcpAtomic operation, long offset, int operand, long userData) {
        long at = at32(offset);
        return operations.atomic32(memory, at, fetched(operation), operand, 0, RequestSlot.FETCH_32, userData);
    }

    /**
     * Replaces a number of 32 bits if it equals the expected one, and fetches its former value. Otherwise like
     * {@link #compareAndSwap64}.
     *
     * @param offset where the number is in the peer's memory, in bytes
     * @param expected the number to replace
     * @param replacement the new number
     * @return the operation's number in {@link UcpWorker#requests()}, never 0; release it
     */
    @HotPath
    public long compareAndSwap32(long offset, int expected, int replacement) {
        long at = at32(offset);
        int operation = UcpAtomic.COMPARE_AND_SWAP;
        return operations.atomic32(memory, at, operation, expected, replacement, RequestSlot.FETCH_32, false);
    }

    /**
     * Replaces a number of 32 bits if it equals the expected one. {@link UcpWorker#poll} reports its former value:
     * {@link UcpCompletions#fetched}. Otherwise like {@link #compareAndSwap32(long, int, int)}.
     *
     * @param offset where the number is in the peer's memory, in bytes
     * @param expected the number to replace
     * @param replacement the new number
     * @param userData the number that the poll returns
     * @return a negative number, only for {@link UcpRequests#cancel}
     */
    @HotPath
    public long compareAndSwap32(long offset, int expected, int replacement, long userData) {
        long at = at32(offset);
        int operation = UcpAtomic.COMPARE_AND_SWAP;
        return operations.atomic32(memory, at, operation, expected, replacement, RequestSlot.FETCH_32, userData);
    }

    /**
     * Changes a number of 64 bits and fetches its former value, and returns a future. {@link UcpWorker#progress()}
     * completes it on the worker's thread, with a {@link UcxException} if the operation fails. It allocates; otherwise
     * like {@link #fetch64}.
     *
     * @param operation any
     * @param offset where the number is in the peer's memory, in bytes
     * @param operand the second operand
     * @return completed with the former value
     */
    public CompletableFuture<Long> fetch64Async(UcpAtomic operation, long offset, long operand) {
        return async(() -> fetch64(operation, offset, operand));
    }

    /**
     * Replaces a number of 64 bits if it equals the expected one, and returns a future. Otherwise like
     * {@link #fetch64Async} and {@link #compareAndSwap64}.
     *
     * @param offset where the number is in the peer's memory, in bytes
     * @param expected the number to replace
     * @param replacement the new number
     * @return completed with the former value
     */
    public CompletableFuture<Long> compareAndSwap64Async(long offset, long expected, long replacement) {
        return async(() -> compareAndSwap64(offset, expected, replacement));
    }

    /**
     * Changes a number of 32 bits and fetches its former value, and returns a future. Otherwise like
     * {@link #fetch64Async}.
     *
     * @param operation any
     * @param offset where the number is in the peer's memory, in bytes
     * @param operand the second operand
     * @return completed with the former value
     */
    public CompletableFuture<Integer> fetch32Async(UcpAtomic operation, long offset, int operand) {
        return async(() -> fetch32(operation, offset, operand)).thenApply(Long::intValue);
    }

    /**
     * Replaces a number of 32 bits if it equals the expected one, and returns a future. Otherwise like
     * {@link #fetch64Async} and {@link #compareAndSwap32}.
     *
     * @param offset where the number is in the peer's memory, in bytes
     * @param expected the number to replace
     * @param replacement the new number
     * @return completed with the former value
     */
    public CompletableFuture<Integer> compareAndSwap32Async(long offset, int expected, int replacement) {
        return async(() -> compareAndSwap32(offset, expected, replacement)).thenApply(Long::intValue);
    }

    private CompletableFuture<Long> async(LongSupplier operation) {
        return operations.async().fetch(operation, memory);
    }

    /** The number that an operation has fetched. */
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
