// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.isthmus.cm.PrivateData;
import dev.isthmus.nio.stream.StreamState.Event;
import dev.isthmus.nio.stream.StreamState.Peer;
import dev.isthmus.verbs.MemoryRegion;
import dev.isthmus.verbs.WorkCompletions;
import java.lang.foreign.MemorySegment;
import java.time.Duration;

/**
 * rsocket's protocol. A side grants the parts of its ring ahead of time, by a write to the peer's targets, and says how
 * many messages the peer may send.
 *
 * <p>rsocket keeps the length of each message until it is read, so the number of unread messages is limited. Streams
 * only count bytes, and are done with a message as soon as it has arrived.
 */
final class RsocketProtocol extends Protocol {

    private static final int SEQUENCE_MASK = 0xffff;

    // Offsets in struct rs_sge.
    private static final int KEY = 8;
    private static final int LENGTH = 12;

    private final Memory memory;
    private final Wire wire;
    private final boolean numbered; // each receive has a place of its own
    private final MemorySegment targets; // the peer writes them
    private final int credits; // how many messages the peer may send before it gets new ones
    private Iomaps iomaps;
    private ConnectionData peer; // null until it is connected
    private long messages; // that the peer has sent, with data
    private long messagesGranted;
    private int nextTarget = 1; // where the peer announces the next part
    private boolean announced; // the peer has announced it: its write arrives with its message, or before
    private int announcedEarly; // parts seen before their own message came, which will then seem to grant nothing
    private int nextPeerTarget = 1; // where this side announces its own

    RsocketProtocol(Stream stream, Link link, Wire wire, ReceiveSide receives) {
        super(stream, receives);
        this.memory = link.memory();
        this.wire = wire;
        this.numbered = wire.hasPlaces();
        this.targets = memory.targets();
        this.credits = link.options().receiveQueue();
        this.messagesGranted = credits;
    }

    /** The private data that this side sends in the handshake. */
    ConnectionData connectionData() {
        MemoryRegion region = memory.in();
        return new ConnectionData(
                ConnectionData.isBigEndian(),
                credits,
                memory.iomapSize(),
                region.address() + memory.targetsOffset(),
                region.rkey(),
                region.address(),
                region.rkey(),
                receives.blockBytes());
    }

    @Override
    PrivateData greeting() {
        return connectionData().write();
    }

    @Override
    void connected(SendSide to, ConnectionData data) {
        sends = to;
        peer = data;
        iomaps = stream.iomaps();
    }

    @Override
    int message(WorkCompletions done, int i) throws ProtocolException {
        if (numbered ? done.byteLength(i) != Memory.MESSAGE_BYTES : !done.hasImmediate(i)) {
            throw new ProtocolException("the peer sent " + done.byteLength(i) + " bytes that are not a message");
        }
        return numbered
                ? memory.in().segment().get(JAVA_INT, memory.receivedOffset((int) (done.wrId(i) & Integer.MAX_VALUE)))
                : done.immediate(i);
    }

    @Override
    void received(long number, int message) throws ProtocolException {
        int operation = Message.operation(message);
        int value = Message.value(message);
        if (stream.current().peer() != Peer.SENDING && !isTaken(operation)) {
            return;
        }
        switch (operation) {
            case Message.DATA -> {
                receives.data(value);
                counted();
            }
            case Message.CREDITS -> credited(value);
            case Message.CONTROL -> controlled(value);
            case Message.IOMAP -> {
                counted();
                iomaps.onAnnounced(value);
            }
            default -> throw new ProtocolException("the peer sent an unknown operation, " + operation);
        }
    }

    /** Whether a message of a peer that does not just go on sending is to be taken. */
    private boolean isTaken(int operation) throws ProtocolException {
        if (stream.change(Event.PEER_SEND)) {
            sends.release();
        }
        if (!stream.current().admits(operation)) {
            throw new ProtocolException("the peer sent something after it had said that it would not");
        }
        return stream.current().peerReceives();
    }

