// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.buffers;

import dev.isthmus.internal.ArenaGuard;
import dev.isthmus.internal.ArenaUse;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * The registrations of memory of one scope: of an arena, or a buffer. While the scope is alive, its addresses keep
 * their meaning; a later mapping at the same address has another scope. Changes need the cache's lock.
 *
 * <p>While there are any, a guarded arena asks here before it is closed, and unused registrations are then ended.
 */
final class ScopeRegistrations<M> implements ArenaUse.User {

    private final Registrations<M> cache;
    private final MemorySegment.Scope scope;
    private ArenaUse use; // null if the arena is not guarded
    private CachedRegistration<M>[] all = array(2); // sorted by their first address
    private int count;
    private long longest;
    private int registered; // including those that are being ended, and no longer found
    private int ending;
    private volatile int leases; // a close reads it without the lock
    private volatile boolean closed;

    /**
     * Creates an empty set.
     *
     * @throws IllegalStateException if the arena is closed
     */
    ScopeRegistrations(Registrations<M> cache, MemorySegment.Scope scope) {
        this.cache = cache;
        this.scope = scope;
        ArenaGuard guard = ArenaGuard.exist() ? ArenaGuard.of(scope) : null;
        this.use = guard == null ? null : guard.use(this).begin();
    }

    @SuppressWarnings("unchecked")
    private static <M> CachedRegistration<M>[] array(int length) {
        return (CachedRegistration<M>[]) new CachedRegistration<?>[length];
    }

    MemorySegment.Scope scope() {
        return scope;
    }

    boolean isAlive() {
        return scope.isAlive();
    }

    /** A registration is being created. */
    void begin(CachedRegistration<M> begun) {
        registered++;
        add(begun);
    }

    /** A registration is being ended, and no longer found. */
    void beginEnd(CachedRegistration<M> victim) {
        ending++;
        remove(victim);
    }

    /** A registration was ended, or could not be. */
    void endEnd(boolean ended) {
        ending--;
        registered -= ended ? 1 : 0;
    }

    /** A registration could not be created. */
    void registrationFailed(CachedRegistration<M> begun) {
        registered--;
        remove(begun);
    }

    boolean isEnding() {
        return ending > 0;
    }

    boolean isEmpty() {
        return registered == 0;
    }

    int count() {
        return count;
    }

    CachedRegistration<M> get(int index) {
        return all[index];
    }

    /** A registration that covers a range, or null. */
    CachedRegistration<M> covering(long begin, long end) {
        for (int i = firstBehind(begin) - 1; i >= 0 && all[i].begin + longest >= end; i--) {
            if (all[i].end >= end) {
                return all[i];
            }
        }
        return null;
    }

    private int firstBehind(long address) {
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (all[middle].begin <= address) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    void add(CachedRegistration<M> added) {
        if (count == all.length) {
            all = Arrays.copyOf(all, 2 * count);
        }
        int index = firstBehind(added.begin);
        System.arraycopy(all, index, all, index + 1, count - index);
        all[index] = added;
        count++;
        longest = Math.max(longest, added.end - added.begin);
    }

    @SuppressWarnings("ReferenceEquality") // identity is meant
    private void remove(CachedRegistration<M> removed) {
        int index = firstBehind(removed.begin) - 1;
        while (all[index] != removed) {
            index--;
        }
        count--;
        System.arraycopy(all, index + 1, all, index, count - index);
        all[count] = null;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // the lock is held
    void leases(int change) {
        leases += change;
    }

    /** There will be no more registrations. */
    void end() {
        if (use != null) {
            use.end();
        }
        closed = true;
    }

    @Override
    public void update() {
        cache.endIdle(this);
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    public String describe(ArenaUse counted, int number) {
        int n = leases;
        return n == 0 ? "registrations of " + cache : n + (n == 1 ? " lease of " : " leases of ") + cache;
    }
}
