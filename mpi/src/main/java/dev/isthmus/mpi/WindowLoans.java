// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import java.util.Arrays;

/**
 * The arenas whose memory one-sided calls of a window may still use: each is kept open until what completes the calls. MPI
 * completes them by target; here it is known of all together to which one they went, or that it was more than one.
 */
final class WindowLoans {

    private static final int SEVERAL = -1;

    private final boolean concurrent; // other threads may begin something while one completes
    private GuardedArena[] arenas = new GuardedArena[4]; // each once
    private int count;
    private int target; // of all, or SEVERAL
    private int locks;

    WindowLoans(boolean concurrent) {
        this.concurrent = concurrent;
    }

    /** A call to a rank is about to use memory of an arena, or of none that is guarded. */
    @HotPath
    void lend(GuardedArena arena, int rank) {
        if (arena == null || rank < 0) {
            return; // of PROC_NULL it is complete at once
        }
        if (concurrent) {
            synchronized (this) {
                add(arena, rank);
            }
        } else {
            add(arena, rank);
        }
    }

    @HotPath
    @SuppressWarnings("ReferenceEquality") // identity is meant
    private void add(GuardedArena arena, int rank) {
        boolean found = false;
        for (int i = 0; i < count; i++) {
            found |= arenas[i] == arena;
        }
        if (!found) {
            arena.begin();
            if (count == arenas.length) {
                arenas = Arrays.copyOf(arenas, 2 * count);
            }
            arenas[count++] = arena;
        }
        target = (count == 1 && !found) || target == rank ? rank : SEVERAL;
    }

    @HotPath
    void locked() {
        if (concurrent) {
            synchronized (this) {
                locks++;
            }
        } else {
            locks++;
        }
    }

    /** Ends them if nothing else can be under way. */
    @HotPath
    void unlocked(int rank) {
        if (concurrent) {
            synchronized (this) {
                locks--;
                if (locks == 0) {
                    end();
                }
            }
        } else {
            locks--;
            if (locks == 0 || target == rank) {
                end();
            }
        }
    }

    @HotPath
    void flushed(int rank) {
        if (!concurrent && target == rank) {
            end();
        }
    }

    @HotPath
    void flushedAll() {
        if (!concurrent) {
            end();
        }
    }

    /** An epoch of all threads has ended. */
    @HotPath
    void ended() {
        if (concurrent) {
            synchronized (this) {
                end();
            }
        } else {
            end();
        }
    }

    @HotPath
    private void end() {
        while (count > 0) {
            arenas[--count].end();
            arenas[count] = null;
        }
    }
}
