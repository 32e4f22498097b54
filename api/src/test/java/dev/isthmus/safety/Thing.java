// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.safety;

import dev.isthmus.verbs.MemoryRegion;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * An object under test, and what the model knows of it: whether it is open, who owns it, and what was created from it.
 * While a call that changes that is under way on some thread, the model is unsure.
 */
final class Thing {

    /** An action of a program, which may be refused. */
    @FunctionalInterface
    interface Step {
        void run() throws Exception;
    }

    /** The state at one time; owner and receiver are null if any thread may use it. */
    record Seen(
            boolean closed,
            Thread owner,
            Thread receiver,
            int children,
            int changes,
            boolean unsure,
            int uses,
            int using) {}

    final Object object;
    private final Set<Thing> parents;
    private final Set<Thing> named = ConcurrentHashMap.newKeySet(); // memory that it refers to, and does not hold open
    private final Thing confinedBy; // the one whose thread is this one's, too
    private Thread owner; // null: any thread may use it
    private Thread receiver; // the owner of its receives, which is most often the same
    private boolean closed;
    private boolean lasting; // a close leaves it open
    private int children;
    private int changes;
    private int changing;
    private int uses;
    private int using;

    Thing(Object object, Thread owner, Thing confinedBy, List<Thing> parents) {
        this.object = object;
        this.owner = owner;
        this.receiver = owner;
        this.confinedBy = confinedBy;
        this.parents = new HashSet<>(parents);
        this.parents.forEach(parent -> parent.count(1));
    }

    private synchronized void count(int more) {
        children += more;
        changes++;
    }

    Seen seen() {
        Seen above = confinedBy == null ? null : confinedBy.seen();
        synchronized (this) {
            if (above == null) {
                return new Seen(closed, owner, receiver, children, changes, changing > 0, uses, using);
            }
            return new Seen(
                    closed || above.closed(),
                    above.owner(),
                    above.owner(),
                    children,
                    changes + above.changes(),
                    changing > 0 || above.unsure(),
                    uses,
                    using);
        }
    }

    synchronized boolean isOpen() {
        return !closed;
    }

    /** Memory that was freed. */
    static Thing gone() {
        var thing = new Thing("memory that is gone", null, null, List.of());
        thing.closed = true;
        return thing;
    }

    /** A close leaves it open, because it is not the program's. */
    synchronized void lasts() {
        lasting = true;
    }

    synchronized boolean isLasting() {
        return lasting;
    }

    /** From now on, it needs another one to be open. */
    synchronized void holds(Thing other) {
        if (!closed && parents.add(other)) {
            other.count(1);
        }
    }

    /** Notes that it refers to memory from now on. */
    Thing names(Thing memory) {
        named.add(memory);
        return this;
    }

    /** Notes that it also refers to what another one refers to. */
    Thing namesAsWell(Thing other) {
        named.addAll(other.named);
        return this;
    }

    /** Whether it may refer to freed memory. */
    boolean mayNameClosed() {
        return mayNameClosed(new HashSet<>());
    }

    private boolean mayNameClosed(Set<Thing> seen) {
        return named.stream()
                .anyMatch(one ->
                        seen.add(one) && (one.seen().closed() || one.seen().unsure() || one.mayNameClosed(seen)));
    }

    /** Whether it refers to what may belong to another thread. */
    boolean mayNameOthers() {
        return named.stream()
                .map(one -> one.seen().owner())
                .anyMatch(whose -> whose != null && !whose.equals(Thread.currentThread()));
    }

    /**
     * Whether everything that it refers to is freed, and it is a single region, because a destination gives way to what
     * is set after it.
     */
    boolean surelyNamesClosed() {
        return named.size() == 1
                && named.stream()
                        .allMatch(one ->
                                one.object instanceof MemoryRegion && one.seen().closed());
    }

    /** The object that it is a part of; itself if it is none. */
    Thing whole() {
        return confinedBy == null ? this : confinedBy.whole();
    }

    boolean isMadeOf(Thing other) {
        return parents.contains(other);
    }

    boolean isPartOf(Thing other) {
        return confinedBy != null && (confinedBy == other || confinedBy.isPartOf(other));
    }

    /** Notes that a call that uses it begins or ends. */
    synchronized void used(boolean begins) {
        using += begins ? 1 : -1;
        uses += begins ? 1 : 0;
    }

    /** Closes it; if that is refused, it stays open. */
    void close(Step step) throws Exception {
        change(step, () -> {
            if (!closed && !lasting) {
                closed = true;
                parents.forEach(parent -> parent.count(-1));
            }
        });
    }

    /** Gives it to another thread, or only its sends, or only its receives. */
    void handOver(Expectation.Use what, Thread next, Step step) throws Exception {
        change(step, () -> {
            owner = what == Expectation.Use.RECEIVES ? owner : next;
            receiver = what == Expectation.Use.SENDS ? receiver : next;
        });
    }

    private void change(Step step, Runnable after) throws Exception {
        begin();
        boolean done = false;
        try {
            step.run();
            done = true;
        } finally {
            end(done ? after : () -> {});
        }
    }

    private synchronized void begin() {
        changing++;
        changes++;
    }

    private synchronized void end(Runnable after) {
        after.run();
        changing--;
        changes++;
    }

    @Override
    public String toString() {
        return object.toString();
    }
}
