// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal;

import static java.lang.invoke.MethodHandles.constant;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.SwitchPoint;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.StringJoiner;
import java.util.concurrent.ConcurrentHashMap;

/**
 * An arena that stays open as long as C uses its memory: its close is refused until then, and can be tried again.
 *
 * <p>Two kinds of users keep it open. What lasts, such as a region, is {@linkplain #hold held} one by one. Operations
 * are counted, in an {@link ArenaUse} for each of those who begin some, because that takes no lock.
 *
 * <p>A guard is found by the scope of a segment. As long as there was never one, nobody looks: {@link #exist()}.
 */
public final class ArenaGuard implements Arena {

    private static final Map<MemorySegment.Scope, ArenaGuard> GUARDS = new ConcurrentHashMap<>();
    private static final int FEW_USES = 16;

    // Valid until there is a guard. The JIT takes it for a constant, and gives up the code that did when it ends.
    private static final SwitchPoint NONE_YET = new SwitchPoint();
    private static final MethodHandle EXIST =
            NONE_YET.guardWithTest(constant(boolean.class, false), constant(boolean.class, true));

    private static volatile boolean known; // to every thread

    private final String name;
    private final Arena arena;
    private final Thread owner; // null if it is shared
    private final ArrayList<Object> holders = new ArrayList<>();
    private final ArrayList<ArenaUse> uses = new ArrayList<>();
    private int usesToPrune = FEW_USES;
    private boolean closed;
    private volatile boolean closing; // also when it is closed

    private ArenaGuard(String name, Arena arena, Thread owner) {
        this.name = name;
        this.arena = arena;
        this.owner = owner;
    }

    private static ArenaGuard published(ArenaGuard guard) {
        guard.publish();
        return guard;
    }

    /** Lets it be found by its segments: before anybody else has one. */
    public void publish() {
        GUARDS.put(arena.scope(), this);
        if (!known) { // two threads may both say so, but neither goes on before it is so
            SwitchPoint.invalidateAll(new SwitchPoint[] {NONE_YET});
            known = true;
        }
    }

    /** An arena that only the calling thread may use. */
    public static ArenaGuard confined(String name) {
        return published(new ArenaGuard(name, Arena.ofConfined(), Thread.currentThread()));
    }

    /** One that any thread may use, and that is not found before it is {@linkplain #publish published}. */
    public static ArenaGuard unpublished(String name) {
        return new ArenaGuard(name, Arena.ofShared(), null);
    }

    /** An arena that any thread may use. */
    public static ArenaGuard shared(String name) {
        return published(new ArenaGuard(name, Arena.ofShared(), null));
    }

    /** Whether there was ever a guard in this process: nothing in compiled code as long as there was none. */
    @HotPath
    public static boolean exist() {
        try {
            return (boolean) EXIST.invokeExact();
        } catch (Throwable t) {
            throw new AssertionError("a constant throws nothing", t);
        }
    }

    /** The guard of a segment's arena, or null. */
    @HotPath
    public static ArenaGuard of(MemorySegment.Scope scope) {
        return GUARDS.get(scope);
    }

    /**
     * Keeps the arena of a segment open until {@link #letGo}.
     *
     * @param holder is named by the message of a close that is refused
     * @return the guard, or null if the arena has none
     * @throws IllegalStateException if the arena is closed
     */
    public static ArenaGuard hold(MemorySegment segment, Object holder) {
        ArenaGuard guard = exist() ? GUARDS.get(segment.scope()) : null;
        if (guard != null) {
            guard.add(holder);
        }
        return guard;
    }

    private synchronized void add(Object holder) {
        checkOpen();
        holders.add(holder);
    }

    /** Ends a {@link #hold}; null is no guard. */
    public static void letGo(ArenaGuard guard, Object holder) {
        if (guard != null) {
            guard.remove(holder);
        }
    }

    @SuppressWarnings("ReferenceEquality") // that very holder
    private synchronized void remove(Object holder) {
        for (int i = holders.size() - 1; i >= 0; i--) {
            if (holders.get(i) == holder) {
                holders.remove(i);
                return;
            }
        }
        throw new AssertionError(holder + " does not hold " + this);
    }

