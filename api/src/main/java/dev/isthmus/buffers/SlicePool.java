// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.buffers;

import dev.isthmus.CheckReturnValue;
import dev.isthmus.internal.HotPath;
import java.lang.foreign.MemorySegment;

/**
 * A pool of buffers of one size, in memory that devices may reach: a {@link RegionPool} for verbs, a {@link UcpMemoryPool}
 * for UCX. Memory is allocated and registered in slabs, up to a bound, and cut into slices. To acquire and to release a slice
 * takes no lock and no system call, and allocates nothing.
 *
 * <p>A slice in use is a number, which fits where a completion gives a number back ({@code wrId}, a tag, an array of one's
 * own), and which the pool answers questions about. It is never 0 and never negative, so that a program can use the negative
 * of it for something else. It is good for one use of the slice: once it is released, any call with it throws an {@link
 * IllegalStateException}, a second release too, also when the slice has its next user.
 *
 * <h2>Whose it is</h2>
 *
 * <p>Who acquires a slice has the one reference to it. {@link #retain} adds one, {@link #release} ends one, and with the last
 * the slice is free. While a device or UCX may reach a slice, a reference belongs to that operation: release it when the
 * completion has been polled, or the operation is done, and not before. A slice that is released too early goes to the next
 * who acquires one, and the device writes into what is theirs; its memory is not freed, and no other is written to. The same
 * goes for a {@link #segment} that is kept, and a request that is posted again, after the release.
 *
 * <h2>Threads</h2>
 *
 * <p>Any thread may acquire, retain, release and read, whichever acquired the slice: the thread that polls completions is
 * often another than the one that sent, and a message goes from the one that received it to one that works on it. What a
 * thread wrote to a slice before it released it is seen by the next user. There is no cache for each thread, which would
 * hold slices back from others; threads that acquire at the same moment meet at one compare-and-set.
 *
 * <h2>Bound</h2>
 *
 * <p>The pool pins no more than its bound. When all slices of that are out, {@link #tryAcquire} returns 0 and {@link
 * #acquire} throws. An acquire that finds no free slice adds a slab if the bound allows it, which allocates, registers and
 * blocks: {@link #reserve} does that at the start. If the kernel or the device refuses to register before the bound is
 * reached, the exception of the registration comes out of the acquire.
 */
public abstract sealed class SlicePool implements AutoCloseable permits RegionPool, UcpMemoryPool {

    private final Slabs<?> slabs;

    SlicePool(Slabs<?> slabs) {
        this.slabs = slabs;
    }

    /**
     * Takes a slice, with one reference. Blocks only when it adds a slab.
     *
     * @return its number; 0 if none is free and the bound is reached
     * @throws IllegalStateException if this is closed
     * @throws OutOfMemoryError if a slab is to be added, and there is no memory for it
     * @throws dev.isthmus.RdmaException if a slab is to be added, and cannot be registered; the message says why
     */
    @CheckReturnValue
    @HotPath
    public final long tryAcquire() {
        return slabs.tryAcquire();
    }

    /**
     * Takes a slice, with one reference, for programs that have counted what there is room for. Blocks only when it adds a
     * slab.
     *
     * @return its number
     * @throws IllegalStateException if none is free and the bound is reached; or this is closed
     * @throws OutOfMemoryError if a slab is to be added, and there is no memory for it
     * @throws dev.isthmus.RdmaException if a slab is to be added, and cannot be registered; the message says why
     */
    @CheckReturnValue
    @HotPath
    public final long acquire() {
        return slabs.acquire();
    }

    /**
     * Adds a reference, which is to be released, too: for another thread, or another operation.
     *
     * @param slice the number of a slice in use
     * @throws IllegalStateException if it is not in use
     */
    @HotPath
    public final void retain(long slice) {
        slabs.retain(slice);
    }

    /**
     * Ends a reference. With the last one the slice is free, and its number good for nothing.
     *
     * @param slice the number of a slice in use
     * @return whether it was the last
     * @throws IllegalStateException if it is not in use, such as when all references were released before
     */
    @HotPath
    public final boolean release(long slice) {
        return slabs.release(slice);
    }

    /**
     * The memory of a slice: the same object at each use of it. Its contents are what the last user left.
     *
     * @param slice the number of a slice in use
     * @return its {@link #sliceBytes} bytes, which any thread may access
     * @throws IllegalStateException if it is not in use
     */
    @HotPath
    public final MemorySegment segment(long slice) {
        return slabs.segment(slice);
    }

    /**
     * Where a slice begins in the memory that is registered as one.
     *
     * @param slice the number of a slice in use
     * @return bytes
     * @throws IllegalStateException if it is not in use
     */
    @HotPath
    public final long offset(long slice) {
        return slabs.offset(slice);
    }

    /**
     * How long a slice is.
     *
     * @return bytes
     */
    @HotPath
    public final long sliceBytes() {
        return slabs.sliceBytes();
    }

    /**
     * The bound.
     *
     * @return how many bytes of memory may be registered, a multiple of the page size
     */
    public final long maxBytes() {
        return slabs.maxBytes();
    }

    /**
     * How much is registered now.
     *
     * @return bytes, in whole pages
     */
    public final long pinnedBytes() {
        return slabs.pinnedBytes();
    }

    /**
     * How many slices are in use. While others acquire and release, it is an estimate.
     *
     * @return their number
     */
    public final long slicesOut() {
        return slabs.slicesOut();
    }

    /**
     * Allocates and registers all that the bound allows, so that no acquire has to, and a limit of the system shows at once.
     * Blocks.
     *
     * @throws IllegalStateException if this is closed
     * @throws OutOfMemoryError if there is no memory; slabs that were added stay
     * @throws dev.isthmus.RdmaException if memory cannot be registered; slabs that were added stay
     */
    public final void reserve() {
        slabs.reserve();
    }

    /**
     * Gives the slabs back that no slice is in use of. Blocks.
     *
     * @return how many bytes are pinned less
     * @throws IllegalStateException if this is closed, or a UCX operation uses memory whose slice was released
     * @throws dev.isthmus.RdmaException if a slab cannot be deregistered; it stays
     */
    public final long trim() {
        return slabs.trim();
    }

    /**
     * Deregisters and frees all memory. Does nothing when it is closed already. Blocks.
     *
     * @throws IllegalStateException if slices are in use, and it says how many; or a UCX operation uses memory whose slice
     *     was released. The pool is open as before, and the close can be tried again
     * @throws dev.isthmus.RdmaException if a slab cannot be deregistered; it stays, and the close can be tried again
     */
    @Override
    public final void close() {
        slabs.close();
    }

    /** The class, whose memory it is, and the size of a slice. */
    @Override
    public final String toString() {
        return slabs.toString();
    }
}
