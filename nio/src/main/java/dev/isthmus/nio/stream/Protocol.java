// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import dev.isthmus.cm.PrivateData;
import dev.isthmus.verbs.WorkCompletions;
import java.time.Duration;

/**
 * What a message means, and how each side lets the other send. All that two protocols have in common is in
 * {@link Stream}, {@link SendSide} and {@link ReceiveSide}. Guarded by the stream's lock.
 */
abstract sealed class Protocol permits RsocketProtocol, ValkeyProtocol {

    final Stream stream;
    final ReceiveSide receives;
    SendSide sends; // null until it is connected

    Protocol(Stream stream, ReceiveSide receives) {
        this.stream = stream;
        this.receives = receives;
    }

    static Protocol of(Stream stream, Link link, Wire wire, ReceiveSide receives) {
        return switch (link.options().protocol()) {
            case RSOCKET -> new RsocketProtocol(stream, link, wire, receives);
            case VALKEY -> new ValkeyProtocol(stream, link, (Wire.WithCommands) wire, receives);
        };
    }

    /** What this side sends in the handshake. */
    abstract PrivateData greeting();

    /** The connection is established. */
    abstract void connected(SendSide to, ConnectionData peer);

    /** The message of a completed receive. The receive is not posted again before {@link #received}. */
    abstract int message(WorkCompletions done, int i) throws ProtocolException;

    /** Does what a message says. */
    abstract void received(long number, int message) throws ProtocolException;

    /** The peer's memory is used up: goes on in what the peer has granted since, if it has. */
    abstract void nextRoom() throws ProtocolException;

    /** Whether it is worth a message to let the peer send more, or another message is due. */
    abstract boolean isGrantDue();

    /** Sends what is due, if there is room for a control message. */
    abstract void grant() throws ProtocolException;

    /** Asks the peer, or its device, whether it is there. There is room for a control message. */
    abstract void probe() throws ProtocolException;

    /** Whether one side can say that it sends no more, and go on receiving. */
    abstract boolean hasHalfClose();

    /** How often an idle stream has to look after its messages; null if it need not, unless the program asks. */
    abstract Duration attention();
}
