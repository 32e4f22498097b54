// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.safety;

import dev.isthmus.buffers.RegistrationCache;
import dev.isthmus.buffers.SlicePool;
import dev.isthmus.testbed.TestDeadlines;
import dev.isthmus.ucx.UcpContext;
import dev.isthmus.ucx.UcpEndpoint;
import dev.isthmus.ucx.UcpListener;
import dev.isthmus.ucx.UcpMemory;
import dev.isthmus.ucx.UcpRemoteMemory;
import dev.isthmus.ucx.UcpWorker;
import java.util.List;
import java.util.stream.Stream;

/** The child of {@link UcpSafetyTest}: UCX. Arguments: actions, seed, transports, whether peers connect by socket. */
final class UcpSafetyRun {

    private static final int WORKERS = 2;
    private static final int FOREIGN = 3;
    private static final long MOST_CONNECTING_NANOS = TestDeadlines.ofSeconds(5).toNanos();

    private UcpSafetyRun() {}

    public static void main(String[] args) throws Exception {
        var buffers = new UcxBuffers();
        var peers = new UcxPeers(args[2], Boolean.parseBoolean(args[3]), buffers);
        var futures = new UcxFutures();
        var loops = new UcxLoops(futures);
        List<Action> all = Stream.of(
                        peers.all(),
                        buffers.all(),
                        new UcxMessages(buffers, peers.closeOne()).all(),
                        new UcxPayloads(buffers, peers.closeOne()).all(),
                        new UcxMemory(buffers, peers).all(),
                        new UcxPools(buffers).all(),
                        futures.all(),
                        loops.all())
                .flatMap(List::stream)
                .toList();
        Action first = Action.action("first memory", 1, buffers::allocate);
        var engine = new Engine(WORKERS, FOREIGN, Fuzz.Settings.of(args), first, all);
        engine.play(worker -> engine.act(worker, Long.MAX_VALUE));
        engine.finish(() -> {
            loops.closeAll(engine);
            closeAll(engine, peers, buffers, futures);
        });
        engine.exit();
    }

    /**
     * The objects of threads that have ended belong to the first thread that uses them. Children are closed first, once
     * nothing is under way.
     */
    private static void closeAll(Engine engine, UcxPeers peers, UcxBuffers buffers, UcxFutures futures) {
        Worker w = engine.workers.getFirst();
        w.isThisThread(engine);
        peers.leaveSingles(engine.world);
        long end = System.nanoTime() + MOST_CONNECTING_NANOS;
        while (peers.numberConnecting() > peers.numberAsking() && System.nanoTime() - end < 0) {
            w.attempt(Action.action("settle", 1, peers::settle));
        }
        for (Class<?> type : List.of(
                UcpRemoteMemory.class,
                UcpEndpoint.class,
                UcpListener.class,
                UcpWorker.class,
                Pools.Slice.class,
                Pools.Lease.class,
                SlicePool.class,
                RegistrationCache.class,
                UcpMemory.class,
                UcpContext.class)) {
            for (Thing thing : engine.world.open(type)) {
                w.attempt(Action.action(
                        "last close of " + type.getSimpleName(), 1, v -> end(v, buffers, thing), Reason.CALLBACK));
            }
        }
        buffers.leaveForever(engine.world);
        futures.unended().forEach(engine::fault);
    }

    private static void end(Worker w, UcxBuffers buffers, Thing thing) throws Exception {
        if (thing.object instanceof UcpEndpoint endpoint) {
            w.close(thing, endpoint::closeForcibly);
        } else {
            if (thing.object instanceof UcpWorker) {
                buffers.closing(w, thing);
            }
            w.close(thing);
        }
    }
}
