// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.matrix;

import dev.isthmus.ucx.UcpActiveMessages;
import dev.isthmus.ucx.UcpPackedData;
import dev.isthmus.ucx.UcpWorker;
import java.lang.foreign.MemorySegment;
import java.time.Duration;

/** Where the program's part of a cell runs: in which kind of handler, or else right after a close. */
@SuppressWarnings({"FutureReturnValueIgnored", "ImmutableEnumChecker"}) // the cell awaits the part
enum UcxPlace {
    /** A handler of active messages whose data has come. */
    ACTIVE_MESSAGE((s, inside) -> s.sendToPlace(0, inside)),
    /** One whose data is still with the sender, who wants an answer. */
    RENDEZVOUS((s, inside) -> s.sendToPlace(UcpActiveMessages.REPLY | UcpActiveMessages.RENDEZVOUS, inside)),
    PACKER((s, inside) -> {
        s.theirs.tagReceive(s.filled(UcxScene.LONG, (byte) 'x'), UcxScene.PLACE_TAG);
        boolean[] begun = {false};
        s.one.tagSend(
                UcpPackedData.packing(s.mine, UcxScene.LONG, (offset, target) -> {
                    target.fill((byte) 'x');
                    if (begun[0]) {
                        inside.run();
                    }
                }),
                UcxScene.PLACE_TAG);
        begun[0] = true;
        s.push();
    }),
    UNPACKER((s, inside) -> {
        s.mine.tagReceive(
                UcpPackedData.unpacking(s.mine, UcxScene.SHORT, (offset, from) -> inside.run()),
                UcxScene.PLACE_TAG,
                UcpWorker.EXACT_TAG);
        s.back.tagSend(s.source, 0, UcxScene.SHORT, UcxScene.PLACE_TAG);
        s.push();
    }),
    RECEIVED((s, inside) -> {
        MemorySegment to = s.filled(UcxScene.SHORT, (byte) 'x');
        s.mine.tagReceiveAsync(to, UcxScene.PLACE_TAG, UcpWorker.EXACT_TAG).whenComplete((r, t) -> inside.run());
        s.back.tagSend(s.source, 0, UcxScene.SHORT, UcxScene.PLACE_TAG);
        s.push();
    }),
    SENT((s, inside) -> {
        s.theirs.tagReceive(s.filled(UcxScene.LONG, (byte) 'x'), UcxScene.PLACE_TAG);
        s.one.tagSendAsync(s.source.asSlice(0, UcxScene.LONG), UcxScene.PLACE_TAG)
                .whenComplete((r, t) -> inside.run());
        s.push();
    }),
    GOT((s, inside) -> {
        s.remote().getAsync(s.source, 0).whenComplete((r, t) -> inside.run());
        s.push();
    }),
    ENDPOINT_CLOSED((s, inside) -> {
        s.theirs.tagReceive(s.filled(UcxScene.LONG, (byte) 'x'), UcxScene.PLACE_TAG);
        s.two.tagSendAsync(s.source.asSlice(0, UcxScene.LONG), UcxScene.PLACE_TAG);
        s.two.closeAsync().whenComplete((r, t) -> inside.run());
        s.push();
    }),
    ERROR((s, inside) -> {
        s.accepted();
        s.onError(inside);
        s.endConnection();
    }),
    CONNECTION((s, inside) -> {
        s.listener();
        s.onConnection(inside);
        s.ask();
        s.push();
    }),
    TASK((s, inside) -> s.loop.execute(inside)),
    TIMER((s, inside) -> s.loop.schedule(Duration.ZERO, inside)),
    COMPLETIONS((s, inside) -> {
        s.onCompletions(inside);
        s.mine.tagReceive(s.buffer().userData(1), UcxScene.PLACE_TAG, UcpWorker.EXACT_TAG);
        s.back.tagSend(s.source, 0, UcxScene.SHORT, UcxScene.PLACE_TAG);
        s.push();
    });

    /** How a part comes to be run, at the next progress. */
    @FunctionalInterface
    interface Arrangement {
        void arrange(UcxScene scene, Runnable inside);
    }

    private final Arrangement arrangement;

    UcxPlace(Arrangement arrangement) {
        this.arrangement = arrangement;
    }

    boolean needsSockets() {
        return this == ERROR || this == CONNECTION;
    }

    boolean needsLoop() {
        return this == TASK || this == TIMER || this == COMPLETIONS;
    }

    void arrange(UcxScene scene, Runnable inside) {
        arrangement.arrange(scene, inside);
    }
}
