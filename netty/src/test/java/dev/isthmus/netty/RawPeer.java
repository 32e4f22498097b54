// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.netty;

import dev.isthmus.CmException;
import dev.isthmus.cm.CmEvent;
import dev.isthmus.cm.ConnectionId;
import dev.isthmus.cm.EventChannel;
import dev.isthmus.cm.PortSpace;
import dev.isthmus.cm.PrivateData;
import dev.isthmus.testbed.TestDeadlines;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.RegisteredMemory;
import dev.isthmus.verbs.SendOpcode;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.WorkCompletions;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A peer on RoCE that speaks rsocket's wire protocol by hand, and so can break it. It never grants more than the room of
 * its greeting. Belongs to one thread.
 */
final class RawPeer implements AutoCloseable {

    /** Operations, and a value of the last. */
    static final int DATA = 0;

    static final int CONTROL = 7;
    static final int DISCONNECT = 0;

    private static final int ROOM = 4096; // that its greeting grants
    private static final int TARGETS = ROOM;
    private static final int OUT = ROOM + 4096;
    private static final int OUT_BYTES = 1 << 16;
    private static final int CREDITS = 64;
    private static final int RECEIVES = 512;
    private static final Duration LONGEST = TestDeadlines.ofSeconds(60);

    private final Deque<AutoCloseable> made = new ArrayDeque<>(); // the last is closed first
    private final EventChannel events = made(EventChannel.open());
    private final ConnectionId id = made(events.createId(PortSpace.TCP));
    private final RegisteredMemory memory;
    private final CompletionQueue completions;
    private final QueuePair queuePair;
    private final SendRequest request = SendRequest.prepare(1).signaled(true).wrId(1);
    private final ReceiveRequest receive = ReceiveRequest.prepare(0);
    private final WorkCompletions done = WorkCompletions.allocate(16);
    private final long theirRing;
    private final int theirKey;
    private final int theirRoom;

    RawPeer(InetSocketAddress to) throws InterruptedException {
        id.resolveAddress(null, to, LONGEST);
        expect(CmEvent.AddressResolved.class);
        id.resolveRoute(LONGEST);
        expect(CmEvent.RouteResolved.class);
        var pd = made(id.device().allocateProtectionDomain());
        memory = made(pd.allocate(OUT + OUT_BYTES, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE));
        completions = made(id.device().createCompletionQueue(2 * RECEIVES));
        queuePair = made(id.createQueuePair(
                pd,
                completions,
                completions,
                config -> config.maxSendWr(RECEIVES).maxRecvWr(RECEIVES)));
        for (int i = 0; i < RECEIVES; i++) {
            queuePair.post(receive);
        }
        id.connect(config ->
                config.privateData(greeting()).flowControl(true).retryCount(6).rnrRetryCount(7));
        ByteBuffer theirs = ByteBuffer.wrap(
                expect(CmEvent.Established.class).parameters().privateData().bytes());
        theirRing = theirs.getLong(24);
        theirKey = theirs.getInt(32);
        theirRoom = theirs.getInt(36);
    }

    private <T extends AutoCloseable> T made(T object) {
        made.push(object);
        return object;
    }

    private PrivateData greeting() {
        long address = memory.region().address();
        int key = memory.region().rkey();
        return PrivateData.of(ByteBuffer.allocate(40)
                .put((byte) 1)
                .put((byte) 0)
                .putShort((short) CREDITS)
                .putInt(0)
                .putLong(address + TARGETS)
                .putInt(key)
                .putInt(2)
                .putLong(address)
                .putInt(key)
                .putInt(ROOM)
                .array());
    }

    private <T extends CmEvent> T expect(Class<T> type) throws InterruptedException {
        CmEvent event = events.await(LONGEST);
        if (!type.isInstance(event)) {
            throw new AssertionError(type.getSimpleName() + " expected, not " + event);
        }
        return type.cast(event);
    }

    /** How many bytes the other side has granted in its greeting. */
    int theirRoom() {
        return theirRoom;
    }

    /** Writes bytes to the other side's ring, at this offset, and says that it has written so many as it claims. */
    void data(int offset, byte[] bytes, int claimed) {
        memory.segment().asSlice(OUT).asByteBuffer().put(0, bytes);
        post(request.opcode(SendOpcode.RDMA_WRITE_WITH_IMM)
                .sge(0, memory.region(), OUT, bytes.length)
                .remote(theirRing + offset, theirKey)
                .immediate(DATA << 29 | claimed));
    }

    /** Writes bytes to the other side's ring, and says nothing. */
    void write(int offset, byte[] bytes) {
        memory.segment().asSlice(OUT).asByteBuffer().put(0, bytes);
        post(request.opcode(SendOpcode.RDMA_WRITE)
                .sge(0, memory.region(), OUT, bytes.length)
                .remote(theirRing + offset, theirKey));
    }

    /** Sends a message without data. */
    void say(int operation, int value) {
        data(0, new byte[0], operation << 29 | value);
    }

    /** Posts, and waits until that has ended, well or not. */
    private void post(SendRequest one) {
        queuePair.post(one);
        long end = System.nanoTime() + LONGEST.toNanos();
        boolean under = true;
        while (under) {
            if (System.nanoTime() > end) {
                throw new AssertionError("a request does not end in " + LONGEST);
            }
            int count = completions.poll(done);
            for (int i = 0; i < count; i++) {
                under &= done.wrId(i) != 1;
            }
            Thread.onSpinWait();
        }
    }

    /** Ends the connection without a disconnect message. */
    void disconnect() {
        try {
            id.disconnect();
        } catch (CmException e) {
            assert e != null; // the other side was quicker
        }
    }

    /** Its queue pair vanishes, as at the end of a process. */
    @Override
    public void close() {
        while (!made.isEmpty()) {
            try {
                made.pop().close();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }
    }
}
