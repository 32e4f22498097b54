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
 * An arena that stays open as long as C uses its memory: until then its close is refused, and can be tried again.
 *
 * <p>Two kinds of users keep it open. Lasting ones, such as regions, {@linkplain #hold hold} it individually.
 * Operations are counted, in one {@link ArenaUse} for each object that begins operations, because counting takes
 * no lock.
 *
 * <p>A guard is found by the scope of a segment. As long as a process never had one, nothing looks for it:
 * {@link #exist()}.
 */
public final class ArenaGuard implements Arena {

    private static final Map<MemorySegment.Scope, ArenaGuard> GUARDS = new ConcurrentHashMap<>();
    private static final int FEW_USES = 16;

    // Valid until there is a guard; a constant for the JIT: docs/instructions.md, "Lines written for the JIT".
    private static final SwitchPoint NONE_YET = new SwitchPoint();
    private static final MethodHandle EXIST =
            NONE_YET.guardWithTest(constant(boolean.class, false), constant(boolean.class, true));

    private static volatile boolean known; // once every thread knows that there is a guard

    private final String name;
    private final Arena arena;
    private final Thread owner; // null if it is shared
    private final ArrayList<Object> holders = new ArrayList<>();
    private final ArrayList<ArenaUse> uses = new ArrayList<>();
    private int usesToPrune = FEW_USES;
    private boolean closed;
    private volatile boolean closing; // also true once it is closed

    private ArenaGuard(String name, Arena arena, Thread owner) {
        this.name = name;
        this.arena = arena;
        this.owner = owner;
    }

    private static ArenaGuard published(ArenaGuard guard) {
        guard.publish();
        return guard;
    }

    /** Makes it findable by its segments. Call this before any other code has one. */
    public void publish() {
        GUARDS.put(arena.scope(), this);
        if (!known) { // two threads may both do this; neither goes on before it is done
            SwitchPoint.invalidateAll(new SwitchPoint[] {NONE_YET});
            known = true;
        }
    }

    /** An arena that only the calling thread may use. */
    public static ArenaGuard confined(String name) {
        return published(new ArenaGuard(name, Arena.ofConfined(), Thread.currentThread()));
    }

    /** An arena that any thread may use, and that is not found until it is {@linkplain #publish published}. */
    public static ArenaGuard unpublished(String name) {
        return new ArenaGuard(name, Arena.ofShared(), null);
    }

    /** An arena that any thread may use. */
    public static ArenaGuard shared(String name) {
        return published(new ArenaGuard(name, Arena.ofShared(), null));
    }

    /** Whether this process has ever had a guard. */
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
     * Keeps the arena of a segment open until {@link #release}.
     *
     * @param holder the holder, which the message of a refused close names
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

    /** Ends a {@link #hold}; does nothing if the guard is null. */
    public static void release(ArenaGuard guard, Object holder) {
        if (guard != null) {
            guard.remove(holder);
        }
    }

    @SuppressWarnings("ReferenceEquality") // identity is meant
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
     * The count of one user's operations.
     *
     * @throws IllegalStateException if the arena is closed
     */
    public synchronized ArenaUse use(ArenaUse.User user) {
        checkOpen();
        if (uses.size() >= usesToPrune) {
            uses.removeIf(ArenaUse::isFinished);
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

    /** Whether it is closed, for good. */
    public synchronized boolean isClosed() {
        return closed;
    }

    /** Waits until a close on another thread has ended, whatever its outcome. */
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
        updateUsers();
        synchronized (this) {
            refuseIfUsed(but);
        }
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // identity is meant
    public void close() {
        if (owner != null && owner != Thread.currentThread()) {
            throw new WrongThreadException(this + " belongs to thread " + owner.getName() + ", not to "
                    + Thread.currentThread().getName());
        }
        updateUsers();
        synchronized (this) {
            boolean done = closed;
            try {
                closing = true;
                VarHandle.fullFence(); // an operation counts itself, then checks whether this is closing: see ArenaUse
                refuseIfUsed(null);
                arena.close(); // throws if it is closed already, or if another thread is in the middle of an access
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
        updateUsers();
        synchronized (this) {
            boolean used = !holders.isEmpty();
            for (ArenaUse use : uses) {
                used |= use.count() > 0;
            }
            return used;
        }
    }

    /**
     * Closes it although operations of one user use it, which C will not continue.
     *
     * @return false if anything else uses it; then it stays open
     */
    public synchronized boolean closeWithout(ArenaUse.User dropped) {
        closing = true;
        VarHandle.fullFence(); // as in close()
        boolean done = false;
        try {
            boolean used = !holders.isEmpty();
            for (ArenaUse use : uses) {
                used |= use.count() > 0 && !use.isOf(dropped);
            }
            if (!used) {
                arena.close();
                done = true;
            }
        } catch (IllegalStateException e) { // another thread is in the middle of an access
            done = false;
        } finally {
            closed = done;
            closing = done;
        }
        if (done) {
            GUARDS.remove(arena.scope());
            uses.clear();
        }
        return done;
    }

    /**
     * Gives up operations that their user has dropped, for memory that is left to the process.
     *
     * @return whether there were any
     */
    public synchronized boolean removeDropped() {
        return uses.removeIf(ArenaUse::isDropped);
    }

    // Without the lock, as they end uses. Uses that have ended need not be asked about.
    private void updateUsers() {
        ArrayList<ArenaUse> all;
        synchronized (this) {
            all = new ArrayList<>(uses);
        }
        for (ArenaUse use : all) {
            use.updateUser();
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

    /** The arena as it appears in error messages. */
    @Override
    public String toString() {
        return name;
    }
}
