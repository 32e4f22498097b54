// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import dev.isthmus.CmException;
import dev.isthmus.cm.CmEvent;
import dev.isthmus.cm.ConnectionConfig;
import dev.isthmus.cm.ConnectionId;
import dev.isthmus.cm.EventChannel;
import dev.isthmus.cm.PortSpace;
import dev.isthmus.cm.PrivateData;
import dev.isthmus.testbed.TestDeadlines;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.CompletionOpcode;
import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.ProtectionDomain;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.RegisteredMemory;
import dev.isthmus.verbs.SendOpcode;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.WorkCompletions;
import dev.isthmus.verbs.attributes.TransportType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * A peer that keeps no rule: it connects with any greeting, and then sends any message, writes anywhere, or does
 * nothing. Belongs to one thread.
 */
final class RawPeer implements AutoCloseable {

    /** How many messages it says that it accepts. */
    static final int CREDITS = 64;

    /** The length of the part of its ring that its greeting grants. */
    static final int PART = 2048;

    static final Duration LONGEST = TestDeadlines.ofSeconds(60);

    /** Numbers of queue pairs that do not exist; the kernel refuses a number that it has seen recently as stale. */
    private static final AtomicInteger NUMBERS = new AtomicInteger(0x400000);

    private static final int QUEUE = 512;
    private static final int TARGETS_OFFSET = PART;
    private static final int MESSAGE_OFFSET = 3072; // of what it sends, on iWARP
    private static final int RECEIVED_OFFSET = 3080; // and receives
    private static final int OUT_OFFSET = 4096;
    private static final int OUT_BYTES = 1 << 17;

    /** What it says of itself: at first everything is right. */
    static final class Greeting {
        int length = 40;
        int version = 1;
        int flags;
        int credits = CREDITS;
        int iomap;
        long targets;
        int targetsKey;
        int targetCount = 2;
        long buffer;
        int bufferKey;
        int bufferBytes = PART;

        private PrivateData write() {
            ByteBuffer into = ByteBuffer.allocate(40);
            into.put((byte) version).put((byte) flags).putShort((short) credits).putInt(iomap);
            into.putLong(targets).putInt(targetsKey).putInt(targetCount);
            into.putLong(buffer).putInt(bufferKey).putInt(bufferBytes);
            byte[] part = new byte[length];
            into.get(0, part);
            return PrivateData.of(part);
        }
    }

    private final Deque<AutoCloseable> made = new ArrayDeque<>(); // the last is closed first
    private final EventChannel events; // its own, or its listener's
    private final ConnectionId id;
    private final CompletionQueue completions;
    private final QueuePair queuePair;
    private final RegisteredMemory memory;
    private final WorkCompletions done = WorkCompletions.allocate(16);
    private final SendRequest request = SendRequest.prepare(1);
    private final ReceiveRequest receive = ReceiveRequest.prepare(1);
    private final boolean iwarp;
    private boolean over;
    private int underWay;
    private ConnectionData theirs; // null until it is connected, or if it speaks Valkey's protocol
    private final Deque<ByteBuffer> commands = new ArrayDeque<>(); // of Valkey's protocol, that have arrived

    private RawPeer(EventChannel events, ConnectionId id, int receives) {
        this.events = events;
        this.id = made(id);
        DeviceContext device = id.device();
        iwarp = device.device().transportType() == TransportType.IWARP;
        ProtectionDomain pd = made(device.allocateProtectionDomain());
        memory = made(pd.allocate(OUT_OFFSET + OUT_BYTES, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE));
        completions = made(device.createCompletionQueue(2 * QUEUE));
        queuePair = made(id.createQueuePair(
                pd, completions, completions, config -> config.maxSendWr(QUEUE).maxRecvWr(QUEUE)));
        receive.sge(0, memory.region(), RECEIVED_OFFSET, iwarp ? Memory.MESSAGE_BYTES : ValkeyProtocol.COMMAND_BYTES);
        for (int i = 0; i < receives; i++) {
            queuePair.post(receive);
        }
    }

