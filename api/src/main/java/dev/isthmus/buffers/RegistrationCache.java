// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.buffers;

import dev.isthmus.CheckReturnValue;
import java.lang.foreign.MemorySegment;

/**
 * A cache of registrations: memory of the program's own, of any arena, and mapped files, is registered when it is first
 * used, and found registered the next time. A {@link RegionCache} is for verbs, a {@link UcpMemoryCache} for UCX. Bounds say
 * how much stays registered; beyond them, what was used least recently is deregistered, but never what is in use.
 *
 * <p>To acquire gives a lease: a number, as that of a slice of a {@link SlicePool}, never 0 and never negative, to be released
 * once. While it is out the registration stays. A call with a lease that was released throws an {@link
 * IllegalStateException}.
 *
 * <p>What is registered is the segment that is asked for, all of it. Later, any part of it is found: a program that sends
 * parts of one buffer or file asks for the whole first. To ask for parts one by one registers each.
 *
 * <h2>When memory ends</h2>
 *
 * <p>A registration is found by the scope of a segment and the range in it, not by the address alone. When an arena is
 * closed, and other memory gets its addresses, that is registered anew; what was registered of the closed arena is
 * deregistered as soon as something new is, or its last lease is released.
 *
 * <ul>
 *   <li>A {@link dev.isthmus.GuardedArena} that is closed has the cache deregister what no lease is out of, and is refused
 *       while one is. Use it wherever you can.
 *   <li>The JDK's own arenas are closed without asking. A device that was using the memory goes on with the pages it had; a
 *       UCX transport that is not RDMA, with the addresses. Release the leases and {@linkplain #evict evict} the memory first.
 *   <li>An automatic arena, and a direct buffer, live until the cache has deregistered their memory.
 *   <li>Memory that is freed by other means than its arena is to be evicted before: the cache cannot see that.
 * </ul>
 *
 * <h2>Threads</h2>
 *
 * <p>Any thread may acquire, release and read; memory of a confined arena is acquired by its thread. Calls take a lock for
 * the look-up, some tens of nanoseconds, and allocate nothing when they find what they look for. Registering is done
 * without the lock, and blocks only those who ask for the same memory.
 */
public abstract sealed class RegistrationCache implements AutoCloseable permits RegionCache, UcpMemoryCache {

    private final Registrations<?> registrations;

    RegistrationCache(Registrations<?> registrations) {
        this.registrations = registrations;
    }

    /**
     * Finds or registers memory. Blocks if it is to be registered, or others are to be deregistered for it.
     *
     * @param segment native memory, not empty; writable if the registrations let devices write
     * @return the number of a lease; 0 if all that is registered is in use, and the bounds leave no room
     * @throws IllegalArgumentException if the segment is on the heap, empty, longer than the bound, or read-only where
     *     devices may write
     * @throws IllegalStateException if this or the segment's arena is closed
     * @throws WrongThreadException if the segment belongs to another thread's confined arena
     * @throws dev.isthmus.RdmaException if it cannot be registered; the message says why
     */
    @CheckReturnValue
    public final long tryAcquire(MemorySegment segment) {
        return registrations.tryAcquire(segment);
    }

    /**
     * Finds or registers memory, for programs that hold few leases at a time. Blocks if it is to be registered, or others are
     * to be deregistered for it.
     *
     * @param segment native memory, not empty; writable if the registrations let devices write
     * @return the number of a lease
     * @throws IllegalArgumentException if the segment is on the heap, empty, longer than the bound, or read-only where
     *     devices may write
     * @throws IllegalStateException if all that is registered is in use, and the bounds leave no room; or this or the
     *     segment's arena is closed
     * @throws WrongThreadException if the segment belongs to another thread's confined arena
     * @throws dev.isthmus.RdmaException if it cannot be registered; the message says why
     */
    @CheckReturnValue
    public final long acquire(MemorySegment segment) {
        return registrations.acquire(segment);
    }

    /**
     * Ends a lease: no operation uses the memory any more. It stays registered until room is needed.
     *
     * @param lease the number of a lease that is out
     * @throws IllegalStateException if it is not out
     */
    public final void release(long lease) {
        registrations.release(lease);
    }

    /**
     * Where the segment of a lease begins in what is registered.
     *
     * @param lease the number of a lease that is out
     * @return bytes
     * @throws IllegalStateException if it is not out
     */
    public final long offset(long lease) {
        return registrations.offset(lease);
    }

    /**
     * How long the segment of a lease is.
     *
     * @param lease the number of a lease that is out
     * @return bytes
     * @throws IllegalStateException if it is not out
     */
    public final long length(long lease) {
        return registrations.length(lease);
    }

    /**
     * Deregisters what is registered of a segment's memory, also where it reaches beyond it: before memory is freed, or to
     * give room. Blocks.
     *
     * @param segment any; what is not registered does not matter
     * @return how many registrations that were
     * @throws IllegalStateException if leases of it are out, and it says how many; nothing has changed. Or this is closed, or a
     *     UCX operation uses it
     * @throws dev.isthmus.RdmaException if it cannot be deregistered; it stays
     */
    public final int evict(MemorySegment segment) {
        return registrations.evict(segment);
    }

    /**
     * Deregisters all that no lease is out of. Blocks.
     *
     * @throws IllegalStateException if this is closed, or a UCX operation uses some; the others are deregistered
     * @throws dev.isthmus.RdmaException if one cannot be deregistered; it stays
     */
    public final void evictIdle() {
        registrations.evictIdle();
    }

    /**
     * How much is registered.
     *
     * @return bytes, in whole pages
     */
    public final long pinnedBytes() {
        return registrations.pinnedBytes();
    }

    /**
     * How many registrations there are.
     *
     * @return their number
     */
    public final int registrations() {
        return registrations.count();
    }

    /**
     * How often memory was registered, because it was not found: beside the number of acquires it tells what the cache is
     * good for.
     *
     * @return how often, since this was created
     */
    public final long registered() {
        return registrations.made();
    }

    /**
     * How many leases are out.
     *
     * @return their number
     */
    public final int leasesOut() {
        return registrations.leasesOut();
    }

    /**
     * Deregisters all. Does nothing when it is closed already. Blocks.
     *
     * @throws IllegalStateException if leases are out, and it says how many; or a UCX operation uses memory whose lease was
     *     released. It can be tried again
     * @throws dev.isthmus.RdmaException if one cannot be deregistered; it can be tried again
     */
    @Override
    public final void close() {
        registrations.close();
    }

    /** The class, and whose it is. */
    @Override
    public final String toString() {
        return registrations.toString();
    }
}
