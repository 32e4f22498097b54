// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.internal.ArenaGuard;
import dev.isthmus.internal.HotPath;
import java.lang.foreign.MemorySegment;

/**
 * The segment of memory that UCX has lent, created when the program asks for it. Whoever gives the memory back to UCX
 * ends the segment first, which is refused while C or another thread reads it.
 */
final class LentSegment {

    private ArenaGuard guard; // null if there is no segment
    private MemorySegment segment;

    /** The segment, read-only. */
    @SuppressWarnings("restricted")
    MemorySegment of(long address, long length, Object lender) {
        if (guard == null) {
            guard = ArenaGuard.shared("the segment of " + lender); // the worker may be handed over meanwhile
            segment = MemorySegment.ofAddress(address)
                    .reinterpret(length, guard, null)
                    .asReadOnly();
        }
        return segment;
    }

    /**
     * Ends the segment, if there is one.
     *
     * @throws IllegalStateException if an operation of any worker, or another thread, uses it
     */
    @HotPath
    void end() {
        if (guard != null) {
            guard.close();
            guard = null;
            segment = null;
        }
    }

    /** Ends it unless it is used; returns whether there is none any more. */
    boolean endIfUnused() {
        try {
            end();
            return true;
        } catch (IllegalStateException e) { // the reason does not matter: the caller defers
            return false;
        }
    }

    /**
     * Ends it although operations of a worker use it, which is being closed.
     *
     * @return false if anything else uses it: the segment stays, and so must its memory
     */
    boolean endWithout(ArenaHolds dropped) {
        boolean ended = guard == null || guard.closeWithout(dropped);
        guard = null;
        segment = null;
        return ended;
    }
}
