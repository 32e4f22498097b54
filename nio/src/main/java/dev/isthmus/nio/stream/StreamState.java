// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

/**
 * The state of a connection from handshake to release, in four parts, and all its transitions. Transitions allocate,
 * questions do not.
 *
 * @param life whether it works, has failed, or is being closed
 * @param input what this side still reads
 * @param output what this side still sends
 * @param peer what the peer still sends and receives
 */
record StreamState(Life life, Input input, Output output, Peer peer) {

    /** Whether it works, has failed, or is being closed. */
    enum Life {
        OPEN(true),
        FAILED(false),
        /** The peer has broken a rule: nothing that it sends counts any more. */
        BROKEN(false),
        /** Closed: what was written is still delivered. */
        CLOSING(true),
        /** Closed: the peer is to see a reset. */
        RESETTING(true),
        /** Closed, and failed before or since: there is nothing to wait for. */
        DEAD(false),
        RELEASED(false);

        private final boolean works;

        Life(boolean works) {
            this.works = works;
        }
    }

    /** What this side still reads. */
    enum Input {
        OPEN,
        SHUT
    }

    /** What this side still sends. Messages that are owed go out as soon as there is room. */
    enum Output {
        OPEN(0),
        SHUTTING(Message.of(Message.CONTROL, Message.SHUTDOWN)),
        SHUT(0),
        DISCONNECTING(Message.of(Message.CONTROL, Message.DISCONNECT)),
        DISCONNECTED(0);

        private final int owed;

        Output(int owed) {
            this.owed = owed;
        }

        private boolean isDisconnecting() {
            return compareTo(DISCONNECTING) >= 0;
        }
    }

    /** What the peer still sends and receives. */
    enum Peer {
        /** It is not connected yet. */
        UNKNOWN(false, false),
        /** It must send first, as the connecting side must on iWARP. */
        SILENT(true, false),
        SENDING(true, false),
        /** It sends no more. */
        SHUT(true, true),
        /** It neither sends nor receives any more. */
        DISCONNECTED(false, true),
        /** The connection is over, after the peer had shut its output. */
        ENDED(false, true),
        /** The connection is over, before the peer had shut its output. */
        LOST(false, false);

        private final boolean receives;
        private final boolean isAtEnd;

        Peer(boolean receives, boolean isAtEnd) {
            this.receives = receives;
            this.isAtEnd = isAtEnd;
        }
    }

    /** What changes the state. */
    enum Event {
        /** The handshake is over, and this side may send at once. */
        CONNECT,
        /** The handshake is over, and the peer must send first. */
        CONNECT_SILENT,
        /** The first message of a peer that must send first. */
        PEER_SEND,
        PEER_SHUT,
        PEER_DISCONNECT,
        /** The connection manager or the device has ended the connection. */
        END,
        SHUT_INPUT,
        SHUT_OUTPUT,
        /** The message that was owed is sent. */
        SEND,
        FAIL,
        /** The peer breaks a rule. */
        BREAK,
        CLOSE,
        /** It is closed, and the peer is to see a reset. */
        RESET,
        RELEASE
    }

    static final StreamState FIRST = new StreamState(Life.OPEN, Input.OPEN, Output.OPEN, Peer.UNKNOWN);

