// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.matrix;

import dev.isthmus.ucx.UcpConnectionRequest;
import dev.isthmus.ucx.UcpEndpoint;
import dev.isthmus.ucx.UcpListener;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Connections by socket address. Each is created when it is first asked for. */
final class UcxConnections {

    private final boolean hasSockets;
    private final UcxPeers peers;
    private final UcxCallbacks callbacks;
    private final UcxResources resources;
    private final List<UcpConnectionRequest> requests = new ArrayList<>();
    private UcpListener listener;
    private UcpConnectionRequest undecided;
    private UcpEndpoint client;
    private UcpEndpoint accepted;

    UcxConnections(boolean hasSockets, UcxPeers peers, UcxCallbacks callbacks, UcxResources resources) {
        this.hasSockets = hasSockets;
        this.peers = peers;
        this.callbacks = callbacks;
        this.resources = resources;
    }

    static InetSocketAddress loopback() {
        try {
            return new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    /** Where a call may connect to. */
    InetSocketAddress somebody() {
        return hasSockets ? listener().address() : loopback();
    }

    UcpListener listener() {
        if (listener == null) {
            listener = peers.mine.createListener(loopback(), request -> {
                requests.add(request);
                callbacks.connection();
            });
        }
        return listener;
    }

    /** Null if there is none. */
    UcpListener listenerOrNull() {
        return listener;
    }

    /** A client whose request nobody has decided. */
    UcpConnectionRequest undecided() {
        if (undecided == null) {
            ask();
            peers.until(() -> !requests.isEmpty());
            undecided = requests.removeFirst();
        }
        return undecided;
    }

    /** Has a client ask for a connection. */
    UcpEndpoint ask() {
        UcpEndpoint asking = peers.theirs.createEndpoint(listener().address(), config -> {});
        resources.add(asking);
        peers.push();
        return asking;
    }

    /** An endpoint that a client has asked for. */
    UcpEndpoint accepted() {
        if (accepted == null) {
            client = ask();
            peers.until(() -> !requests.isEmpty());
            accepted = resources.add(requests.removeFirst()
                    .accept(peers.mine, config -> config.errorHandler((endpoint, status) -> callbacks.error())));
            CompletableFuture<Void> there = peers.theirs.requests().whenDone(client.flush());
            CompletableFuture<Void> here = peers.mine.requests().whenDone(accepted.flush());
            peers.until(() -> there.isDone() && here.isDone());
        }
        return accepted;
    }

    /** Ends the connection of an accepted endpoint. */
    void endConnection() {
        client.closeForcibly();
        peers.push();
    }
}