    private <T extends AutoCloseable> T made(T object) {
        made.push(object);
        return object;
    }

    /** Connects; throws ConnectException if it is rejected. */
    static RawPeer connect(InetSocketAddress to, Consumer<Greeting> change) throws Exception {
        return connect(to, CREDITS, change);
    }

    /** Connects to one that speaks Valkey's protocol. */
    static RawPeer connectToValkey(InetSocketAddress to) throws Exception {
        return connect(to, CREDITS, StreamProtocol.VALKEY, greeting -> greeting.length = 0);
    }

    /** Connects, with this many receives posted. */
    static RawPeer connect(InetSocketAddress to, int receives, Consumer<Greeting> change) throws Exception {
        return connect(to, receives, StreamProtocol.RSOCKET, change);
    }

    private static RawPeer connect(
            InetSocketAddress to, int receives, StreamProtocol protocol, Consumer<Greeting> change) throws Exception {
        EventChannel events = EventChannel.open();
        ConnectionId id = resolved(events, to);
        var peer = new RawPeer(events, id, receives);
        peer.made.addLast(events);
        boolean connected = false;
        try {
            id.connect(config -> peer.configure(config, change));
            CmEvent answer = events.await(LONGEST);
            if (!(answer instanceof CmEvent.Established(var _, var parameters))) {
                throw new ConnectException(answer.toString());
            }
            peer.theirs = ConnectionData.read(parameters.privateData(), protocol);
            connected = true;
            return peer;
        } finally {
            if (!connected) {
                peer.close();
            }
        }
    }

    private static ConnectionId resolved(EventChannel events, InetSocketAddress to) throws Exception {
        ConnectionId id = events.createId(PortSpace.TCP);
        id.resolveAddress(null, to, LONGEST);
        expect(CmEvent.AddressResolved.class, events);
        id.resolveRoute(LONGEST);
        expect(CmEvent.RouteResolved.class, events);
        return id;
    }

    /** Requests a connection, and does not confirm it. Not on iWARP. */
    static AutoCloseable halfMade(InetSocketAddress to) throws Exception {
        EventChannel events = EventChannel.open();
        ConnectionId id = resolved(events, to);
        var greeting = new Greeting();
        id.connect(config -> config.privateData(greeting.write()).queuePair(NUMBERS.getAndIncrement(), false));
        expect(CmEvent.ConnectResponse.class, events);
        return () -> {
            id.close();
            events.close();
        };
    }

    private static <T extends CmEvent> T expect(Class<T> type, EventChannel events) throws InterruptedException {
        CmEvent event = events.await(LONGEST);
        if (!type.isInstance(event)) {
            throw new AssertionError(type.getSimpleName() + " expected, not " + event);
        }
        return type.cast(event);
    }

    private void configure(ConnectionConfig config, Consumer<Greeting> change) {
        var greeting = new Greeting();
        greeting.targets = memory.region().address() + TARGETS_OFFSET;
        greeting.targetsKey = memory.region().rkey();
        greeting.buffer = memory.region().address();
        greeting.bufferKey = memory.region().rkey();
        change.accept(greeting);
        config.privateData(greeting.write())
                .flowControl(true)
                .initiatorDepth(1)
                .responderResources(1)
                .retryCount(6)
                .rnrRetryCount(7);
    }

    /** Listens for peers. */
    static final class Listener implements AutoCloseable {
        private final EventChannel events = EventChannel.open();
        private final ConnectionId id = events.createId(PortSpace.TCP);

        Listener(InetSocketAddress address) {
            id.bind(address);
            id.listen();
        }

        InetSocketAddress address() {
            return id.localAddress();
        }

        /** Accepts, and does not wait until the other side knows. */
        RawPeer accept(Consumer<Greeting> change) throws Exception {
            return accept(StreamProtocol.RSOCKET, change);
        }

