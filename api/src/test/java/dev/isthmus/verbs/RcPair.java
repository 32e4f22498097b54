// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.testbed.TestDeadlines;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Two connected queue pairs, RC by default, on the first two devices (or both on the only one), each with its own
 * completion queue and buffer. Belongs to the test's thread.
 */
final class RcPair implements AutoCloseable {

    static final int BUFFER = 1 << 16;

    /** The key of datagram queue pairs. */
    static final int QKEY = 0x1111_1111;

    /** How long a completion may take. Generous, because the emulated machine is slow and shared. */
    private static final long DEADLINE_NANOS = TestDeadlines.ofSeconds(60).toNanos();

    final Side a;
    final Side b;

    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final Arena arena = Arena.ofShared();

    /** One end. */
    final class Side {
        final DeviceContext device;
        final ProtectionDomain pd;
        final CompletionQueue cq;
        final QueuePair qp;
        final MemoryRegion region;
        final GidEntry gid;
        final WorkCompletions done = WorkCompletions.allocate(16);

        private Side(
                Device which,
                QueuePairType type,
                Consumer<QueuePairConfig> configure,
                Function<Side, CompletionQueue> completionQueue) {
            device = opened(which.open());
            pd = opened(device.allocateProtectionDomain());
            cq = opened(completionQueue.apply(this));
            qp = opened(pd.createQueuePair(type, cq, cq, configure));
            region = opened(pd.register(
                    arena.allocate(BUFFER, 8),
                    AccessFlag.LOCAL_WRITE,
                    AccessFlag.REMOTE_WRITE,
                    AccessFlag.REMOTE_READ,
                    AccessFlag.REMOTE_ATOMIC));
            gid = device.defaultGid(1);
        }

        /** Closes a resource together with the pair, before the device. */
        <T extends AutoCloseable> T closedWithPair(T resource) {
            return opened(resource);
        }

        MemorySegment memory() {
            return region.segment();
        }

        SendRequest send(long offset, long length) {
            return SendRequest.prepare(region).range(offset, length).signaled(true);
        }

        ReceiveRequest receive(long offset, long length) {
            return ReceiveRequest.prepare(region).range(offset, length);
        }

        /** Another queue pair with the same completion queue, closed with the pair. */
        QueuePair anotherQueuePair(QueuePairType type) {
            return opened(pd.createQueuePair(type, cq, cq));
        }

        /** The path to another side, closed with the pair. */
        AddressHandle wayTo(Side other) {
            return opened(pd.createAddressHandle(AddressVector.global(gid, other.gid.gid())));
        }

        /** Queries until the send queue, which is on its way to SQD, has drained. */
        void awaitDrained() {
            awaitDrained(qp);
        }

        static void awaitDrained(QueuePair qp) {
            long deadline = System.nanoTime() + DEADLINE_NANOS;
            while (qp.query().sqDraining()) {
                if (System.nanoTime() - deadline > 0) {
                    throw new AssertionError("not drained within the deadline: " + qp);
                }
                Thread.onSpinWait();
            }
        }

        /** Polls until there is a completion, which must be the only one and a success. */
        void awaitSuccess() {
            int n = await();
            if (n != 1 || !done.isSuccess(0)) {
                throw new AssertionError(done.toString());
            }
        }

        /** Polls until there is a completion; the first is at index 0. */
        int await() {
            long deadline = System.nanoTime() + DEADLINE_NANOS;
            int n = cq.poll(done);
            while (n == 0) {
                if (System.nanoTime() - deadline > 0) {
                    throw new AssertionError("no completion within the deadline on " + qp);
                }
                Thread.onSpinWait();
                n = cq.poll(done);
            }
            return n;
        }
    }

    private RcPair(
            QueuePairType type, Consumer<QueuePairConfig> configure, Function<Side, CompletionQueue> completionQueue) {
        List<Device> devices = Device.list();
        boolean complete = false;
        try {
            a = new Side(devices.getFirst(), type, configure, completionQueue);
            b = new Side(devices.getLast(), type, configure, completionQueue);
            complete = true;
        } finally {
            if (!complete) {
                close();
            }
        }
    }

    private static CompletionQueue completionQueue(Side side) {
        return side.device.createCompletionQueue(256);
    }

    /** Not direct, so that its completion queues take others that cannot be, and can be resized. */
    static RcPair ofDriver(Consumer<QueuePairConfig> configure) {
        return new RcPair(QueuePairType.RC, configure, RcPair::queueOfDriver);
    }

    static CompletionQueue queueOfDriver(Side side) {
        return side.device.createCompletionQueue(256, config -> config.direct(false));
    }

    static RcPair unconnected(Consumer<QueuePairConfig> configure) {
        return new RcPair(QueuePairType.RC, configure, RcPair::completionQueue);
    }

    static RcPair unconnected(QueuePairType type, Consumer<QueuePairConfig> configure) {
        return new RcPair(type, configure, RcPair::completionQueue);
    }

    /** Two UD queue pairs that are up. */
    static RcPair datagrams() {
        return datagrams(RcPair::completionQueue);
    }

    static RcPair datagrams(Function<Side, CompletionQueue> completionQueue) {
        var pair = new RcPair(QueuePairType.UD, config -> config.maxInline(64).maxSendSge(4), completionQueue);
        pair.a.qp.bringUp(1, QKEY);
        pair.b.qp.bringUp(1, QKEY);
        return pair;
    }

    static RcPair connected() {
        return connected(config -> config.maxInline(64).maxSendSge(4).maxRecvSge(4));
    }

    static RcPair connected(Consumer<QueuePairConfig> configure) {
        return connected(QueuePairType.RC, configure);
    }

    static RcPair connected(QueuePairType type, Consumer<QueuePairConfig> configure) {
        return connect(new RcPair(type, configure, RcPair::completionQueue));
    }

    static RcPair connected(Consumer<QueuePairConfig> configure, Function<Side, CompletionQueue> completionQueue) {
        return connect(new RcPair(QueuePairType.RC, configure, completionQueue));
    }

    private static RcPair connect(RcPair pair) {
        pair.a.qp.connect(pair.a.gid, pair.b.qp.address(pair.b.gid));
        pair.b.qp.connect(pair.b.gid, pair.a.qp.address(pair.a.gid));
        return pair;
    }

    Arena arena() {
        return arena;
    }

    private <T extends AutoCloseable> T opened(T resource) {
        open.push(resource);
        return resource;
    }

    @Override
    public void close() {
        try {
            while (!open.isEmpty()) {
                open.pop().close();
            }
        } catch (Exception e) {
            throw new AssertionError("the pair could not be closed", e);
        }
        arena.close();
    }
}
