package dev.isthmus.safety;

import static dev.isthmus.safety.Action.action;

import dev.isthmus.ucx.UcpRequests;
import dev.isthmus.ucx.UcpWorker;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Memory for operations, of arenas that are closed sooner or later, and the operations that were begun. */
final class UcxBuffers {

    static final long BYTES = 1 << 17;
    private static final int MOST = 300; // operations that are remembered

    /** Memory of an arena. */
    record Buffer(MemorySegment segment) {}

    private record Begun(Thing worker, Thing buffer, long request) {}

    /** For payloads, which keep it for as long as they please. */
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
        Arena arena = Arena.ofShared();
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

    /** Plain arenas are closed only when nothing that is pending uses them: C does not ask. */
    private void close(Worker w) throws Exception {
        Thing arena = w.mine(Arena.class);
        synchronized (begun) {
            if (forever.stream().anyMatch(one -> one.isPartOf(arena))) {
                w.world.forget(arena);
                throw new Worker.NothingThere();
            }
            if (begun.stream().anyMatch(one -> one.buffer != null && one.buffer.isPartOf(arena))) {
                throw new Worker.NothingThere();
            }
        }
        w.close(arena);
    }

    /** Notes an operation, which uses memory or, if null, none that is ever closed. */
    void began(Thing by, Thing buffer, long request) {
        synchronized (begun) {
            if (request > 0 && begun.size() < MOST) {
                begun.add(new Begun(by.whole(), buffer, request));
            } else if (request > 0 && buffer != null) {
                forever.add(buffer);
            }
        }
    }

    /** A worker is about to be closed: what is pending then, a peer may reach for who knows how long. */
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
