// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import dev.isthmus.cm.PrivateData;
import dev.isthmus.nio.stream.StreamState.Peer;
import dev.isthmus.verbs.CompletionOpcode;
import dev.isthmus.verbs.MemoryRegion;
import dev.isthmus.verbs.WorkCompletions;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Valkey over RDMA. A side announces a buffer by a command, which is a SEND of 32 bytes. The other fills it from its first
 * to its last byte by writes, each with its length as the immediate value, and then waits for another announcement. So
 * this side announces a half of its ring only once the peer has filled the other, and need not wait until the program has
 * read that. Nothing counts messages: a queue of receives that is empty holds the peer's device up, or this one.
 *
 * <p>There is no half close and no disconnect message: the end of the connection is the end of both directions.
 */
final class ValkeyProtocol extends Protocol {

    /** The length of a command. */
    static final int COMMAND_BYTES = 32;

    /** How many receives the protocol's page recommends. */
    static final int RECEIVES = 1024;

    /** The longest buffer that a peer may announce; Valkey's longest is 16 MiB. */
    static final int MAX_BUFFER = Integer.getInteger("isthmus.nio.valkeyMaxBuffer", 1 << 30);

    // enum ValkeyRdmaOpcode
    static final int GET_SERVER_FEATURE = 0;
    static final int SET_CLIENT_FEATURE = 1;
    static final int KEEPALIVE = 2;
    static final int REGISTER_MEMORY = 3;

    // Offsets in struct ValkeyRdmaFeature, and in struct ValkeyRdmaMemory
    static final int SELECT = 2;
    static final int FEATURES = 24;
    static final int ADDRESS = 16;
    static final int LENGTH = 24;
    static final int KEY = 28;

    /** As many commands as no peer sends that keeps the rules: a server sends a keepalive every three seconds. */
    private static final int MAX_COMMANDS_PER_SECOND =
            Integer.getInteger("isthmus.nio.valkeyMaxCommands", 4 * RECEIVES);

    /**
     * Keepalives use up receives. A server whose keepalives find none for an hour ends by an assertion, as of Valkey 9.1, so
     * an idle stream takes them, too.
     */
    private static final Duration ATTENTION = Duration.ofSeconds(15);

