// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.internal.ArenaGuard;
import java.lang.foreign.MemorySegment;

/**
 * Memory and its region, which are closed together in the right order. Any thread may use it.
 *
 * <p>The program that allocates it owns it: see {@link ProtectionDomain#allocate(long, AccessFlag...)}.
 */
public final class RegisteredMemory implements AutoCloseable {

    private final ArenaGuard arena;
    private final MemoryRegion region;

    private RegisteredMemory(ArenaGuard arena, MemoryRegion region) {
        this.arena = arena;
        this.region = region;
    }

    static RegisteredMemory allocate(ProtectionDomain pd, PageMemory pages, long bytes, AccessFlag... access) {
        ArenaGuard arena = ArenaGuard.shared("RegisteredMemory(" + bytes + " bytes)");
        boolean made = false;
        try {
            var memory = new RegisteredMemory(arena, pd.register(pages.allocate(arena, bytes), access));
            made = true;
            return memory;
        } finally {
            if (!made) {
                arena.close();
            }
        }
    }

    /**
     * The region, for requests. You need not close it; {@link #close} does.
     *
     * @return the region of all of the memory
     */
    public MemoryRegion region() {
        return region;
    }

    /**
     * The memory.
     *
     * @return the segment
     */
    public MemorySegment segment() {
        return region.segment();
    }

    /**
     * Deregisters the region, then frees the memory. Requests that use it should have completed, or the device fails
     * them. No other thread may be posting an {@linkplain SendRequest#inline inline} one: C could read freed memory.
     * Later posts are refused. Does nothing if it is closed already.
     *
     * @throws IllegalStateException if another region of the memory is open, a UCX operation uses it, or another thread
     *     is in a call that does; you can try again
     * @throws dev.isthmus.VerbsException if the region cannot be deregistered; the memory stays, and you can try again
     */
    @Override
    public void close() {
        if (!arena.isClosed()) {
            arena.checkUnused(region.lifetime());
            region.close();
            arena.close();
        }
    }

    /** The class and the region. */
    @Override
    public String toString() {
        return "RegisteredMemory(" + region + ")";
    }
}
