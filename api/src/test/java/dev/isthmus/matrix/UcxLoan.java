// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.matrix;

import java.util.ArrayList;
import java.util.List;

/** What an object has given to the program, or to UCX, and how it is used after one of its parents was closed. */
@SuppressWarnings({"FutureReturnValueIgnored", "ImmutableEnumChecker"}) // the close decides how it ends
enum UcxLoan {
    STREAM_DATA(s -> s.messages.streamData(), s -> s.messages.streamData().segment()),
    KEPT(s -> s.messages.kept(), s -> s.messages.kept().segment()),
    KEPT_RENDEZVOUS(
            s -> s.messages.keptRendezvous(),
            s -> s.messages.keptRendezvous().receiveAsync(s.bytes.filled(UcxBytes.SHORT, UcxBytes.X))),
    TAKEN(s -> s.messages.taken(), s -> s.messages.taken().receiveAsync(s.bytes.filled(UcxBytes.SHORT, UcxBytes.X))),
    PACKED_KEY(s -> s.memories.key(), s -> s.resources.add(s.peers.two.unpack(s.memories.key()))),
    REMOTE(s -> s.memories.remote(), s -> s.memories.remote().getImplicit(s.bytes.source, 0, 8, 0)),
    REGISTERED(s -> s.memories.registered(), s -> s.memories.registered().packKey()),
    SLICE(
            s -> s.memories.slice(),
            s -> s.memories.pool().memory(s.memories.slice()).packKey()),
    LEASE(
            s -> s.memories.lease(),
            s -> s.memories.cache().memory(s.memories.lease()).packKey()),
    COMPLETIONS(s -> s.messages.completions(), s -> {
        int ignored = s.peers.mine.poll(s.messages.completions());
    }),
    POSTED_RECEIVE(s -> s.messages.request(), s -> s.peers.mine.requests().isDone(s.messages.request())),
    SEND(s -> s.traffic.sendBusily(), s -> {}),
    GET(s -> s.memories.getBusily(), s -> {}),
    SEND_OF_STREAM_DATA(
            s -> s.traffic.sendLent(s.messages.streamData().segment()),
            s -> s.messages.streamData().release()),
    SEND_OF_KEPT(
            s -> s.traffic.sendLent(s.messages.kept().segment()),
            s -> s.messages.kept().close());

    private final UcxClosing.Step take;
    private final UcxClosing.Step use;

    UcxLoan(UcxClosing.Step take, UcxClosing.Step use) {
        this.take = take;
        this.use = use;
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
            var scene = new UcxScene(shared, isLooped, UcxScene.SHORT_CLOSE, 0);
            take.on(scene);
            closing.prepare(scene);
            if (!isPeerIdle) {
                scene.peers.pumpPeer();
            }
            closing.close(scene);
            scene.faults.lenient(() -> use.on(scene));
            scene.traffic.overwriteFreed();
            closing.close(scene);
            List<String> faults = scene.finish(true);
            if (!faults.isEmpty()) {
                throw new AssertionError(String.join("\n", faults));
            }
        });
    }
}