    /**
     * A count of the operations of one user.
     *
     * @throws IllegalStateException if the arena is closed
     */
    public synchronized ArenaUse use(ArenaUse.User user) {
        checkOpen();
        if (uses.size() >= usesToPrune) {
            uses.removeIf(ArenaUse::isOver);
            usesToPrune = Math.max(FEW_USES, 2 * uses.size());
        }
        var use = new ArenaUse(this, user);
        uses.add(use);
        return use;
    }

    boolean isShared() {
        return owner == null;
    }

    @HotPath
    boolean isClosing() {
        return closing;
    }

    /** Whether it is closed, which it stays. */
    public synchronized boolean isClosed() {
        return closed;
    }

    /** Waits for a close on another thread to have ended, in which way ever. */
    synchronized void checkOpen() {
        if (closed) {
            throw new IllegalStateException(this + " is closed");
        }
    }

    @Override
    public MemorySegment allocate(long byteSize, long byteAlignment) {
        return arena.allocate(byteSize, byteAlignment);
    }

    @Override
    public MemorySegment.Scope scope() {
        return arena.scope();
    }

    /**
     * Checks that a close would not be refused.
     *
     * @param but a holder that does not count
     * @throws IllegalStateException if something else uses the memory
     */
    public void checkUnused(Object but) {
        askUsers();
        synchronized (this) {
            refuseIfUsed(but);
        }
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // that very thread
    public void close() {
        if (owner != null && owner != Thread.currentThread()) {
            throw new WrongThreadException(this + " belongs to thread " + owner.getName() + ", not to "
                    + Thread.currentThread().getName());
        }
        askUsers();
        synchronized (this) {
            boolean done = closed;
            try {
                closing = true;
                VarHandle.fullFence(); // an operation counts, then looks whether this is closing: see ArenaUse
                refuseIfUsed(null);
                arena.close(); // says so when it is closed already, or another thread is in the middle of an access
                done = true;
            } finally {
                closed = done;
                closing = done;
            }
            GUARDS.remove(arena.scope());
            uses.clear();
        }
    }

    /** Whether its close would be refused. */
    public boolean isUsed() {
        askUsers();
        synchronized (this) {
            boolean used = !holders.isEmpty();
            for (ArenaUse use : uses) {
                used |= use.count() > 0;
            }
            return used;
        }
    }

    /** Closes it whatever uses it: C's memory goes in any case. */
    public synchronized void closeAnyway() {
        arena.close();
        closed = true;
        closing = true;
        GUARDS.remove(arena.scope());
        uses.clear();
    }

    /**
     * Gives up on operations that their user dropped: for memory that is then left to the process.
     *
     * @return whether there were any
     */
    public synchronized boolean forgetDropped() {
        return uses.removeIf(ArenaUse::isDropped);
    }

    // Not with the lock: they end uses. What has ended need not have been asked about.
    private void askUsers() {
        ArrayList<ArenaUse> all;
        synchronized (this) {
            all = new ArrayList<>(uses);
        }
        for (ArenaUse use : all) {
            use.askUser();
        }
    }

    @SuppressWarnings("ReferenceEquality")
    private void refuseIfUsed(Object but) {
        var counts = new LinkedHashMap<String, Integer>();
        for (ArenaUse use : uses) {
            if (use.count() > 0) {
                counts.put(use.describe(), 0);
            }
        }
        for (Object holder : holders) {
            if (holder != but) {
                counts.merge(holder.toString(), 1, Integer::sum);
            }
        }
        if (counts.isEmpty()) {
            return;
        }
        var list = new StringJoiner(", and ");
        counts.forEach((what, n) -> list.add(n == 0 ? what : n + " " + what));
        throw new IllegalStateException(
                this + " cannot be closed yet: " + list + " still use its memory. Operations must"
                        + " have ended (progress their worker, cancel receives), and regions be closed");
    }

    /** The arena as messages name it. */
    @Override
    public String toString() {
        return name;
    }
}
