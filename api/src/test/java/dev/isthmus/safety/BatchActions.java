// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.safety;

import static dev.isthmus.safety.Action.action;

import dev.isthmus.verbs.AddressHandle;
import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.FlushRange;
import dev.isthmus.verbs.FlushType;
import dev.isthmus.verbs.MemoryRegion;
import dev.isthmus.verbs.MemoryWindow;
import dev.isthmus.verbs.ProtectionDomain;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.QueuePairType;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.SendBatch;
import dev.isthmus.verbs.SendOpcode;
import dev.isthmus.verbs.SendRequest;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Posting in batches, the steps in any order. */
final class BatchActions {

    private static final SendOpcode[] CONNECTED = {
        SendOpcode.SEND,
        SendOpcode.SEND_WITH_IMM,
        SendOpcode.RDMA_WRITE,
        SendOpcode.RDMA_READ,
        SendOpcode.ATOMIC_FETCH_AND_ADD,
        SendOpcode.ATOMIC_CMP_AND_SWP,
        SendOpcode.LOCAL_INV,
        SendOpcode.BIND_MW
    };

    private BatchActions() {}

    static List<Action> all() {
        return List.of(
                action(
                        "queue pair for batches",
                        4,
                        BatchActions::queuePair,
                        Reason.ARGUMENT,
                        Reason.DEVICE,
                        Reason.STATE), // its completion queue may be polled by this thread
                action("start a batch", 12, w -> batch(w).start(), Reason.STATE),
                action("next of a batch", 20, w -> batch(w).next(w.number(), w.chance(2)), Reason.STATE),
                action(
                        "next of a batch with flags",
                        3,
                        w -> batch(w).next(w.number(), w.number()),
                        Reason.ARGUMENT,
                        Reason.STATE),
                action(
                        "operation of a batch",
                        24,
                        BatchActions::operation,
                        Reason.ARGUMENT,
                        Reason.KIND,
                        Reason.RANGE,
                        Reason.STATE),
                action(
                        "data of a batch",
                        24,
                        BatchActions::data,
                        Reason.ARGUMENT,
                        Reason.KIND,
                        Reason.RANGE,
                        Reason.STATE),
                action(
                        "destination in a batch",
                        6,
                        w -> batch(w).to(
                                        w.any(AddressHandle.class),
                                        w.peek(QueuePair.class).qpNum(),
                                        w.number()),
                        Reason.ARGUMENT,
                        Reason.STATE),
                action(
                        "shared queue in a batch",
                        1,
                        w -> batch(w).sharedReceiveQueue(w.number()),
                        Reason.ARGUMENT,
                        Reason.STATE),
                action("complete a batch", 10, w -> w.ignore(batch(w).complete()), Reason.STATE),
                action("abort a batch", 5, w -> w.peek(SendBatch.class).abort(), Reason.WRONG_THREAD),
                action(
                        "a whole batch",
                        10,
                        BatchActions::whole,
                        Reason.ARGUMENT,
                        Reason.KIND,
                        Reason.RANGE,
                        Reason.STATE));
    }

    private static SendBatch batch(Worker w) {
        return w.use(SendBatch.class);
    }

    private static void queuePair(Worker w) {
        CompletionQueue queue = w.open(CompletionQueue.class);
        boolean datagrams = w.chance(4);
        QueuePair qp = w.use(ProtectionDomain.class)
                .createQueuePair(
                        datagrams ? QueuePairType.UD : QueuePairType.RC,
                        queue,
                        queue,
                        c -> c.maxInline(w.chance(2) ? 0 : 64)
                                .extendedPosting(
                                        w.chance(8)
                                                ? new SendOpcode[] {w.one(SendOpcode.values())}
                                                : datagrams ? new SendOpcode[] {SendOpcode.SEND} : CONNECTED));
        w.part(SendBatch.class, qp.sendBatch(), w.made(QueuePair.class, qp));
        if (datagrams) {
            qp.bringUp(1, 7);
        } else {
            var gid = qp.protectionDomain().context().defaultGid(1);
            qp.connect(gid, qp.address(gid));
        }
    }

    private static void operation(Worker w) {
        SendBatch batch = batch(w);
        MemoryRegion far = w.peek(MemoryRegion.class);
        long address = w.chance(4) ? w.length() : far.address();
        int rkey = w.chance(4) ? w.number() : far.rkey();
        switch (w.random.nextInt(14)) {
            case 0, 1 -> batch.send();
            case 2 -> batch.sendImmediate(w.number());
            case 3 -> batch.sendInvalidate(rkey);
            case 4 -> batch.segments(MemorySegment.ofArray(new byte[w.random.nextInt(100)]), w.number());
            case 5 -> batch.write(address, rkey);
            case 6 -> batch.write(PostActions.remote(far), w.length());
            case 7 -> batch.writeImmediate(address, rkey, w.number());
            case 8 -> batch.read(address, rkey);
            case 9 -> batch.compareAndSwap(address, rkey, w.length(), w.length());
            case 10 -> batch.fetchAndAdd(address, rkey, w.length());
            case 11 -> batch.atomicWrite(address, rkey, w.length());
            case 12 -> batch.localInvalidate(rkey);
            default -> {
                if (w.chance(2)) {
                    batch.bind(w.use(MemoryWindow.class), w.number(), MemoryActions.binding(w));
                } else {
                    batch.flush(address, rkey, w.length(), w.one(FlushType.values()), w.one(FlushRange.values()));
                }
            }
        }
    }

    private static void data(Worker w) {
        SendBatch batch = batch(w);
        switch (w.random.nextInt(7)) {
            case 0, 1 -> batch.sge(w.own(MemoryRegion.class), w.length(), w.length());
            case 2 -> batch.sge(w.own(MemoryRegion.class), 0, 8);
            case 3 -> batch.sges(w.chance(2) ? w.use(SendRequest.class) : w.use(ReceiveRequest.class));
            case 4 -> batch.noData();
            case 5 -> batch.inline(MemoryActions.block(w), w.length(), w.length());
            default -> batch.inline(w.use(SendRequest.class));
        }
    }

    private static void whole(Worker w) {
        SendBatch batch = batch(w);
        MemoryRegion near = w.own(MemoryRegion.class);
        MemoryRegion far = w.peek(MemoryRegion.class);
        batch.start();
        for (int i = w.random.nextInt(4); i >= 0; i--) {
            batch.next(i, w.chance(2)).write(far.address(), far.rkey()).sge(near, 0, w.random.nextInt(9000));
        }
        w.ignore(batch.complete());
    }
}
