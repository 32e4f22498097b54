// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import dev.isthmus.UcxException;
import dev.isthmus.ucx.UcpPackedKey;
import dev.isthmus.ucx.UcpRemoteMemory;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/** The requests of this process to one peer. Confined to the transport's thread. */
final class Calls {

    /** A peer has one memory for each slab of its pool; only a pool of more than 64 GiB would need more. */
    private static final int MAX_MEMORIES = 1024;

    private final TransportContext context;
    private final Peer peer;
    private final Map<Long, Call> sent = new HashMap<>();
    private final Deque<Call> waiting = new ArrayDeque<>(); // for the connection
    private final Map<UcpPackedKey, UcpRemoteMemory> memories = new HashMap<>();
    private int parts; // that are being fetched or stored

    Calls(TransportContext context, Peer peer) {
        this.context = context;
        this.peer = peer;
    }

    void begin(Call call) {
        if (peer.isReady()) {
            send(call);
        } else {
            waiting.add(call);
        }
    }

    /** The connection is established. */
    void ready() {
        while (peer.isReady() && !waiting.isEmpty()) {
            send(waiting.remove());
        }
    }

    private void send(Call call) {
        sent.put(call.number, call);
        try {
            watch(call, context.settings().patience());
            call.sent(peer.figures());
            peer.send(new PeerMessage.Fetch(call.number, call.maxBlockBytes(), call.blocks));
        } catch (RuntimeException | Error e) {
            context.log().log("a request could not be sent", e);
            sent.remove(call.number);
            call.refuse("the request failed: " + e);
        }
    }

    private void watch(Call call, Duration patience) {
        call.timer = context.tasks().schedule(patience, () -> {
            Duration quiet = Duration.ofNanos(call.idleNanos());
            Duration limit = context.settings().patience();
            if (quiet.compareTo(limit) < 0) {
                watch(call, limit.minus(quiet));
                return;
            }
            sent.remove(call.number);
            peer.send(new PeerMessage.Cancel(call.number));
            peer.requestTimedOut();
            call.fail(new FetchFailedException(peer + " has sent nothing for " + quiet.toMillis()
                    + " ms: a request for " + call.blocks.size() + " blocks from " + call.blocks.getFirst()
                    + " on has failed"));
        });
    }

    void onData(PeerMessage.Data data) {
        Call call = sent.get(data.call());
        if (call != null) { // otherwise it was given up
            call.data(data);
            removeIfOver(call);
        }
    }

    void onFailed(PeerMessage.Failed failed) {
        Call call = sent.get(failed.call());
        if (call != null) {
            call.failed(failed);
            removeIfOver(call);
        }
    }

    /** Releases each slice once, unless the connection ends first. */
    void onSlice(PeerMessage.Slice slice) {
        Call call = sent.get(slice.call());
        if (call == null) {
            peer.send(new PeerMessage.Release(slice.ticket()));
            return;
        }
        int most = context.settings().credits();
        BadMessageException.unless(parts < most, "more than " + most + " parts at a time");
        parts++;
        call.slice(slice, memory(slice.key()), peer.getsInOrder(), (ticket, failure) -> {
            parts--;
            if (failure instanceof BadMessageException) { // it has ended the connection, or is not to be trusted
                peer.fail(failure.getMessage());
            } else if (failure != null) {
                peer.lose("a get failed: " + failure.getMessage());
            } else {
                peer.send(new PeerMessage.Release(ticket));
            }
            context.tasks().execute(() -> removeIfOver(call));
        });
    }

    private UcpRemoteMemory memory(UcpPackedKey key) {
        UcpRemoteMemory memory = memories.get(key);
        if (memory == null) {
            BadMessageException.unless(memories.size() < MAX_MEMORIES, "more memories than a peer can have");
            try {
                memory = peer.unpack(key);
            } catch (UcxException | IllegalArgumentException e) {
                throw new BadMessageException("a key of other memory: " + e.getMessage());
            }
            memories.put(key, memory);
        }
        return memory;
    }

    private void removeIfOver(Call call) {
        if (call.isOver()) {
            sent.remove(call.number);
        }
    }

    /** Requests that wait for the connection are fetched by other means. */
    void refuseWaiting(String why) {
        var unsent = new ArrayList<>(waiting);
        waiting.clear();
        unsent.forEach(call -> call.refuse(why));
    }

    /**
     * The peer is gone. Requests that were never sent are fetched by other means; so are the others, unless the peer
     * is dead.
     */
    void end(String why, boolean dead) {
        var lost = new ArrayList<>(sent.values());
        sent.clear();
        lost.forEach(call -> {
            if (dead) {
                call.fail(new FetchFailedException(peer + " is gone: " + why));
            } else {
                call.refuse("the connection to " + peer + " has ended: " + why);
            }
        });
        refuseWaiting("there is no connection to " + peer + ": " + why);
        memories.values().forEach(UcpRemoteMemory::close);
        memories.clear();
    }
}