    private static final System.Logger LOG = System.getLogger("dev.isthmus.nio");
    private static final AtomicBoolean TOLD = new AtomicBoolean(); // of features, once
    private static final int COMMAND = 0; // stands for a message whose content is in the receive's place
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN);

    /** What this side has to say, or waits for, about features. */
    private enum Features {
        NOTHING,
        /** A client: to ask the server. */
        ASK,
        ASKED,
        /** A client: to choose none. */
        CHOOSE,
        /** A server: to answer. */
        ANSWER
    }

    private final Memory memory;
    private final Wire.WithCommands wire;
    private final boolean connects;
    private final MemorySegment in;
    private final ByteBuffer out;
    private ReceiveBlock due; // a block to be announced; null if none is
    private Features features;
    private short select; // of the question to answer
    private long secondBegan;
    private int commands; // since then

    ValkeyProtocol(Stream stream, Link link, Wire.WithCommands wire, ReceiveSide receives) {
        super(stream, receives);
        this.memory = link.memory();
        this.wire = wire;
        this.connects = link.connects();
        this.in = memory.in().segment();
        this.out = memory.outBytes().order(ByteOrder.BIG_ENDIAN);
        this.due = receives.firstBlock();
        this.features = connects ? Features.ASK : Features.NOTHING;
    }

    @Override
    PrivateData greeting() {
        return PrivateData.NONE;
    }

    @Override
    void connected(SendSide to, ConnectionData peer) {
        sends = to;
        secondBegan = System.nanoTime();
    }

    @Override
    int message(WorkCompletions done, int i) throws ProtocolException {
        if (done.opcode(i) == CompletionOpcode.RECV_RDMA_WITH_IMM) {
            int length = done.immediate(i);
            if (length <= 0) {
                throw new ProtocolException("the peer wrote " + Integer.toUnsignedString(length) + " bytes at once");
            }
            return length;
        }
        if (done.byteLength(i) != COMMAND_BYTES || done.hasImmediate(i)) {
            throw new ProtocolException("the peer sent " + done.byteLength(i) + " bytes that are not a command");
        }
        return COMMAND;
    }

    @Override
    void received(long number, int message) throws ProtocolException {
        if (stream.current().peer() != Peer.SENDING) {
            return;
        }
        if (message != COMMAND) {
            receives.data(message);
            return;
        }
        count();
        onCommand(memory.receivedOffset((int) (number & Integer.MAX_VALUE)));
    }

    /** Counts a command: otherwise a peer could keep a thread busy with commands that say nothing. */
    private void count() throws ProtocolException {
        if (++commands < MAX_COMMANDS_PER_SECOND) {
            return;
        }
        long now = System.nanoTime();
        if (now - secondBegan < TimeUnit.SECONDS.toNanos(1)) {
            throw new ProtocolException("the peer sent " + commands + " commands within a second");
        }
        secondBegan = now;
        commands = 0;
    }

    /** Reads each field once: the peer can write to this memory at any time. */
    private void onCommand(int at) throws ProtocolException {
        int opcode = Short.toUnsignedInt(in.get(SHORT, at));
        switch (opcode) {
            case GET_SERVER_FEATURE -> {
                if (connects) {
                    offered(in.get(LONG, at + FEATURES));
                } else {
                    asked(in.get(SHORT, at + SELECT));
                }
            }
            case SET_CLIENT_FEATURE -> chosen(in.get(LONG, at + FEATURES));
            case KEEPALIVE -> {}
            case REGISTER_MEMORY ->
                announced(in.get(LONG, at + ADDRESS), in.get(INT, at + LENGTH), in.get(INT, at + KEY));
            default -> throw new ProtocolException("the peer sent an unknown command, " + opcode);
        }
    }

    /** The server's answer. */
    private void offered(long offer) throws ProtocolException {
        if (features != Features.ASKED) {
            throw new ProtocolException("the server offered features, and was not asked");
        }
        features = Features.CHOOSE;
        if (offer != 0 && TOLD.compareAndSet(false, true)) {
            LOG.log(
                    Level.INFO,
                    "a Valkey server offers features of its protocol that are not used: {0}",
                    Long.toHexString(offer));
        }
    }

    private void asked(short about) throws ProtocolException {
        if (features == Features.ANSWER) {
            throw new ProtocolException("the client asked for features twice, and did not wait");
        }
        features = Features.ANSWER;
        select = about;
    }

    private void chosen(long choice) throws ProtocolException {
        if (connects || choice != 0) {
            throw new ProtocolException("the peer chose features that were not offered: " + Long.toHexString(choice));
        }
    }

    private void announced(long address, int length, int key) throws ProtocolException {
        if (sends.room() != 0) {
            throw new ProtocolException(
                    "the peer announced a buffer, and " + sends.room() + " bytes of the last are unused");
        }
        if (length <= 0 || length > MAX_BUFFER || Long.compareUnsigned(address + length, address) < 0) {
            throw new ProtocolException("the peer announced a buffer of " + Integer.toUnsignedString(length)
                    + " bytes at " + Long.toHexString(address) + ", which is out of range");
        }
        sends.granted(address, key, length);
    }

    @Override
    void nextRoom() {
        // The peer announces it once it has everything.
    }

    @Override
    boolean isGrantDue() {
        return due != null || (receives.isFilled() && receives.hasBlock()) || isTalkDue();
    }

    private boolean isTalkDue() {
        return features == Features.ASK || features == Features.CHOOSE || features == Features.ANSWER;
    }

    @Override
    void grant() throws ProtocolException {
        while (isGrantDue() && sends.hasControls(1)) {
            if (isTalkDue()) {
                talk();
            } else {
                announce(due != null ? due : receives.nextBlock());
                due = null;
            }
        }
    }

    private void talk() throws ProtocolException {
        switch (features) {
            case ASK -> {
                send(begin(GET_SERVER_FEATURE));
                features = Features.ASKED;
            }
            case CHOOSE -> {
                send(begin(SET_CLIENT_FEATURE));
                features = Features.NOTHING;
            }
            case ANSWER -> {
                int at = begin(GET_SERVER_FEATURE);
                out.putShort(at + SELECT, select);
                send(at);
                features = Features.NOTHING;
            }
            default -> throw new AssertionError(features);
        }
    }

    private void announce(ReceiveBlock block) throws ProtocolException {
        MemoryRegion region = block.region();
        int at = begin(REGISTER_MEMORY);
        out.putLong(at + ADDRESS, region.address() + block.start());
        out.putInt(at + LENGTH, receives.blockBytes());
        out.putInt(at + KEY, region.rkey());
        send(at);
    }

    /** Begins a command, whose other fields are 0; returns where. */
    private int begin(int opcode) {
        int at = memory.controlOffset(sends.controls());
        for (int i = 0; i < COMMAND_BYTES; i += Long.BYTES) {
            out.putLong(at + i, 0);
        }
        out.putShort(at, (short) opcode);
        return at;
    }

    private void send(int at) throws ProtocolException {
        long number = sends.nextControl();
        SendSide.check(wire.command(at, sends.inline() >= COMMAND_BYTES, number));
    }

    @Override
    void probe() throws ProtocolException {
        send(begin(KEEPALIVE));
    }

    @Override
    boolean hasHalfClose() {
        return false;
    }

    @Override
    Duration attention() {
        return ATTENTION;
    }

    @Override
    public String toString() {
        return "features: " + features + (due != null ? ", a buffer is to be announced" : "");
    }
}