        /** Accepts one that speaks Valkey's protocol. */
        RawPeer acceptValkey() throws Exception {
            return accept(StreamProtocol.VALKEY, greeting -> greeting.length = 0);
        }

        private RawPeer accept(StreamProtocol protocol, Consumer<Greeting> change) throws Exception {
            CmEvent.ConnectRequest asked = expect(CmEvent.ConnectRequest.class, events);
            var peer = new RawPeer(events, asked.id(), CREDITS);
            peer.theirs = ConnectionData.read(asked.parameters().privateData(), protocol);
            asked.id().accept(config -> peer.configure(config, change));
            return peer;
        }

        @Override
        public void close() {
            id.close();
            events.close();
        }
    }

    boolean isIwarp() {
        return iwarp;
    }

    /** What the other side said of itself. */
    ConnectionData theirs() {
        return theirs;
    }

    /** Sends a message. */
    void say(int operation, int value) {
        say(Message.of(operation, value));
    }

    void say(int message) {
        if (iwarp) {
            memory.segment().set(ValueLayout.JAVA_INT, MESSAGE_OFFSET, message);
            send(MESSAGE_OFFSET, Memory.MESSAGE_BYTES);
        } else {
            write(SendOpcode.RDMA_WRITE_WITH_IMM, OUT_OFFSET, 0, 0, 0, message);
        }
    }

    /** Writes this many bytes to the other side's memory, and sends a message. */
    void write(long address, int key, int length, int message) {
        if (iwarp) {
            write(address, key, length);
            say(message);
        } else {
            write(SendOpcode.RDMA_WRITE_WITH_IMM, OUT_OFFSET, length, address, key, message);
        }
    }

    /** Sends a command of Valkey's protocol, whose fields are written into a buffer of zeros. */
    void command(int opcode, Consumer<ByteBuffer> fields) {
        ByteBuffer command = ByteBuffer.allocate(ValkeyProtocol.COMMAND_BYTES);
        command.putShort(0, (short) opcode);
        fields.accept(command);
        out().put(0, command, 0, ValkeyProtocol.COMMAND_BYTES);
        send(ValkeyProtocol.COMMAND_BYTES);
    }

    /** Announces a buffer, as it says. */
    void announce(long address, int key, int length) {
        command(
                ValkeyProtocol.REGISTER_MEMORY,
                command -> command.putLong(ValkeyProtocol.ADDRESS, address)
                        .putInt(ValkeyProtocol.LENGTH, length)
                        .putInt(ValkeyProtocol.KEY, key));
    }

    /** Waits for a command of the other side, and skips others. All receives have the same place. */
    ByteBuffer awaitCommand(int opcode) {
        long begin = System.nanoTime();
        while (true) {
            poll();
            for (ByteBuffer one = commands.poll(); one != null; one = commands.poll()) {
                if (one.getShort(0) == opcode) {
                    return one;
                }
            }
            if (System.nanoTime() - begin > LONGEST.toNanos()) {
                throw new AssertionError("no command " + opcode + " in " + LONGEST);
            }
            yieldProcessor();
        }
    }

    /** Sends this many bytes with an immediate value. */
    void sendWithImmediate(int length, int value) {
        post(request.opcode(SendOpcode.SEND_WITH_IMM)
                .sge(0, memory.region(), OUT_OFFSET, length)
                .immediate(value));
    }

    /** Writes this many bytes to the other side's memory, and sends no message. */
    void write(long address, int key, int length) {
        write(SendOpcode.RDMA_WRITE, OUT_OFFSET, length, address, key, 0);
    }

    /** The bytes of the next write. */
    ByteBuffer out() {
        return memory.segment().asSlice(OUT_OFFSET).asByteBuffer().order(ByteOrder.nativeOrder());
    }

    /** Grants a part of its ring, as it says, and accepts this many messages. */
    void grant(int target, long address, int key, int length, int upTo) {
        out().putLong(address).putInt(key).putInt(length);
        write(
                theirs.targets() + (long) target * ConnectionData.TARGET_BYTES,
                theirs.targetsKey(),
                ConnectionData.TARGET_BYTES,
                Message.of(Message.CREDITS, upTo));
    }

