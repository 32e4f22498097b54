// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.matrix;

import dev.isthmus.ucx.UcpActiveMessages;
import dev.isthmus.ucx.UcpPackedData;
import dev.isthmus.ucx.UcpWorker;
import java.lang.foreign.MemorySegment;
import java.time.Duration;

/** Where the program's part of a cell runs: in which kind of handler. */
@SuppressWarnings({"FutureReturnValueIgnored", "ImmutableEnumChecker"}) // the cell awaits the part
enum UcxPlace {
    /** A handler of active messages whose data has come. */
    ACTIVE_MESSAGE((s, inside) -> s.traffic.sendToPlace(0, inside)),
    /** One whose data is still with the sender, who wants an answer. */
    RENDEZVOUS((s, inside) -> s.traffic.sendToPlace(UcpActiveMessages.REPLY | UcpActiveMessages.RENDEZVOUS, inside)),
    PACKER((s, inside) -> {
        s.traffic.expectTagged();
        boolean[] begun = {false};
        s.peers.one.tagSend(
                UcpPackedData.packing(s.peers.mine, UcxBytes.LONG, (offset, target) -> {
                    target.fill(UcxBytes.X);
                    if (begun[0]) {
                        inside.run();
                    }
                }),
                UcxTraffic.PLACE_TAG);
        begun[0] = true;
        s.peers.push();
    }),
    UNPACKER((s, inside) -> {
        s.peers.mine.tagReceive(
                UcpPackedData.unpacking(s.peers.mine, UcxBytes.SHORT, (offset, from) -> inside.run()),
                UcxTraffic.PLACE_TAG,
                UcpWorker.EXACT_TAG);
        s.traffic.sendTagged();
    }),
    RECEIVED((s, inside) -> {
        MemorySegment to = s.bytes.filled(UcxBytes.SHORT, UcxBytes.X);
        s.peers
                .mine
                .tagReceiveAsync(to, UcxTraffic.PLACE_TAG, UcpWorker.EXACT_TAG)
                .whenComplete((r, t) -> inside.run());
        s.traffic.sendTagged();
    }),
    SENT((s, inside) -> {
        s.traffic.expectTagged();
        s.peers
                .one
                .tagSendAsync(s.bytes.source.asSlice(0, UcxBytes.LONG), UcxTraffic.PLACE_TAG)
                .whenComplete((r, t) -> inside.run());
        s.peers.push();
    }),
    GOT((s, inside) -> {
        s.memories.otherRemote().getAsync(s.bytes.source, 0).whenComplete((r, t) -> inside.run());
        s.peers.push();
    }),
    ENDPOINT_CLOSED((s, inside) -> {
        s.traffic.expectTagged();
        s.peers.two.tagSendAsync(s.bytes.source.asSlice(0, UcxBytes.LONG), UcxTraffic.PLACE_TAG);
        s.peers.two.closeAsync().whenComplete((r, t) -> inside.run());
        s.peers.push();
    }),
    WORKER_CLOSED((s, inside) -> {
        s.peers.one.closeAsync();
        s.peers.two.closeAsync();
        s.peers.mine.closeAsync().whenComplete((r, t) -> inside.run());
    }),
    ERROR((s, inside) -> {
        s.connections.accepted();
        s.callbacks.onError(inside);
        s.connections.endConnection();
    }),
    CONNECTION((s, inside) -> {
        s.connections.listener();
        s.callbacks.onConnection(inside);
        s.connections.ask();
        s.peers.push();
    }),
    TASK((s, inside) -> s.peers.loop.execute(inside)),
    TIMER((s, inside) -> s.peers.loop.schedule(Duration.ZERO, inside)),
    COMPLETIONS((s, inside) -> {
        s.callbacks.onCompletions(inside);
        s.peers.mine.tagReceive(s.messages.buffer().userData(1), UcxTraffic.PLACE_TAG, UcpWorker.EXACT_TAG);
        s.traffic.sendTagged();
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

    /** Whether UCX calls the handler, within any call that lets it progress. {@code progress()} calls the others. */
    boolean isCallback() {
        return this == ACTIVE_MESSAGE || this == RENDEZVOUS || this == PACKER || this == UNPACKER;
    }

    /** Whether the handler may answer: UCX drops the message if the endpoint for the answer is closed. */
    boolean isAnswered() {
        return this == RENDEZVOUS;
    }

    /** Whether the close of the worker ends it, at the latest. */
    boolean endsWithWorker() {
        return this == RECEIVED || this == SENT || this == ENDPOINT_CLOSED;
    }

    /** Whether it needs remote memory, which keeps the worker from being closed. */
    boolean holdsWorker() {
        return this == GOT;
    }

    /** Whether something has been closed when the handler runs. */
    boolean closes() {
        return this == ENDPOINT_CLOSED || this == WORKER_CLOSED || this == ERROR;
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
