// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.internal.ArenaGuard;
import dev.isthmus.internal.ArenaUse;
import dev.isthmus.internal.HotPath;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.StringJoiner;

/**
 * The guarded arenas that one worker's operations use. An operation counts in the arena of its buffer before C gets it,
 * and until it has ended. Used on the worker's thread, except for questions from the close of an arena.
 */
final class ArenaHolds implements ArenaUse.User {

    private static final int FIRST_PRUNE = 16;

    private final WorkerCore worker;
    private final RequestSlots slots;
    private Runnable queryAll = () -> {};
    private final HashMap<MemorySegment.Scope, ArenaUse> uses = new HashMap<>();
    private int usesToPrune = FIRST_PRUNE;

    // Most operations use the same arena as the one before. Memory of an automatic arena stays until the next one.
    private MemorySegment.Scope lastScope;
    private ArenaUse last; // null if that is not guarded
    private volatile boolean closed;

    ArenaHolds(WorkerCore worker, RequestSlots slots) {
        this.worker = worker;
        this.slots = slots;
    }

    /** Sets what asks C which operations have ended. */
    void setQuery(Runnable query) {
        queryAll = query;
    }

    /**
     * Counts an operation that is about to begin with memory of an arena.
     *
     * @return what to release when it ends; null if the arena is not guarded
     * @throws IllegalStateException if the arena is closed
     */
    @HotPath
    @SuppressWarnings("ReferenceEquality") // segments of an arena share a scope; if not, this is only slower
    ArenaUse begin(MemorySegment.Scope scope) {
        if (scope != lastScope) {
            lookUp(scope);
        }
        ArenaUse use = last;
        return use == null ? null : use.begin();
    }

    @HotPath
    private void lookUp(MemorySegment.Scope scope) {
        ArenaUse use = uses.get(scope);
        last = use == null ? make(scope) : use;
        lastScope = scope;
    }

    private ArenaUse make(MemorySegment.Scope scope) {
        ArenaGuard guard = ArenaGuard.of(scope);
        if (guard == null) {
            return null;
        }
        if (uses.size() >= usesToPrune) {
            uses.values().removeIf(ArenaUse::isClosed);
            usesToPrune = Math.max(FIRST_PRUNE, 2 * uses.size());
        }
        ArenaUse use = guard.use(this);
        uses.put(scope, use);
        return use;
    }

    /** Counts it in a second arena. If that cannot be used, the first is released, too. */
    @HotPath
    ArenaUse beginSecond(MemorySegment.Scope scope, ArenaUse first) {
        boolean begun = false;
        try {
            ArenaUse second = begin(scope);
            begun = true;
            return second;
        } finally {
            if (!begun) {
                ArenaUse.endOf(first);
            }
        }
    }

    /** The worker is closed: arenas still held are never released. */
    void end() {
        closed = true;
    }

    @Override
    public void update() {
        if (!closed && worker.owner().isCurrent()) {
            queryAll.run();
        }
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    public String describe(ArenaUse use, int count) {
        var kinds = new LinkedHashMap<String, Integer>();
        for (RequestSlot slot : slots.all()) {
            if (slot != null && slot.isTaken() && slot.isUsing(use)) { // the worker's thread may be adding slots
                kinds.merge(RequestSlot.noun(slot.kind), 1, Integer::sum);
            }
        }
        if (kinds.isEmpty()) { // they have just begun or ended on the worker's thread
            kinds.put("operation", count);
        }
        var list = new StringJoiner(
                ", ", "", " of " + worker + (closed ? ", which dropped them when it was closed," : ""));
        for (Map.Entry<String, Integer> kind : kinds.entrySet()) {
            int n = kind.getValue();
            list.add(n + " " + kind.getKey() + (n == 1 ? "" : "s"));
        }
        return list.toString();
    }
}
