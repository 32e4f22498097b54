// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import dev.isthmus.RdmaException;
import dev.isthmus.cm.CmEvent;
import dev.isthmus.cm.ConnectionId;
import dev.isthmus.loop.Timer;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;

/** A connection that a peer asks for, until it is established or its time is up. Runs on the service's thread. */
final class Handshake {

    private static final System.Logger LOG = System.getLogger("dev.isthmus.nio");

    private final Service service;
    private final Ends ends;
    private final ConnectionId id;
    private final ConnectionData peer;
    private final Link link;
    private Stream stream;
    private Timer limit;
    private boolean over;

    /** Is told how a handshake has ended. */
    interface Ends {

        /** Without a connection. */
        void ended(Handshake handshake);

        /** With a connection. */
        void ended(Handshake handshake, Stream made);
    }

    /** Creates the connection's objects; closes the id if that fails. */
    Handshake(
            Service service, Ends ends, ConnectionId id, StreamOptions options, ConnectionData peer, StreamGroup group)
            throws IOException {
        this.service = service;
        this.ends = ends;
        this.id = id;
        this.peer = peer;
        this.link = new Link(service, id, options, group, false);
    }

    void begin(Duration longest) throws IOException {
        stream = new Stream(link);
        id.attach(this);
        id.accept(config -> config.privateData(stream.greeting())
                .flowControl(true)
                .initiatorDepth(link.isIwarp() ? 1 : 0)
                .responderResources(link.isIwarp() ? 1 : 0)
                .rnrRetryCount(7));
        limit = service.loop().schedule(longest, this::late);
    }

    void onEvent(CmEvent event) {
        if (!(event instanceof CmEvent.Established)) {
            LOG.log(Level.DEBUG, () -> id + " was not established: " + event);
            end();
            return;
        }
        over = true;
        limit.cancel();
        id.attach(stream);
        try {
            stream.connected(peer, !link.isIwarp()); // on iWARP the connecting side must send first (MPA, RFC 5044)
            ends.ended(this, stream);
        } catch (IOException | RdmaException e) { // on iWARP, if the peer has gone already
            LOG.log(Level.DEBUG, () -> id + " was not established: " + e.getMessage());
            stream.release();
            ends.ended(this);
        }
    }

    /** When many peers connect at once, the event that completes this may be waiting for its turn on this thread. */
    private void late() {
        try {
            service.takeEvents();
        } finally {
            end();
        }
    }

    /** Gives it up. */
    void end() {
        if (over) {
            return;
        }
        over = true;
        if (limit != null) {
            limit.cancel();
        }
        ends.ended(this);
        if (stream == null) {
            link.close();
        } else {
            stream.release();
        }
    }
}