    /** Maps a region, as it says. */
    void map(int index, long offset, long address, int key, int length) {
        out().putLong(offset).putLong(address).putInt(key).putInt(length);
        write(theirs.iomap(index), theirs.targetsKey(), ConnectionData.IOMAP_BYTES, Message.of(Message.IOMAP, index));
    }

    /** An entry that the other side has written. */
    ByteBuffer entry(int index) {
        int offset = TARGETS_OFFSET
                + ConnectionData.TARGETS * ConnectionData.TARGET_BYTES
                + index * ConnectionData.IOMAP_BYTES;
        return memory.segment()
                .asSlice(offset, ConnectionData.IOMAP_BYTES)
                .asByteBuffer()
                .order(ByteOrder.nativeOrder());
    }

    /** Memory to which the other side may write, if it knows where. */
    MemorySegment spare() {
        return memory.segment().asSlice(OUT_OFFSET + OUT_BYTES / 2);
    }

    /** Its key. */
    int key() {
        return memory.region().rkey();
    }

    /** Sends this many bytes, which are no message on RoCE. */
    void send(int length) {
        send(OUT_OFFSET, length);
    }

    private void send(int offset, int length) {
        post(request.opcode(SendOpcode.SEND).sge(0, memory.region(), offset, length));
    }

    private void write(SendOpcode opcode, int offset, int length, long address, int key, int message) {
        post(request.opcode(opcode)
                .sge(0, memory.region(), offset, length)
                .remote(address, key)
                .immediate(message));
    }

    /**
     * Waits for each request, so the memory that it is sent from can be used again at once. Does nothing once it
     * is disconnected.
     */
    private void post(SendRequest one) {
        if (over) {
            return;
        }
        underWay++;
        queuePair.post(one.signaled(true).wrId(1));
        long begin = System.nanoTime();
        for (int i = 1; underWay > 0; i++) {
            if (System.nanoTime() - begin > LONGEST.toNanos()) {
                throw new AssertionError("a request does not end in " + LONGEST);
            }
            poll();
            if (i % 64 == 0) {
                isOver();
            }
            yieldProcessor();
        }
    }

    /** The other side may have the same processor: there, spinning took half of the time of a hostile connection. */
    @SuppressWarnings("ThreadPriorityCheck")
    private static void yieldProcessor() {
        Thread.yield();
    }

    /** Whether the other side has ended the connection; if so, ends it here, too. */
    boolean isOver() {
        if (!over && events.poll() instanceof CmEvent.Disconnected) {
            disconnect();
        }
        return over;
    }

    private void poll() {
        int count = completions.poll(done);
        for (int i = 0; i < count; i++) {
            if (done.wrId(i) == 1) {
                underWay--;
            } else if (done.isSuccess(i)) {
                if (done.opcode(i) == CompletionOpcode.RECV && done.byteLength(i) == ValkeyProtocol.COMMAND_BYTES) {
                    byte[] bytes = new byte[ValkeyProtocol.COMMAND_BYTES];
                    MemorySegment.copy(
                            memory.segment(), ValueLayout.JAVA_BYTE, RECEIVED_OFFSET, bytes, 0, bytes.length);
                    commands.add(ByteBuffer.wrap(bytes));
                }
                queuePair.post(receive);
            }
        }
    }

    /** Ends the connection without a word. */
    void disconnect() {
        if (!over) {
            over = true;
            try {
                id.disconnect();
            } catch (CmException e) {
                assert e != null; // the other side was quicker
            }
        }
    }

    @Override
    public void close() {
        while (!made.isEmpty()) {
            close(made.pop());
        }
    }

    private static void close(AutoCloseable one) {
        try {
            one.close();
        } catch (Exception e) {
            throw new AssertionError(one + " cannot be closed", e);
        }
    }
}
