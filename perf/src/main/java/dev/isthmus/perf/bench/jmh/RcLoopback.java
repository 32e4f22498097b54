// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.jmh;

import static dev.isthmus.verbs.AccessFlag.LOCAL_WRITE;
import static dev.isthmus.verbs.AccessFlag.REMOTE_WRITE;
import static dev.isthmus.verbs.QueuePairType.RC;

import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.Device;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.GidEntry;
import dev.isthmus.verbs.MemoryRegion;
import dev.isthmus.verbs.ProtectionDomain;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.WorkCompletions;
import java.lang.foreign.Arena;

/**
 * Two connected RC queue pairs of the first device, with everything that it takes to send messages between them on one
 * thread, the one that created this.
 */
final class RcLoopback implements AutoCloseable {

    private static final int BYTES = 64;
    private static final int DEPTH = 16;

    private final Arena arena = Arena.ofConfined();
    private final DeviceContext context;
    private final ProtectionDomain pd;
    private final MemoryRegion region;
    private final CompletionQueue sendQueue;
    private final CompletionQueue receiveQueue;
    private final QueuePair sender;
    private final QueuePair receiver;
    private final SendRequest send;
    private final ReceiveRequest receive;
    private final WorkCompletions completions = WorkCompletions.allocate(1);

    /** Opens the first device and connects. */
    RcLoopback() {
        context = Device.first().open();
        pd = context.allocateProtectionDomain();
        region = pd.register(arena.allocate(2 * BYTES, BYTES), LOCAL_WRITE, REMOTE_WRITE);
        sendQueue = context.createCompletionQueue(DEPTH);
        receiveQueue = context.createCompletionQueue(DEPTH);
        sender = pd.createQueuePair(RC, sendQueue, sendQueue);
        receiver = pd.createQueuePair(RC, receiveQueue, receiveQueue);
        connect(sender, receiver);
        send = SendRequest.prepare(region).range(0, BYTES).signaled(true);
        receive = ReceiveRequest.prepare(region).range(BYTES, BYTES);
    }

    private void connect(QueuePair one, QueuePair other) {
        GidEntry gid = context.defaultGid(1);
        one.connect(gid, other.address(gid));
        other.connect(gid, one.address(gid));
    }

    /** The device's protection domain, for other objects. */
    ProtectionDomain protectionDomain() {
        return pd;
    }

    /** Memory that is registered. */
    MemoryRegion region() {
        return region;
    }

    /** Sends a message and waits until both ends have their completion. */
    long exchange() {
        if (!receiver.tryPost(receive) || !sender.tryPost(send)) {
            throw new IllegalStateException("a queue is full, although it is drained");
        }
        awaitSuccess(sendQueue);
        awaitSuccess(receiveQueue);
        return completions.byteLength(0);
    }

    private void awaitSuccess(CompletionQueue queue) {
        while (queue.poll(completions) == 0) {
            Thread.onSpinWait();
        }
        if (!completions.isSuccess(0)) {
            throw new IllegalStateException("a message failed: " + completions);
        }
    }

    /** Polls an empty queue. */
    int emptyPoll() {
        return receiveQueue.poll(completions);
    }

    /** Creates two more queue pairs, connects them to each other, and closes them. */
    void connectAnotherPair() {
        try (QueuePair one = pd.createQueuePair(RC, sendQueue, sendQueue);
                QueuePair other = pd.createQueuePair(RC, receiveQueue, receiveQueue)) {
            connect(one, other);
        }
    }

    /** Closes everything. */
    @Override
    public void close() {
        sender.close();
        receiver.close();
        sendQueue.close();
        receiveQueue.close();
        region.close();
        pd.close();
        context.close();
        arena.close();
    }
}
