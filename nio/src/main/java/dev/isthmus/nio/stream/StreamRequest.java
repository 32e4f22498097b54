// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import dev.isthmus.RdmaException;
import dev.isthmus.cm.ConnectionId;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;

/**
 * A peer that waits for an answer, taken from a {@linkplain StreamListener#listenForRequests listener}. Until then it
 * costs a connection id, and no memory that is pinned. Any thread may use it. Whoever took it calls {@link #accept} or
 * {@link #refuse}, once.
 */
public final class StreamRequest implements Handshake.Ends {

    private final Service service;
    private final ConnectionId id;
    private final ConnectionData peer;
    private final InetSocketAddress localAddress;
    private final InetSocketAddress peerAddress;
    private final CompletableFuture<Stream> accepted = new CompletableFuture<>();

    /** Throws IllegalStateException if the peer has gone. */
    StreamRequest(Service service, ConnectionId id, ConnectionData peer) {
        this.service = service;
        this.id = id;
        this.peer = peer;
        this.localAddress = id.localAddress();
        this.peerAddress = id.peerAddress();
    }

    ConnectionId id() {
        return id;
    }

    ConnectionData peer() {
        return peer;
    }

    /**
     * The address that the peer has named.
     *
     * @return the address and port
     */
    public InetSocketAddress localAddress() {
        return localAddress;
    }

    /**
     * The peer's address.
     *
     * @return the address and port
     */
    public InetSocketAddress peerAddress() {
        return peerAddress;
    }

    /**
     * Accepts the connection. Does not block.
     *
     * @param group the group of the new stream
     * @param options its options
     * @return completes with the stream, or with an {@link IOException}, on the service's thread
     */
    public CompletableFuture<Stream> accept(StreamGroup group, StreamOptions options) {
        service.thread().execute(() -> begin(group, options));
        return accepted;
    }

    private void begin(StreamGroup group, StreamOptions options) {
        Handshake handshake = null;
        try {
            handshake = new Handshake(service, this, id, options, peer, group);
            handshake.begin(StreamListener.MAX_HANDSHAKE);
        } catch (IOException | RdmaException | IllegalStateException e) { // the last if the peer has gone
            StreamListener.refused(id, e);
            if (handshake != null) {
                handshake.end();
            } else {
                id.close();
            }
            accepted.completeExceptionally(e instanceof IOException ? e : new IOException(e.getMessage(), e));
        }
    }

    /** Refuses the connection. Does not block. */
    public void refuse() {
        service.thread().execute(id::close); // closing the id rejects the request
    }

    @Override
    public void ended(Handshake handshake) {
        accepted.completeExceptionally(
                new ConnectException("Connection reset: " + peerAddress + " did not finish its handshake"));
    }

    @Override
    public void ended(Handshake handshake, Stream made) {
        if (!accepted.complete(made)) {
            made.close(false);
        }
    }
}