    private void controlled(int value) throws ProtocolException {
        switch (value) {
            case Message.DISCONNECT -> stream.change(Event.PEER_DISCONNECT);
            case Message.SHUTDOWN -> {
                if (!stream.change(Event.PEER_SHUT)) {
                    throw new ProtocolException("the peer shut its output down twice");
                }
            }
            default -> throw new ProtocolException("the peer sent an unknown control message, " + value);
        }
    }

    /** Counts a message against the peer's credits. */
    private void counted() throws ProtocolException {
        if (messages == messagesGranted) {
            throw new ProtocolException("the peer sent more messages than it had credits for");
        }
        messages++;
    }

    /** The peer accepts more messages, and may have granted another part of its ring. */
    private void credited(int upTo) throws ProtocolException {
        int more = sends.messagesUpTo(upTo);
        int before = sends.messagesUpTo(sends.permitted());
        if (more < before || more > peer.credits()) {
            throw new ProtocolException("the peer accepted messages up to " + sends.permitted()
                    + ", and now accepts them up to " + upTo + ", after " + sends.sequence() + " were sent");
        }
        boolean wasAnnounced = announced;
        announced = targets.get(JAVA_INT, nextTargetOffset() + LENGTH) != 0;
        boolean isNew = announced && !wasAnnounced;
        if (more > before) {
            announcedEarly += isNew ? 1 : 0;
        } else if (!isNew && --announcedEarly < 0) { // otherwise a peer could keep a thread busy with empty grants
            throw new ProtocolException("the peer granted nothing new");
        }
        sends.permit(upTo);
        if (sends.room() == 0) {
            nextRoom();
        }
    }

    private long nextTargetOffset() {
        return (long) nextTarget * ConnectionData.TARGET_BYTES;
    }

    @Override
    void nextRoom() throws ProtocolException {
        if (!announced) {
            return;
        }
        announced = false;
        long at = nextTargetOffset();
        int length = targets.get(JAVA_INT, at + LENGTH); // read once: the peer may overwrite it at any time
        if (length <= 0 || length > Message.MAX_VALUE) {
            throw new ProtocolException("the peer granted a part of " + Integer.toUnsignedString(length) + " bytes");
        }
        sends.granted(targets.get(JAVA_LONG, at), targets.get(JAVA_INT, at + KEY), length);
        targets.set(JAVA_INT, at + LENGTH, 0);
        nextTarget = (nextTarget + 1) % ConnectionData.TARGETS;
    }

    @Override
    boolean isGrantDue() {
        return receives.hasBlock() || messages - (messagesGranted - credits) >= credits / 2;
    }

    @Override
    void grant() throws ProtocolException {
        while (isGrantDue() && sends.hasControls(receives.hasBlock() ? wire.requestsPerWrite() : 1)) {
            messagesGranted = messages + credits;
            int message = Message.of(Message.CREDITS, (int) (messagesGranted & SEQUENCE_MASK));
            if (receives.hasBlock()) {
                grant(receives.nextBlock(), message);
            } else {
                sends.sendControl(message);
            }
        }
    }

    private void grant(ReceiveBlock block, int message) throws ProtocolException {
        MemoryRegion region = block.region();
        boolean swaps = peer.bigEndian() != ConnectionData.isBigEndian();
        long address = region.address() + block.start();
        int length = receives.blockBytes();
        int at = memory.controlOffset(sends.controls());
        var bytes = sends.bytes();
        bytes.putLong(at, swaps ? Long.reverseBytes(address) : address);
        bytes.putInt(at + KEY, swaps ? Integer.reverseBytes(region.rkey()) : region.rkey());
        bytes.putInt(at + LENGTH, swaps ? Integer.reverseBytes(length) : length);
        long to = peer.targets() + (long) nextPeerTarget * ConnectionData.TARGET_BYTES;
        nextPeerTarget = (nextPeerTarget + 1) % ConnectionData.TARGETS;
        sends.sendControl(at, ConnectionData.TARGET_BYTES, to, peer.targetsKey(), message);
    }

    @Override
    void probe() throws ProtocolException {
        sends.keepAlive();
    }

    @Override
    boolean hasHalfClose() {
        return true;
    }

    @Override
    Duration attention() {
        return null;
    }

    @Override
    public String toString() {
        return (messagesGranted - messages) + " messages may come";
    }
}
