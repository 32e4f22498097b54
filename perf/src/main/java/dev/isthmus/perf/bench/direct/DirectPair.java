// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.direct;

import static dev.isthmus.verbs.AccessFlag.LOCAL_WRITE;
import static dev.isthmus.verbs.AccessFlag.REMOTE_ATOMIC;
import static dev.isthmus.verbs.AccessFlag.REMOTE_READ;
import static dev.isthmus.verbs.AccessFlag.REMOTE_WRITE;

import dev.isthmus.verbs.AddressHandle;
import dev.isthmus.verbs.AddressVector;
import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.GidEntry;
import dev.isthmus.verbs.MemoryRegion;
import dev.isthmus.verbs.ProtectionDomain;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.QueuePairType;
import dev.isthmus.verbs.WorkCompletions;
import java.lang.foreign.Arena;

/** Two queue pairs of one thread that are connected to each other, both direct or both driven by libmlx5. */
final class DirectPair implements AutoCloseable {

    static final int BYTES = 4096; // of each half of the region: the source, and the target
    static final int DEPTH = 128;
    static final int QKEY = 7;

    private static final int BUFFERS = 2;
    private static final int INLINE = 64;
    private static final long PATIENCE_NANOS = 10_000_000_000L;

    final QueuePair sender;
    final QueuePair receiver;
    final MemoryRegion region;
    final AddressHandle path; // null unless datagrams
    final WorkCompletions sent = WorkCompletions.allocate(DEPTH);
    final WorkCompletions received = WorkCompletions.allocate(DEPTH);

    private final Arena arena = Arena.ofConfined();
    private final ProtectionDomain pd;
    private final CompletionQueue sends;
    private final CompletionQueue receives;

    DirectPair(DeviceContext context, QueuePairType type, boolean direct) {
        pd = context.allocateProtectionDomain();
        region = pd.register(arena.allocate(2 * BYTES, BYTES), LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC);
        sends = context.createCompletionQueue(2 * DEPTH, queue -> queue.direct(direct));
        receives = context.createCompletionQueue(2 * DEPTH, queue -> queue.direct(direct));
        sender = create(type, sends, direct);
        receiver = create(type, receives, direct);
        GidEntry gid = context.defaultGid(1);
        if (type == QueuePairType.UD) {
            sender.bringUp(1, QKEY);
            receiver.bringUp(1, QKEY);
            path = pd.createAddressHandle(AddressVector.global(gid, gid.gid()));
        } else {
            sender.connect(gid, receiver.address(gid));
            receiver.connect(gid, sender.address(gid));
            path = null;
        }
    }

    private QueuePair create(QueuePairType type, CompletionQueue queue, boolean direct) {
        QueuePair qp = pd.createQueuePair(
                type,
                queue,
                queue,
                config -> config.direct(direct)
                        .maxSendWr(DEPTH)
                        .maxRecvWr(DEPTH)
                        .maxSendSge(BUFFERS)
                        .maxInline(INLINE));
        if (qp.isDirect() != direct) { // both ways would be one
            throw new IllegalStateException(qp + (direct ? " is not direct" : " is direct"));
        }
        return qp;
    }

    /** The address of the half that messages and accesses go to. */
    long target() {
        return region.address() + BYTES;
    }

    void awaitSent() {
        await(sends, sent);
    }

    void awaitReceived() {
        await(receives, received);
    }

    private static void await(CompletionQueue queue, WorkCompletions into) {
        long begin = System.nanoTime();
        while (queue.poll(into) == 0) {
            if (System.nanoTime() - begin > PATIENCE_NANOS) {
                throw new IllegalStateException("a completion has not come within ten seconds");
            }
            Thread.onSpinWait();
        }
    }

    @Override
    public void close() {
        sender.close();
        receiver.close();
        if (path != null) {
            path.close();
        }
        sends.close();
        receives.close();
        region.close();
        pd.close();
        arena.close();
    }
}
