// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import dev.isthmus.UcxException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.SequencedSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * The connections of a transport, one to each process. One that has failed stays until another one replaces it, but
 * only a limited number of them. Confined to the transport's thread.
 */
final class Peers {

    /** How many failed connections are remembered. The peer of a forgotten one has to say hello first. */
    static final int MAX_GONE = 1000;

    /** How many connections of one process may wait to be closed by UCX: it may not be taking what was sent. */
    static final int MAX_CLOSING = 4;

    private final TransportContext context;
    private final Map<Long, Peer> byId = new HashMap<>(); // of the process: its newest connection
    private final SequencedSet<Peer> gone =
            new LinkedHashSet<>(); // those of them that have failed, the first one first
    private final Set<Peer> closing = new HashSet<>(); // UCX has not closed their endpoints yet
    private long lastNumber;
    private boolean ends; // the process

    Peers(TransportContext context) {
        this.context = context;
    }

    /**
     * The connection to a process. If there is none, or it has failed, begins a new one, unless there have been too
     * many of late.
     *
     * @throws UcxException if UCX cannot connect
     * @throws IllegalArgumentException if the node has no valid address
     */
    Peer to(Node node) {
        Peer peer = byId.get(node.id());
        return peer == null || (peer.isGone() && mayFollow(peer)) ? connect(node, peer) : peer;
    }

    private boolean mayFollow(Peer before) {
        return before.mayFollow()
                && closing.stream()
                                .filter(peer ->
                                        peer.node().id() == before.node().id())
                                .count()
                        < MAX_CLOSING;
    }

    private Peer connect(Node node, Peer before) {
        Peer peer = add(node, before);
        try {
            peer.sendFirstHello();
        } catch (RuntimeException | Error e) { // otherwise it would never leave the connecting state
            peer.fail("the first message to it could not be sent: " + e);
        }
        return peer;
    }

    private Peer add(Node node, Peer before) {
        var peer = new Peer(context, this, node, ++lastNumber, before);
        byId.put(node.id(), peer);
        if (before != null) {
            gone.remove(before);
            before.fail("it has connected anew");
        }
        return peer;
    }

    /** Handles a message from any process. */
    void handle(ByteBuffer sealed) {
        Peer peer = null;
        try {
            ByteBuffer bytes = context.connector().open(sealed); // only then it may be what its sender says
            PeerMessage.Header header = PeerMessage.header(bytes);
            peer = byId.get(header.from());
            PeerMessage message = PeerMessage.read(bytes);
            if (message instanceof PeerMessage.Hello hello && (peer == null || peer.isBefore(hello))) {
                accept(header.from(), hello, peer);
            } else if (peer == null) {
                throw new BadMessageException("a message from a peer that has not said hello");
            } else if (peer.isGone()) {
                returned(peer);
            } else if (peer.isMeant(header, message)) { // otherwise it is of an earlier connection
                peer.handle(message);
            }
        } catch (BadMessageException | UcxException | IllegalArgumentException e) {
            end(peer, e.getMessage());
        } catch (RuntimeException e) { // unforeseen, unless the sender meant it
            context.log().log("a message could not be handled", e);
            end(peer, e.toString());
        }
    }

    /** A process connects; only a valid address makes it replace an earlier connection. */
    private void accept(long id, PeerMessage.Hello hello, Peer before) {
        if (before != null && !mayFollow(before)) {
            context.log().dropped("a hello is dropped: " + before + " connects too often");
            return;
        }
        Peer peer;
        try {
            peer = add(new Node(id, hello.address()), before);
        } catch (UcxException | IllegalArgumentException e) {
            context.log().dropped("a hello is dropped: " + e.getMessage());
            return;
        }
        try {
            peer.handle(hello);
        } catch (BadMessageException e) {
            peer.fail(e.getMessage());
        }
    }

    /** A process that has not noticed the end of its connection is there: a new hello tells it. */
    private void returned(Peer peer) {
        if (mayFollow(peer)) {
            var _ = connect(peer.node(), peer);
        }
    }

    /** A process that was given up has taken what UCX had for it, so it may wait for the rest. */
    private void goesOn(Peer peer) {
        if (ends || byId.get(peer.node().id()) != peer) {
            return;
        }
        try {
            returned(peer);
        } catch (UcxException e) {
            context.log().log("there is no connection to " + peer + ", which was given up", e);
        }
    }

    private void end(Peer peer, String why) {
        if (peer == null) {
            context.log().dropped("a message is dropped: " + why);
        } else {
            peer.fail(why);
        }
    }

    /** A connection has failed, and its endpoint is being closed. */
    void failed(Peer peer) {
        closing.add(peer);
        if (byId.get(peer.node().id()) != peer) {
            return; // it was replaced
        }
        gone.add(peer);
        if (gone.size() > MAX_GONE) {
            byId.remove(gone.removeFirst().node().id());
        }
    }

    /** UCX has closed its endpoint. */
    void closed(Peer peer) {
        closing.remove(peer);
        if (peer.hasStalled() && !ends) {
            context.tasks().execute(() -> goesOn(peer));
        }
    }

    /** How many connections are remembered or not closed yet. */
    int size() {
        return byId.size() + closing.size();
    }

    /** Ends all connections, as this process ends. */
    CompletableFuture<Void> close() {
        ends = true;
        return CompletableFuture.allOf(Stream.concat(byId.values().stream(), closing.stream())
                .distinct()
                .toList() // a close can end another connection, too
                .stream()
                .map(peer -> peer.close().exceptionally(e -> {
                    context.log().log("the connection to " + peer + " was not closed properly", e);
                    return null; // the rest must be closed, too
                }))
                .toArray(CompletableFuture[]::new));
    }
}
