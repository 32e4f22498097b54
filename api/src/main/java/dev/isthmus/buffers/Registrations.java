// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.buffers;

import dev.isthmus.internal.Libc;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;

/**
 * What all kinds of registration caches have in common. The lock guards look-ups and counts. It is never held while
 * memory is registered or deregistered, so other threads can go on.
 *
 * <p>A registration is being created (one lease, no memory yet), in use (leases), idle (no leases; in the list from the
 * oldest to the newest), or being ended (no longer found). One that could not be ended is neither in use nor in the
 * list, and returns to the list after its next use.
 */
final class Registrations<M> {

    private final String name;
    private final Registrar<M> registrar;
    private final long maxBytes;
    private final int maxRegistrations;
    private final long pageMask = Libc.pageSize() - 1;

    private final HashMap<MemorySegment.Scope, ScopeRegistrations<M>> scopes = new HashMap<>();
    private final Leases<M> leases = new Leases<>();
    private CachedRegistration<M> oldest; // of the idle ones
    private CachedRegistration<M> newest;
    private long pinnedBytes; // of all registrations, including those that are being created or ended
    private int count;
    private long idleBytes;
    private int idle;
    private int ending;
    private long created;
    private RuntimeException refusal; // of the last registration that could not be ended
    private boolean closed;

    Registrations(String name, Registrar<M> registrar, long maxBytes, int maxRegistrations) {
        this.name = name;
        this.registrar = registrar;
        this.maxBytes = maxBytes;
        this.maxRegistrations = maxRegistrations;
    }

    static void check(long maxBytes, int maxRegistrations) {
        if (maxBytes <= 0 || maxRegistrations <= 0) {
            throw new IllegalArgumentException("the bounds of a cache are not positive: " + maxBytes + " bytes, "
                    + maxRegistrations + " registrations");
        }
    }

    /** Leases memory that covers a segment, or throws. */
    long acquire(MemorySegment segment) {
        long lease = tryAcquire(segment);
        if (lease == 0) {
            throw exhausted(segment);
        }
        return lease;
    }

    private synchronized IllegalStateException exhausted(MemorySegment segment) {
        return new IllegalStateException(
                String.format(
                        Locale.ROOT,
                        "%s has no room for %,d bytes: %,d leases are out, %,d registrations of %,d bytes are in use, and its"
                                + " bounds are %,d registrations and %,d bytes; release leases, or make it with higher bounds",
                        this,
                        segment.byteSize(),
                        leases.out(),
                        count - idle,
                        pinnedBytes - idleBytes,
                        maxRegistrations,
                        maxBytes),
                refusal);
    }

    /** Like {@link #acquire}, but returns 0 if everything registered is in use, and the bounds leave no room. */
    long tryAcquire(MemorySegment segment) {
        checkUsable(segment);
        long need = pinned(segment);
        boolean interrupted = false;
        try {
            while (true) {
                List<CachedRegistration<M>> victims;
                CachedRegistration<M> added = null;
                synchronized (this) {
                    checkOpen();
                    CachedRegistration<M> found = find(segment);
                    if (found != null && found.memory != null) {
                        return lease(found, segment);
                    }
                    if (found != null || (ending > 0 && !canFit(need))) {
                        interrupted |= await(); // while another thread registers it, or makes room
                        continue;
                    }
                    victims = takeDead();
                    if (canFit(need)) {
                        takeOldest(need, victims);
                    } else if (victims.isEmpty()) {
                        return 0;
                    }
                    if (victims.isEmpty()) {
                        added = begin(segment, need);
                    }
                }
                if (added != null) {
                    return register(added);
                }
                endAll(victims);
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void checkUsable(MemorySegment segment) {
        if (!segment.isNative()) {
            throw new IllegalArgumentException("a heap segment cannot be registered, as the garbage collector moves"
                    + " it: allocate the memory from an Arena");
        }
        if (segment.byteSize() == 0) {
            throw new IllegalArgumentException("an empty segment cannot be registered");
        }
        if (segment.isReadOnly() && registrar.isWritable()) {
            throw new IllegalArgumentException(
                    "a read-only segment cannot be registered by " + this + ", whose registrations let devices write");
        }
        if (!segment.scope().isAlive()) {
            throw new IllegalStateException("the arena of the segment is closed");
        }
        if (!segment.isAccessibleBy(Thread.currentThread())) {
            throw new WrongThreadException(
                    "the segment belongs to another thread's confined arena: allocate it from a shared one");
        }
        if (pinned(segment) > maxBytes) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "a segment of %,d bytes is more than the bound of %s, which is %,d bytes",
                    segment.byteSize(),
                    this,
                    maxBytes));
        }
    }

