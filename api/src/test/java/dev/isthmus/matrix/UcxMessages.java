// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.matrix;

import dev.isthmus.ucx.UcpActiveMessage;
import dev.isthmus.ucx.UcpActiveMessages;
import dev.isthmus.ucx.UcpBuffer;
import dev.isthmus.ucx.UcpCompletions;
import dev.isthmus.ucx.UcpIov;
import dev.isthmus.ucx.UcpKeptMessage;
import dev.isthmus.ucx.UcpPackedData;
import dev.isthmus.ucx.UcpPayload;
import dev.isthmus.ucx.UcpReadyStreams;
import dev.isthmus.ucx.UcpStreamData;
import dev.isthmus.ucx.UcpTagMessage;
import dev.isthmus.ucx.UcpWorker;
import java.lang.foreign.MemorySegment;

/** Messages that have arrived, and what carries others. Each is created when it is first asked for. */
final class UcxMessages {

    private static final int KEEP = 3; // the handler's id
    private static final long TAKEN_TAG = 0x300;
    private static final long NEVER_TAG = 0x400;

    private final UcxPeers peers;
    private final UcxBytes bytes;
    private final UcxCallbacks callbacks;
    private final UcxTraffic traffic;
    private final UcxResources resources;
    private final int variant;
    private UcpKeptMessage kept;
    private UcpKeptMessage keptRendezvous;
    private UcpKeptMessage emptyHolder;
    private UcpStreamData streamData;
    private UcpStreamData noStreamData;
    private UcpTagMessage taken;
    private UcpTagMessage noneTaken;
    private UcpReadyStreams ready;
    private UcpCompletions completions;
    private long request;

    /**
     * None as yet.
     *
     * @param variant chooses the kind of {@link #payload()}
     */
    UcxMessages(
            UcxPeers peers,
            UcxBytes bytes,
            UcxCallbacks callbacks,
            UcxTraffic traffic,
            UcxResources resources,
            int variant) {
        this.peers = peers;
        this.bytes = bytes;
        this.callbacks = callbacks;
        this.traffic = traffic;
        this.resources = resources;
        this.variant = variant;
    }

    /** The message of the handler that runs, or else of one that has run. */
    UcpActiveMessage present() {
        if (callbacks.lastMessage() == null) {
            traffic.sendToPlace(UcpActiveMessages.REPLY, () -> {});
            peers.until(() -> callbacks.lastMessage() != null);
        }
        return callbacks.lastMessage();
    }

    UcpKeptMessage kept() {
        if (kept == null) {
            kept = keep(UcpActiveMessages.EAGER);
            bytes.lent(() -> kept.isHolding() ? kept.segment() : null);
        }
        return kept;
    }

    UcpKeptMessage keptRendezvous() {
        if (keptRendezvous == null) {
            keptRendezvous = keep(UcpActiveMessages.RENDEZVOUS);
        }
        return keptRendezvous;
    }

    private UcpKeptMessage keep(int flags) {
        var holder = new UcpKeptMessage();
        peers.mine.activeMessages().setPersistentHandler(KEEP, m -> m.keep(holder));
        MemorySegment data = bytes.source.asSlice(0, UcxBytes.SHORT);
        UcxPeers.sent(peers.theirs, peers.back.amSend(KEEP, MemorySegment.NULL, data, flags));
        peers.until(holder::isHolding);
        return resources.add(holder);
    }

    UcpKeptMessage emptyHolder() {
        if (emptyHolder == null) {
            emptyHolder = resources.add(new UcpKeptMessage());
        }
        return emptyHolder;
    }

    UcpStreamData streamData() {
        if (streamData == null) {
            streamData = resources.add(UcpStreamData.of(peers.mine));
            UcxPeers.sent(peers.theirs, peers.back.stream().send(bytes.source, 0, UcxBytes.SHORT));
            peers.until(() -> peers.one.stream().receiveData(streamData));
            bytes.lent(() -> streamData.isHolding() ? streamData.segment() : null);
        }
        return streamData;
    }

    UcpStreamData noStreamData() {
        if (noStreamData == null) {
            noStreamData = resources.add(UcpStreamData.of(peers.mine));
        }
        return noStreamData;
    }

    UcpTagMessage taken() {
        if (taken == null) {
            taken = resources.add(UcpTagMessage.of(peers.mine));
            UcxPeers.sent(peers.theirs, peers.back.tagSend(bytes.source, 0, UcxBytes.SHORT, TAKEN_TAG));
            peers.until(() -> peers.mine.tagTake(TAKEN_TAG, UcpWorker.EXACT_TAG, taken));
        }
        return taken;
    }

    UcpTagMessage noneTaken() {
        if (noneTaken == null) {
            noneTaken = resources.add(UcpTagMessage.of(peers.mine));
        }
        return noneTaken;
    }

    UcpReadyStreams ready() {
        if (ready == null) {
            ready = UcpReadyStreams.of(peers.mine, 4);
            UcxPeers.sent(peers.theirs, peers.back.stream().send(bytes.source, 0, 8));
            peers.until(() -> ready.poll() > 0);
        }
        return ready;
    }

    UcpCompletions completions() {
        if (completions == null) {
            completions = UcpCompletions.allocate(4);
        }
        return completions;
    }

    /** An operation that never ends by itself. */
    long request() {
        if (request == 0) {
            request = peers.mine.tagReceive(bytes.source, NEVER_TAG);
        }
        return request;
    }

    /** One of several kinds. */
    UcpPayload payload() {
        return switch (variant % 4) {
            case 0 -> buffer();
            case 1 -> buffer().userData(7);
            case 2 -> iov();
            default -> packed();
        };
    }

    UcpBuffer buffer() {
        return UcpBuffer.of(peers.mine, bytes.source).range(0, UcxBytes.SHORT);
    }

    UcpIov iov() {
        return UcpIov.allocate(peers.mine, 2).add(bytes.source, 0, 8).add(bytes.source, 8, 8);
    }

    UcpPackedData packed() {
        return UcpPackedData.packing(peers.mine, UcxBytes.LONG, (offset, target) -> target.fill(UcxBytes.X));
    }
}
