// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.matrix;

import dev.isthmus.ucx.UcpActiveMessages;
import dev.isthmus.ucx.UcpTagMessage;
import dev.isthmus.ucx.UcpWorker;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** What the peers send to each other, apart from a cell's call. */
final class UcxTraffic {

    static final long PLACE_TAG = 0x100;

    private static final long BUSY_TAG = 0x101;
    private static final long OVERWRITE_TAG = 0x201;
    private static final long CALLS_TAG = 8; // the default of numbers
    private static final byte Y = 'y';
    private static final int ALL_SLOTS = 150; // more than a queue of shared memory has

    private final UcxPeers peers;
    private final UcxBytes bytes;
    private final UcxCallbacks callbacks;
    private final Faults faults;

    UcxTraffic(UcxPeers peers, UcxBytes bytes, UcxCallbacks callbacks, Faults faults) {
        this.peers = peers;
        this.bytes = bytes;
        this.callbacks = callbacks;
        this.faults = faults;
    }

    /** Has the peer send an active message, which this side meets at its next progress. */
    void sendToPlace(int flags, Runnable inside) {
        callbacks.onMessage(inside);
        MemorySegment data = bytes.source.asSlice(0, UcxBytes.SHORT);
        UcxPeers.sent(peers.theirs, peers.back.amSend(UcxPeers.PLACE, MemorySegment.NULL, data, flags));
        peers.push();
    }

    /** Has the peer send a short message with the place's tag. */
    void sendTagged() {
        peers.back.tagSend(bytes.source, 0, UcxBytes.SHORT, PLACE_TAG);
        peers.push();
    }

    /** The peer is ready for a long message with the place's tag. */
    void expectTagged() {
        peers.theirs.tagReceive(bytes.filled(UcxBytes.LONG, UcxBytes.X), PLACE_TAG);
    }

    /** A send that ends only if the peer progresses. */
    void sendBusily() {
        sendUnreceived();
        receiveUnreceived();
    }

    /** A send that ends only once the peer receives it. */
    void sendUnreceived() {
        UcxPeers.sent(peers.mine, peers.one.tagSend(bytes.source, 0, UcxBytes.LONG, BUSY_TAG));
    }

    /** Receives it. */
    void receiveUnreceived() {
        MemorySegment to = bytes.target(UcxBytes.LONG);
        UcxPeers.sent(peers.theirs, peers.theirs.tagReceive(to, BUSY_TAG));
    }

    /** A send by rendezvous of what UCX has lent, so that it reads the bytes later. */
    void sendLent(MemorySegment lent) {
        UcxPeers.sent(
                peers.mine, peers.two.amSend(UcxPeers.CHECKED, MemorySegment.NULL, lent, UcpActiveMessages.RENDEZVOUS));
    }

    /** Other messages, for which UCX uses memory that was given back to it. */
    void overwrite() {
        MemorySegment other = bytes.filled(UcxBytes.SHORT, Y);
        for (int i = 0; i < 4; i++) {
            faults.lenient(() -> {
                if (peers.back.isOpen()) {
                    MemorySegment to = bytes.own.allocate(UcxBytes.SHORT);
                    CompletableFuture<?> receive = peers.mine.tagReceiveAsync(to, OVERWRITE_TAG, UcpWorker.EXACT_TAG);
                    UcxPeers.sent(peers.theirs, peers.back.tagSend(other, OVERWRITE_TAG));
                    peers.until(receive::isDone);
                }
            });
        }
    }

    /** The same before the peer has read what it was sent: it does not progress. */
    void overwriteFreed() {
        MemorySegment other = bytes.filled(UcxBytes.SHORT, Y);
        for (int i = 0; i < ALL_SLOTS; i++) {
            faults.lenient(() -> {
                if (peers.back.isOpen()) {
                    UcxPeers.sent(peers.theirs, peers.back.tagSend(other, OVERWRITE_TAG));
                }
            });
            peers.turnMine();
        }
    }

    /** Receives what calls have sent. */
    void drain() {
        for (UcpWorker worker : List.of(peers.mine, peers.theirs)) {
            faults.lenient(() -> {
                UcpTagMessage found = UcpTagMessage.of(worker);
                while (worker.tagTake(CALLS_TAG, UcpWorker.EXACT_TAG, found)) {
                    CompletableFuture<?> receive = found.receiveAsync(bytes.target(found.length()));
                    if (!peers.isMineClosed()) {
                        peers.until(receive::isDone);
                    } // else it was closed, and has left behind what nobody received within its time for that
                }
            });
        }
        peers.settle();
    }
}
