// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.matrix;

import dev.isthmus.ucx.UcpActiveMessages;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** What an object has given to the program, or to UCX, and how it is used after one of its parents was closed. */
@SuppressWarnings({"FutureReturnValueIgnored", "ImmutableEnumChecker"}) // the close decides how it ends
enum UcxLoan {
    STREAM_DATA(UcxScene::streamData, s -> s.streamData().segment()),
    KEPT(UcxScene::kept, s -> s.kept().segment()),
    KEPT_RENDEZVOUS(
            UcxScene::keptRendezvous, s -> s.keptRendezvous().receiveAsync(s.filled(UcxScene.SHORT, (byte) 'x'))),
    TAKEN(UcxScene::taken, s -> s.taken().receiveAsync(s.filled(UcxScene.SHORT, (byte) 'x'))),
    PACKED_KEY(UcxScene::key, s -> s.closing(s.two.unpack(s.key()))),
    REMOTE(UcxScene::remote, s -> s.remote().getImplicit(s.source, 0, 8, 0)),
    REGISTERED(UcxScene::memory, s -> s.memory().packKey()),
    SLICE(UcxScene::slice, s -> s.pool().memory(s.slice()).packKey()),
    LEASE(UcxScene::lease, s -> s.cache().memory(s.lease()).packKey()),
    COMPLETIONS(UcxScene::completions, s -> {
        int ignored = s.mine.poll(s.completions());
    }),
    POSTED_RECEIVE(UcxScene::request, s -> s.mine.requests().isDone(s.request())),
    SEND(UcxScene::sendBusily, s -> {}),
    GET(UcxScene::getBusily, s -> {}),
    SEND_OF_STREAM_DATA(
            s -> send(s, s.streamData().segment()), s -> s.streamData().release()),
    SEND_OF_KEPT(s -> send(s, s.kept().segment()), s -> s.kept().close());

    private final UcxClosing.Step take;
    private final UcxClosing.Step use;

    UcxLoan(UcxClosing.Step take, UcxClosing.Step use) {
        this.take = take;
        this.use = use;
    }

    /** By rendezvous, so that UCX reads the bytes later. */
    private static void send(UcxScene s, MemorySegment lent) {
        UcxScene.sent(s.mine, s.two.amSend(UcxScene.CHECKED, MemorySegment.NULL, lent, UcpActiveMessages.RENDEZVOUS));
    }

    /** The matrix of the closes of everything during every loan. */
    static List<Cell> all(UcxScene.Shared shared) {
        List<Cell> cells = new ArrayList<>();
        for (UcxClosing closing : UcxClosing.values()) {
            if (closing != UcxClosing.NOTHING && (shared.hasSockets() || !closing.needsSockets())) {
                for (UcxLoan loan : values()) {
                    for (int variant = 0; variant < 4; variant++) {
                        cells.add(loan.during(closing, shared, variant % 2 == 1, variant / 2 == 1));
                    }
                }
            }
        }
        return cells;
    }

    private Cell during(UcxClosing closing, UcxScene.Shared shared, boolean isLooped, boolean isPeerIdle) {
        String name = "close of " + closing + " during " + this + (isLooped ? " on a loop" : "")
                + (isPeerIdle ? " with an idle peer" : "");
        return new Cell(name, () -> {
            var scene = new UcxScene(shared, isLooped, 0);
            take.on(scene);
            closing.prepare(scene);
            if (!isPeerIdle) {
                scene.pumpPeer();
            }
            closing.close(scene);
            scene.lenient(() -> use.on(scene));
            scene.overwriteFreed();
            closing.close(scene);
            List<String> faults = scene.finish(true);
            if (!faults.isEmpty()) {
                throw new AssertionError(String.join("\n", faults));
            }
        });
    }
}