    /** The state after an event; this one if the event is not for it. */
    StreamState on(Event event) {
        if (life == Life.RELEASED) {
            return this;
        }
        return switch (event) {
            case CONNECT -> peer == Peer.UNKNOWN ? with(Peer.SENDING) : this;
            case CONNECT_SILENT -> peer == Peer.UNKNOWN ? with(Peer.SILENT) : this;
            case PEER_SEND -> peer == Peer.SILENT ? with(Peer.SENDING) : this;
            case PEER_SHUT -> peer == Peer.SENDING ? with(Peer.SHUT) : this;
            case PEER_DISCONNECT -> peer == Peer.SENDING || peer == Peer.SHUT ? with(Peer.DISCONNECTED) : this;
            case END -> isEnded() ? this : ended();
            case SHUT_INPUT -> input == Input.OPEN ? new StreamState(life, Input.SHUT, output, peer) : this;
            case SHUT_OUTPUT -> output != Output.OPEN || isClosed() ? this : with(firstOwed());
            case SEND ->
                switch (output) {
                    case SHUTTING -> with(Output.SHUT);
                    case DISCONNECTING -> with(Output.DISCONNECTED);
                    default -> this;
                };
            case FAIL -> failed(Life.FAILED);
            case BREAK -> failed(Life.BROKEN);
            case CLOSE -> closed(Life.CLOSING, output.isDisconnecting() ? output : Output.DISCONNECTING);
            case RESET -> closed(Life.RESETTING, output);
            case RELEASE -> with(Life.RELEASED);
        };
    }

    private StreamState with(Peer next) {
        return new StreamState(life, input, output, next);
    }

    private StreamState with(Output next) {
        return new StreamState(life, input, next, peer);
    }

    private StreamState with(Life next) {
        return new StreamState(next, input, output, peer);
    }

    private Output firstOwed() {
        return peer.isAtEnd || input == Input.SHUT ? Output.DISCONNECTING : Output.SHUTTING;
    }

    private StreamState failed(Life next) {
        return isFailed() ? this : with(isClosed() ? Life.DEAD : next);
    }

    private StreamState closed(Life next, Output last) {
        return isClosed() ? this : new StreamState(isFailed() ? Life.DEAD : next, Input.SHUT, last, peer);
    }

    /** That is no failure if both sides have announced it. */
    private StreamState ended() {
        boolean announced =
                peer == Peer.DISCONNECTED || output.isDisconnecting() || (peer == Peer.SHUT && output != Output.OPEN);
        StreamState next = with(peer.isAtEnd ? Peer.ENDED : Peer.LOST);
        return announced || life != Life.OPEN ? next : next.with(Life.FAILED);
    }

    /** Whether nobody may use it any more. */
    boolean isClosed() {
        return life.compareTo(Life.CLOSING) >= 0;
    }

    boolean isFailed() {
        return !life.works && life != Life.RELEASED;
    }

    /** Whether messages of the peer count. After other failures, whatever arrived before them is still taken. */
    boolean takesMessages() {
        return life.works || life == Life.FAILED;
    }

    /** Whether the connection is over. */
    boolean isEnded() {
        return life == Life.RELEASED || peer == Peer.ENDED || peer == Peer.LOST;
    }

    /** Whether it is established, and has neither ended nor failed. */
    boolean isConnected() {
        return life.works && peer != Peer.UNKNOWN && !isEnded();
    }

    boolean mayRead() {
        return input == Input.OPEN && !isClosed();
    }

    /** Whether the peer sends no more, and said so: what it has sent ends there. */
    boolean isAtEnd() {
        return peer.isAtEnd;
    }

    boolean mayWrite() {
        return life == Life.OPEN && output == Output.OPEN && peer.receives;
    }

    /** Whether the peer still receives. */
    boolean peerReceives() {
        return peer.receives;
    }

    /** Whether this side may send a control message. */
    boolean mayControl() {
        return life.works && peer.receives;
    }

    /** Whether this side may let the peer send more, or probe it. */
    boolean mayGrant() {
        return life == Life.OPEN && !output.isDisconnecting() && peer.receives;
    }

    /** Whether the peer may send a message with this operation. */
    boolean admits(int operation) {
        return switch (peer) {
            case UNKNOWN -> false;
            case SILENT, SENDING -> true;
            case SHUT -> operation != Message.DATA && operation != Message.IOMAP;
            case DISCONNECTED, ENDED, LOST -> operation == Message.CREDITS; // C may grant room after that
        };
    }

    /** The control message that waits for room; 0 if none does. */
    int owed() {
        return output.owed;
    }
}
