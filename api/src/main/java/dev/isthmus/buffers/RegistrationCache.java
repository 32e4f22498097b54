// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.buffers;

import dev.isthmus.CheckReturnValue;
import java.lang.foreign.MemorySegment;

/**
 * A cache of registrations. It registers memory of the program's own, of any arena, and mapped files, when they are
 * first used, and finds the registration again the next time. {@link RegionCache} is for verbs, {@link UcpMemoryCache}
 * for UCX. Bounds limit how much stays registered. Beyond them the cache deregisters the least recently used memory,
 * but never memory in use.
 *
 * <p>An acquire returns a lease: a number, like that of a slice of a {@link SlicePool}, never 0 and never negative.
 * Release each lease once. While it is out, the registration stays. A call with a released lease throws an
 * {@link IllegalStateException}.
 *
 * <p>The cache registers exactly the segment that you ask for. Later it finds that registration for any part of the
 * segment. If you send parts of one buffer or file, ask for the whole first; asking for the parts one by one registers
 * each of them.
 *
 * <h2>When memory ends</h2>
 *
 * <p>The cache finds a registration by the scope of a segment and the range in it, not by the address alone. So if an
 * arena is closed and other memory gets its addresses, the cache registers that memory anew. It deregisters the closed
 * arena's memory at the next registration, or when the last lease of it is released.
 *
 * <ul>
 *   <li>When a {@link dev.isthmus.GuardedArena} is closed, the cache deregisters the memory that has no lease out.
 *       While a lease is out, the close is refused. Use such an arena wherever you can.
 *   <li>The JDK's own arenas close without asking. A device that is using the memory goes on with the pages it had,
 *       and a UCX transport other than RDMA with the addresses. Release the leases and {@linkplain #evict evict} the
 *       memory first.
 *   <li>An automatic arena, and a direct buffer, live until the cache has deregistered their memory.
 *   <li>Evict memory before you free it by other means than its arena: the cache cannot see that.
 * </ul>
 *
 * <h2>Threads</h2>
 *
 * <p>Any thread may acquire, release and read. Only its own thread may acquire memory of a confined arena. A look-up
 * briefly takes a lock, and allocates nothing if it finds the memory. Registering happens outside the lock, and blocks
 * only threads that ask for the same memory.
 */
public abstract sealed class RegistrationCache implements AutoCloseable permits RegionCache, UcpMemoryCache {

    private final Registrations<?> registrations;

    RegistrationCache(Registrations<?> registrations) {
        this.registrations = registrations;
    }

    /**
     * Finds memory, or registers it. Blocks if it has to register, or to deregister other memory first.
     *
     * @param segment native memory, not empty; writable if the registrations let devices write
     * @return the number of a lease; 0 if all registered memory is in use and the bounds leave no room
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
     * Finds memory, or registers it, for programs that hold few leases at a time. Blocks if it has to register, or to
     * deregister other memory first.
     *
     * @param segment native memory, not empty; writable if the registrations let devices write
     * @return the number of a lease
     * @throws IllegalArgumentException if the segment is on the heap, empty, longer than the bound, or read-only where
     *     devices may write
     * @throws IllegalStateException if all registered memory is in use and the bounds leave no room; or this or the
     *     segment's arena is closed
     * @throws WrongThreadException if the segment belongs to another thread's confined arena
     * @throws dev.isthmus.RdmaException if it cannot be registered; the message says why
     */
    @CheckReturnValue
    public final long acquire(MemorySegment segment) {
        return registrations.acquire(segment);
    }

    /**
     * Ends a lease, once no operation uses the memory any more. It stays registered until the cache needs room.
     *
     * @param lease the number of a lease that is out
     * @throws IllegalStateException if it is not out
     */
    public final void release(long lease) {
        registrations.release(lease);
    }

    /**
     * Where the segment of a lease begins in the registered memory.
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
     * Deregisters a segment's memory, with any registration that overlaps it. Call it before you free memory, or to
     * make room. Blocks.
     *
     * @param segment any; memory that is not registered does not matter
     * @return how many registrations were removed
     * @throws IllegalStateException if leases of it are out, with a message that says how many; nothing has changed. Or
     *     this is closed, or a UCX operation uses it
     * @throws dev.isthmus.RdmaException if it cannot be deregistered; it stays registered
     */
    public final int evict(MemorySegment segment) {
        return registrations.evict(segment);
    }

    /**
     * Deregisters all memory that has no lease out. Blocks.
     *
     * @throws IllegalStateException if this is closed, or a UCX operation uses some of the memory; the rest
     *     is deregistered
     * @throws dev.isthmus.RdmaException if some memory cannot be deregistered; it stays registered
     */
    public final void evictIdle() {
        registrations.evictIdle();
    }

    /**
     * How much memory is registered.
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
     * How many times memory was registered because it was not found. Compare it with the number of acquires to see how
     * well the cache works.
     *
     * @return how many times, since this was created
     */
    public final long registered() {
        return registrations.created();
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
     * Deregisters everything. Does nothing the second time. Blocks.
     *
     * @throws IllegalStateException if leases are out, with a message that says how many; or a UCX operation uses
     *     memory whose lease was released. You can try again
     * @throws dev.isthmus.RdmaException if some memory cannot be deregistered; you can try again
     */
    @Override
    public final void close() {
        registrations.close();
    }

    /** The class, and its domain or context. */
    @Override
    public final String toString() {
        return registrations.toString();
    }
}
