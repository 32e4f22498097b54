// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.safety;

import static dev.isthmus.safety.Action.action;

import dev.isthmus.GuardedArena;
import dev.isthmus.buffers.RegistrationCache;
import dev.isthmus.ucx.UcpRequests;
import dev.isthmus.ucx.UcpWorker;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Memory for operations, in arenas that are closed sooner or later, and the operations that were begun. */
final class UcxBuffers {

    static final long BYTES = 1 << 17;
    private static final int MOST = 300; // operations that are remembered

    /** Memory of an arena. */
    record Buffer(MemorySegment segment) {}

    private record Begun(Thing worker, Thing buffer, long request) {}

    /** For payloads, which keep it for as long as they like. */
    final MemorySegment lasting = Arena.global().allocate(BYTES, 64);

    private final List<Begun> begun = new ArrayList<>(); // guarded by itself, as is what follows
    private final Set<Thing> forever = new HashSet<>(); // memory of which it is not known when UCX is done with it

    List<Action> all() {
        return List.of(
                action("memory", 2, this::allocate),
                action("close memory", 2, this::close),
                action("end an operation", 3, this::end, Reason.ARGUMENT, Reason.BUSY));
    }

    void allocate(Worker w) {
        if (w.countOpen(Arena.class) >= UcxPeers.MOST) {
            throw new Worker.NothingThere(); // but what is closed first
        }
        Arena arena = w.chance(3) ? Arena.ofShared() : GuardedArena.ofShared();
        w.part(Buffer.class, new Buffer(arena.allocate(BYTES, 64)), w.made(Arena.class, arena));
    }

    /** This worker's memory, open or closed. */
    Thing any(Worker w) {
        Thing buffer = w.mine(Buffer.class);
        w.expected.uses(buffer, Expectation.Use.OPEN);
        return buffer;
    }

    static MemorySegment segment(Thing buffer) {
        return ((Buffer) buffer.object).segment();
    }

    /**
     * Closes a guarded arena at any time, but a plain one only when no pending operation uses it, because C does
     * not ask.
     */
    private void close(Worker w) throws Exception {
        Thing arena = w.mine(Arena.class);
        List<Begun> using;
        synchronized (begun) {
            using = begun.stream()
                    .filter(one -> one.buffer != null && one.buffer.isPartOf(arena))
                    .toList();
            if (forever.stream().anyMatch(one -> one.isPartOf(arena))) {
                w.world.forget(arena);
                throw new Worker.NothingThere();
            }
        }
        if (!(arena.object instanceof GuardedArena) && !using.isEmpty()) {
            throw new Worker.NothingThere();
        }
        if (!using.isEmpty()) {
            w.expected.may(Reason.IN_USE);
        }
        if (arena.object instanceof GuardedArena && w.countOpen(RegistrationCache.class) > 0) {
            w.expected.may(Reason.IN_USE, Reason.DEVICE); // an operation uses what a cache has registered
        }
        if (using.stream().anyMatch(one -> isPending(w, one))) {
            w.expected.must(Reason.IN_USE);
        }
        w.close(arena);
    }

    /** Whether an operation of this thread is certainly not done. */
    private static boolean isPending(Worker w, Begun one) {
        if (!one.worker.isOpen()
                || !Thread.currentThread().equals(one.worker.seen().owner())) {
            return false;
        }
        w.expected.uses(one.worker, Expectation.Use.OWN);
        return !((UcpWorker) one.worker.object).requests().isDone(one.request);
    }

    /** Notes an operation, which uses this memory or, if it is null, none that is ever closed. */
    void began(Thing by, Thing buffer, long request) {
        synchronized (begun) {
            if (request > 0 && begun.size() < MOST) {
                begun.add(new Begun(by.whole(), buffer, request));
            } else if (request > 0 && buffer != null) {
                forever.add(buffer);
            }
        }
    }

    /** A worker is about to be closed: a peer may reach the memory of pending operations for an unknown time. */
    void closing(Worker w, Thing worker) {
        w.expected.uses(worker, Expectation.Use.CLOSE);
        if (!worker.isOpen()) {
            return;
        }
        UcpRequests requests = ((UcpWorker) worker.object).requests();
        synchronized (begun) {
            begun.stream()
                    .filter(one -> one.worker == worker && one.buffer != null && !requests.isDone(one.request))
                    .forEach(one -> forever.add(one.buffer));
        }
    }

    /** A worker stays open, and so does the memory that it uses. */
    void leave(World world, Thing worker) {
        synchronized (begun) {
            world.open(Arena.class).stream()
                    .filter(arena -> begun.stream()
                            .anyMatch(one -> one.worker == worker && one.buffer != null && one.buffer.isPartOf(arena)))
                    .forEach(world::forget);
        }
    }

    /** Memory that a peer may reach for an unknown time stays open. */
    void leaveForever(World world) {
        synchronized (begun) {
            world.open(Arena.class).stream()
                    .filter(arena -> forever.stream().anyMatch(one -> one.isPartOf(arena)))
                    .forEach(world::forget);
        }
    }

    /** A worker was closed, and its operations with it. */
    void closed(Thing worker) {
        synchronized (begun) {
            begun.removeIf(one -> one.worker == worker);
        }
    }

    private void end(Worker w) {
        Begun one;
        synchronized (begun) {
            one = w.any(begun);
        }
        w.expected.uses(one.worker, Expectation.Use.OWN);
        UcpRequests requests = ((UcpWorker) one.worker.object).requests();
        if (w.chance(20)) {
            requests.isDone(w.random.nextLong());
        }
        if (w.chance(2)) {
            requests.cancel(one.request);
        }
        requests.isDone(one.request);
        requests.length(one.request);
        requests.release(one.request);
        synchronized (begun) {
            begun.remove(one);
        }
    }
}