    private long pinned(MemorySegment segment) {
        long begin = segment.address() & ~pageMask;
        return ((segment.address() + segment.byteSize() + pageMask) & ~pageMask) - begin;
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException(this + " is closed");
        }
    }

    private CachedRegistration<M> find(MemorySegment segment) {
        ScopeRegistrations<M> scope = scopes.get(segment.scope());
        long begin = segment.address();
        return scope == null ? null : scope.covering(begin, begin + segment.byteSize());
    }

    private long lease(CachedRegistration<M> of, MemorySegment segment) {
        if (of.idle) {
            unlink(of);
        }
        of.leases++;
        of.scope.leases(1);
        return leases.begin(of, segment.address() - of.begin, segment.byteSize());
    }

    /** Whether ending all idle registrations would make enough room. */
    private boolean canFit(long need) {
        return pinnedBytes - idleBytes + need <= maxBytes && count - idle < maxRegistrations;
    }

    /** Takes idle registrations whose memory is gone, as nobody can ask for them again. */
    private List<CachedRegistration<M>> takeDead() {
        List<CachedRegistration<M>> dead = new ArrayList<>();
        for (CachedRegistration<M> each = oldest; each != null; ) {
            CachedRegistration<M> next = each.newer;
            if (!each.scope.isAlive()) {
                dead.add(taken(each));
            }
            each = next;
        }
        return dead;
    }

    /** Takes the least recently used registrations until there will be room. */
    private void takeOldest(long need, List<CachedRegistration<M>> victims) {
        long bytes = pinnedBytes + need;
        for (CachedRegistration<M> victim : victims) {
            bytes -= victim.pinnedBytes;
        }
        while (bytes > maxBytes || count + 1 - victims.size() > maxRegistrations) {
            CachedRegistration<M> victim = taken(oldest);
            bytes -= victim.pinnedBytes;
            victims.add(victim);
        }
    }

    /** Removes an idle registration from all look-ups, to end it. */
    private CachedRegistration<M> taken(CachedRegistration<M> victim) {
        if (victim.idle) {
            unlink(victim);
        }
        victim.scope.beginEnd(victim);
        ending++;
        return victim;
    }

    private void link(CachedRegistration<M> used) {
        used.idle = true;
        used.older = newest;
        if (newest == null) {
            oldest = used;
        } else {
            newest.newer = used;
        }
        newest = used;
        idle++;
        idleBytes += used.pinnedBytes;
    }

    private void unlink(CachedRegistration<M> used) {
        used.idle = false;
        if (used.older == null) {
            oldest = used.newer;
        } else {
            used.older.newer = used.newer;
        }
        if (used.newer == null) {
            newest = used.older;
        } else {
            used.newer.older = used.older;
        }
        used.older = null;
        used.newer = null;
        idle--;
        idleBytes -= used.pinnedBytes;
    }

    private CachedRegistration<M> begin(MemorySegment segment, long need) {
        ScopeRegistrations<M> scope = scopes.get(segment.scope());
        if (scope == null) {
            scope = new ScopeRegistrations<>(this, segment.scope());
            scopes.put(segment.scope(), scope);
        }
        var added = new CachedRegistration<>(scope, segment, need);
        added.leases = 1;
        scope.leases(1);
        scope.begin(added);
        pinnedBytes += need;
        count++;
        return added;
    }

    private long register(CachedRegistration<M> added) {
        M memory = null;
        try {
            while (memory == null) {
                memory = registerOrMakeRoom(added);
            }
        } finally {
            if (memory == null) {
                registrationFailed(added);
            }
        }
        synchronized (this) {
            added.memory = memory;
            created++;
            notifyAll();
            return leases.begin(added, 0, added.segment.byteSize());
        }
    }

    private synchronized void registrationFailed(CachedRegistration<M> added) {
        added.scope.leases(-1);
        added.scope.registrationFailed(added);
        removed(added);
        notifyAll();
    }

    /** Returns null if the system allows less than the bound, and a registration can be ended to make room. */
    private M registerOrMakeRoom(CachedRegistration<M> added) {
        try {
            return registrar.register(added.segment);
        } catch (RuntimeException e) {
            CachedRegistration<M> victim = null;
            if (registrar.isLimitReached(e)) {
                synchronized (this) {
                    victim = oldest == null ? null : taken(oldest);
                }
            }
            if (victim == null) {
                throw e;
            }
            endAll(List.of(victim));
            return null;
        }
    }

    private void removed(CachedRegistration<M> ended) {
        pinnedBytes -= ended.pinnedBytes;
        count--;
        ScopeRegistrations<M> scope = ended.scope;
        if (scope.isEmpty() && scopes.remove(scope.scope(), scope)) {
            scope.end();
        }
    }

    /**
     * Ends the registrations that were taken. Those that cannot be ended are found again. Returns why the last of these
     * could not, or null.
     */
    private RuntimeException endAll(List<CachedRegistration<M>> victims) {
        RuntimeException refused = null;
        for (CachedRegistration<M> victim : victims) {
            RuntimeException failure = null;
            try {
                registrar.deregister(victim.memory);
            } catch (RuntimeException e) {
                failure = e;
            }
            synchronized (this) {
                ending--;
                victim.scope.endEnd(failure == null);
                if (failure == null) {
                    removed(victim);
                } else {
                    victim.scope.add(victim);
                    refusal = failure;
                    refused = failure;
                }
                notifyAll();
            }
        }
        return refused;
    }

    /** Ends a lease. */
    void release(long lease) {
        CachedRegistration<M> dead = null;
        synchronized (this) {
            CachedRegistration<M> of = leases.end(index(lease));
            of.leases--;
            of.scope.leases(-1);
            if (of.leases == 0) {
                if (of.scope.isAlive()) {
                    link(of);
                } else {
                    dead = taken(of);
                }
                notifyAll();
            }
        }
        if (dead != null) {
            endAll(List.of(dead));
        }
    }

    private int index(long lease) {
        int index = leases.index(lease);
        if (index < 0) {
            throw new IllegalStateException("0x" + Long.toHexString(lease) + " is no lease of " + this
                    + " that is out: it was released already, or never acquired here");
        }
        return index;
    }

    synchronized M memory(long lease) {
        return leases.registration(index(lease)).memory;
    }

    synchronized long offset(long lease) {
        return leases.offset(index(lease));
    }

    synchronized long length(long lease) {
        return leases.length(index(lease));
    }

    /** Ends the registrations that the close of a guarded arena waits for. */
    void endIdle(ScopeRegistrations<M> scope) {
        List<CachedRegistration<M>> victims = new ArrayList<>();
        synchronized (this) {
            takeUnused(scope, Long.MIN_VALUE, Long.MAX_VALUE, victims);
        }
        endAll(victims);
        boolean interrupted = false;
        synchronized (this) {
            while (scope.isEnding()) { // another thread is ending them
                interrupted |= await();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void takeUnused(ScopeRegistrations<M> scope, long begin, long end, List<CachedRegistration<M>> victims) {
        for (int i = scope.count() - 1; i >= 0; i--) {
            CachedRegistration<M> each = scope.get(i);
            if (each.leases == 0 && each.begin < end && each.end > begin) {
                victims.add(taken(each));
            }
        }
    }

    /** Ends the registrations of a segment's memory; returns how many there were. */
    int evict(MemorySegment segment) {
        List<CachedRegistration<M>> victims = new ArrayList<>();
        synchronized (this) {
            checkOpen();
            ScopeRegistrations<M> scope = scopes.get(segment.scope());
            if (scope != null) {
                long begin = segment.address();
                long end = begin + segment.byteSize();
                refuseIfLeased(scope, begin, end);
                takeUnused(scope, begin, end, victims);
            }
        }
        throwIf(endAll(victims));
        return victims.size();
    }

    private void refuseIfLeased(ScopeRegistrations<M> scope, long begin, long end) {
        int out = 0;
        for (int i = 0; i < scope.count(); i++) {
            CachedRegistration<M> each = scope.get(i);
            out += each.begin < end && each.end > begin ? each.leases : 0;
        }
        if (out > 0) {
            throw new IllegalStateException(
                    "the segment is in use by " + out + (out == 1 ? " lease of " : " leases of ") + this);
        }
    }

    private static void throwIf(RuntimeException refused) {
        if (refused != null) {
            throw refused;
        }
    }

    /** Ends all registrations without a lease. */
    void evictIdle() {
        throwIf(endAll(takeAllUnused(false)));
    }

    private synchronized List<CachedRegistration<M>> takeAllUnused(boolean toClose) {
        if (!toClose) {
            checkOpen();
        } else if (leases.out() > 0 || ending > 0) {
            throw new IllegalStateException(this + " cannot be closed yet: "
                    + (leases.out() > 0
                            ? leases.out() + (leases.out() == 1 ? " lease is" : " leases are") + " out"
                            : "another thread ends registrations")
                    + "; release first what was acquired");
        }
        List<CachedRegistration<M>> victims = new ArrayList<>();
        scopes.values().forEach(scope -> takeUnused(scope, Long.MIN_VALUE, Long.MAX_VALUE, victims));
        return victims;
    }

    void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
        }
        throwIf(endAll(takeAllUnused(true)));
        synchronized (this) {
            if (count > 0) { // registered meanwhile
                throw new IllegalStateException(this + " cannot be closed yet: another thread uses it");
            }
            closed = true;
        }
    }

    /** Waits for a change, holding the lock; returns whether the thread was interrupted meanwhile. */
    @SuppressWarnings("WaitNotInLoop") // the callers loop
    private boolean await() {
        try {
            wait();
            return false;
        } catch (InterruptedException e) {
            return true;
        }
    }

    synchronized long pinnedBytes() {
        return pinnedBytes;
    }

    synchronized int count() {
        return count;
    }

    synchronized int leasesOut() {
        return leases.out();
    }

    synchronized long created() {
        return created;
    }

    /** The cache as it appears in error messages. */
    @Override
    public String toString() {
        return name;
    }
}
