// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.buffers;

import dev.isthmus.CheckReturnValue;
import dev.isthmus.internal.HotPath;
import java.lang.foreign.MemorySegment;

/**
 * A pool of buffers of one size, in memory that devices may access: {@link RegionPool} for verbs, {@link UcpMemoryPool}
 * for UCX. The pool allocates and registers memory in slabs, up to a bound, and cuts them into slices. Acquiring and
 * releasing a slice takes no lock and no system call, and allocates nothing.
 *
 * <p>A slice in use is a number. It fits where a completion returns a number ({@code wrId}, a tag, an array of your
 * own), and you pass it to the pool's methods. It is never 0 and never negative, so you can use the negative of it for
 * something else. It is valid for one use of the slice: after the release every call with it throws an
 * {@link IllegalStateException}, also a second release, and also once the slice has its next user.
 *
 * <h2>Ownership</h2>
 *
 * <p>An acquire gives you the only reference to the slice. {@link #retain} adds a reference, {@link #release} ends one,
 * and with the last one the slice is free. While a device or UCX may access a slice, one reference belongs to that
 * operation. Release it when you have polled the completion, or the operation is done, and not before. If you release a
 * slice too early, the pool gives it to the next caller, and the device writes into that caller's slice. Its memory is
 * not freed, and no other memory is written to. The same happens if you use a {@link #segment} that you kept, or post a
 * request again, after the release.
 *
 * <h2>Threads</h2>
 *
 * <p>Any thread may acquire, retain, release and read, whichever thread acquired the slice. The thread that polls
 * completions is often not the one that sent, and the one that receives a message passes it on to one that works on it.
 * The next user sees what a thread wrote to a slice before releasing it. There is no cache for each thread, which would
 * hold slices back from others. Threads that acquire at the same moment meet at one compare-and-set.
 *
 * <h2>Bound</h2>
 *
 * <p>The pool pins no more than its bound. When all slices are out, {@link #tryAcquire} returns 0 and {@link #acquire}
 * throws. If an acquire finds no free slice and the bound allows it, it adds a slab, which allocates, registers and
 * blocks. {@link #reserve} does that at the start. If the kernel or the device refuses to register before the bound is
 * reached, the acquire throws that exception.
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
     * Takes a slice, with one reference, for programs that have counted the room. Blocks only when it adds a slab.
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
     * Adds a reference for another thread or another operation. Release it, too.
     *
     * @param slice the number of a slice in use
     * @throws IllegalStateException if it is not in use
     */
    @HotPath
    public final void retain(long slice) {
        slabs.retain(slice);
    }

    /**
     * Ends a reference. With the last one the slice is free, and its number is no longer valid.
     *
     * @param slice the number of a slice in use
     * @return whether it was the last
     * @throws IllegalStateException if it is not in use, for example because all references were released already
     */
    @HotPath
    public final boolean release(long slice) {
        return slabs.release(slice);
    }

    /**
     * The memory of a slice: the same object at each use of it. It holds what the last user left there.
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
     * Where a slice begins in its registered memory.
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
     * The bound on registered memory.
     *
     * @return bytes, a multiple of the page size
     */
    public final long maxBytes() {
        return slabs.maxBytes();
    }

    /**
     * How much memory is registered now.
     *
     * @return bytes, in whole pages
     */
    public final long pinnedBytes() {
        return slabs.pinnedBytes();
    }

    /**
     * How many slices are in use. It is an estimate while other threads acquire and release.
     *
     * @return their number
     */
    public final long slicesOut() {
        return slabs.slicesOut();
    }

    /**
     * Allocates and registers everything that the bound allows. After that no acquire has to, and a limit of the system
     * shows at once. Blocks.
     *
     * @throws IllegalStateException if this is closed
     * @throws OutOfMemoryError if there is no memory; slabs that were added stay
     * @throws dev.isthmus.RdmaException if memory cannot be registered; slabs that were added stay
     */
    public final void reserve() {
        slabs.reserve();
    }

    /**
     * Gives back the slabs that have no slice in use. Blocks.
     *
     * @return how many bytes were unpinned
     * @throws IllegalStateException if this is closed, or a UCX operation uses memory whose slice was released
     * @throws dev.isthmus.RdmaException if a slab cannot be deregistered; it stays registered
     */
    public final long trim() {
        return slabs.trim();
    }

    /**
     * Deregisters and frees all memory. Does nothing the second time. Blocks.
     *
     * @throws IllegalStateException if slices are in use, with a message that says how many; or a UCX operation uses
     *     memory whose slice was released. The pool stays open, and you can try again
     * @throws dev.isthmus.RdmaException if a slab cannot be deregistered; it stays registered, and you can try again
     */
    @Override
    public final void close() {
        slabs.close();
    }

    /** The class, its domain or context, and the size of a slice. */
    @Override
    public final String toString() {
        return slabs.toString();
    }
}
