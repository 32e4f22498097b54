// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.safety;

import static dev.isthmus.safety.Action.action;

import dev.isthmus.verbs.AddressHandle;
import dev.isthmus.verbs.AddressVector;
import dev.isthmus.verbs.CompletionChannel;
import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.GidEntry;
import dev.isthmus.verbs.MemoryRegion;
import dev.isthmus.verbs.ProtectionDomain;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.QueuePairCapabilities;
import dev.isthmus.verbs.QueuePairConfig;
import dev.isthmus.verbs.QueuePairState;
import dev.isthmus.verbs.QueuePairTransition;
import dev.isthmus.verbs.QueuePairType;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.SendOpcode;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.SharedReceiveQueue;
import dev.isthmus.verbs.WorkCompletions;
import dev.isthmus.verbs.attributes.Mtu;
import dev.isthmus.verbs.cqex.CompletionField;
import dev.isthmus.verbs.cqex.ExtendedCompletionQueue;
import java.util.List;
import java.util.Objects;

/** Completion queues and channels, shared receive queues, queue pairs and their states. */
final class QueueActions {

    private QueueActions() {}

    static List<Action> all() {
        return List.of(
                action("working set", 12, QueueActions::workingSet, Reason.DEVICE),
                action(
                        "channel",
                        2,
                        w -> w.made(
                                CompletionChannel.class,
                                w.use(DeviceContext.class).createCompletionChannel())),
                action(
                        "poll a channel",
                        4,
                        w -> w.ignore(w.use(CompletionChannel.class).poll())),
                action(
                        "await a channel",
                        1,
                        w -> w.ignore(w.use(CompletionChannel.class).await(w.moment())),
                        Reason.ARGUMENT),
                action("completion queue", 4, QueueActions::completionQueue, Reason.ARGUMENT, Reason.DEVICE),
                action("extended completion queue", 2, QueueActions::extended, Reason.ARGUMENT, Reason.DEVICE),
                action(
                        "poll",
                        20,
                        w -> w.ignore(polled(w).poll(w.own(WorkCompletions.class))),
                        Reason.DEVICE,
                        Reason.STATE),
                action(
                        "room for completions",
                        1,
                        w -> w.made(
                                WorkCompletions.class, WorkCompletions.allocate(w.chance(8) ? w.small(100) - 1 : 16)),
                        Reason.ARGUMENT),
                action("read a completion", 10, QueueActions::read, Reason.COMPLETION, Reason.RANGE),
                action("arm", 4, w -> polled(w).requestNotify(w.chance(2)), Reason.KIND, Reason.STATE),
                action(
                        "resize a queue",
                        2,
                        w -> polled(w).resize(w.small(500)),
                        Reason.ARGUMENT,
                        Reason.DEVICE,
                        Reason.STATE),
                action("moderate", 1, w -> polled(w).moderate(w.number(), w.number()), Reason.ARGUMENT, Reason.DEVICE),
                action(
                        "extended poll",
                        6,
                        QueueActions::extendedPoll,
                        Reason.COMPLETION,
                        Reason.DEVICE,
                        Reason.KIND,
                        Reason.STATE),
                action(
                        "shared receive queue",
                        3,
                        w -> w.made(
                                SharedReceiveQueue.class,
                                w.use(ProtectionDomain.class)
                                        .createSharedReceiveQueue(
                                                c -> c.maxWr(w.small(100)).maxSge(w.small(5)))),
                        Reason.ARGUMENT,
                        Reason.DEVICE),
                action(
                        "limit of a shared queue",
                        2,
                        w -> w.use(SharedReceiveQueue.class).limit(w.small(50)),
                        Reason.ARGUMENT,
                        Reason.DEVICE),
                action(
                        "resize a shared queue",
                        2,
                        w -> w.use(SharedReceiveQueue.class).resize(w.small(200)),
                        Reason.ARGUMENT,
                        Reason.DEVICE),
                action(
                        "query a shared queue",
                        1,
                        w -> w.open(SharedReceiveQueue.class).query(),
                        Reason.DEVICE),
                action("queue pair", 12, QueueActions::queuePair, Reason.ARGUMENT, Reason.DEVICE),
                action("connect", 6, QueueActions::connect, Reason.ARGUMENT, Reason.DEVICE, Reason.KIND, Reason.STATE),
                action(
                        "bring up",
                        6,
                        w -> w.use(QueuePair.class).bringUp(w.chance(10) ? w.number() : 1, 7),
                        Reason.ARGUMENT,
                        Reason.DEVICE,
                        Reason.KIND,
                        Reason.STATE),
                action(
                        "modify",
                        10,
                        w -> w.use(QueuePair.class).modify(transition(w)),
                        Reason.ARGUMENT,
                        Reason.DEVICE,
                        Reason.KIND,
                        Reason.STATE),
                action("query a queue pair", 2, w -> w.use(QueuePair.class).query(), Reason.DEVICE, Reason.STATE),
                action("flush", 1, w -> w.use(QueuePair.class).flush(), Reason.DEVICE, Reason.STATE),
                action(
                        "drain",
                        1,
                        w -> w.ignore(w.use(QueuePair.class).drain(w.own(WorkCompletions.class), _ -> {}, w.moment())),
                        Reason.ARGUMENT,
                        Reason.DEVICE,
                        Reason.STATE,
                        Reason.WRONG_THREAD),
                action(
                        "find a queue pair",
                        2,
                        w -> w.ignore(w.peek(CompletionQueue.class)
                                .queuePair(w.peek(QueuePair.class).qpNum()))),
                action("attach", 1, w -> w.peek(QueuePair.class).attach("something")),
                action(
                        "limit a rate",
                        1,
                        w -> w.use(QueuePair.class).limitRate(w.number(), w.number(), w.number()),
                        Reason.ARGUMENT,
                        Reason.DEVICE,
                        Reason.STATE),
                action(
                        "in order",
                        1,
                        w -> w.use(QueuePair.class).isDataInOrder(w.one(SendOpcode.values())),
                        Reason.ARGUMENT,
                        Reason.DEVICE),
                action(
                        "ECE",
                        1,
                        w -> w.use(QueuePair.class).ece(w.use(QueuePair.class).ece()),
                        Reason.DEVICE));
    }

    /** The objects with which a correct program would begin, so that the other actions have something to work on. */
    static void workingSet(Worker w) {
        DeviceContext device = w.one(ObjectActions.DEVICES.getFirst(), ObjectActions.DEVICES.getLast())
                .open();
        w.made(DeviceContext.class, device);
        ProtectionDomain pd = device.allocateProtectionDomain();
        w.made(ProtectionDomain.class, pd, device);
        CompletionQueue queue = device.createCompletionQueue(100);
        w.made(CompletionQueue.class, queue, device);
        MemoryActions.allocate(w);
        var region = pd.register(MemoryActions.block(w), MemoryActions.ALL);
        Thing named = w.made(MemoryRegion.class, region, pd);
        w.made(SendRequest.class, SendRequest.prepare(region)).names(named);
        w.made(ReceiveRequest.class, ReceiveRequest.prepare(region)).names(named);
        w.made(WorkCompletions.class, WorkCompletions.allocate(16));
        GidEntry gid = device.defaultGid(1);
        QueuePair one = pd.createQueuePair(QueuePairType.RC, queue, queue);
        w.made(QueuePair.class, one, pd, queue);
        QueuePair other = pd.createQueuePair(QueuePairType.RC, queue, queue);
        w.made(QueuePair.class, other, pd, queue);
        one.connect(gid, other.address(gid));
        other.connect(gid, one.address(gid));
        QueuePair datagrams = pd.createQueuePair(QueuePairType.UD, queue, queue);
        w.made(QueuePair.class, datagrams, pd, queue);
        datagrams.bringUp(1, 7);
        w.made(AddressHandle.class, pd.createAddressHandle(AddressVector.global(gid, gid.gid())), pd);
    }

    private static void completionQueue(Worker w) {
        DeviceContext device = w.use(DeviceContext.class);
        int entries = w.small(200);
        CompletionQueue queue = w.chance(3)
                ? device.createCompletionQueue(
                        entries, c -> c.channel(w.any(CompletionChannel.class)).vector(w.small(2)))
                : device.createCompletionQueue(entries);
        w.made(CompletionQueue.class, queue);
    }

    /** A queue of either kind. */
    private static CompletionQueue polled(Worker w) {
        return w.chance(4) ? w.use(ExtendedCompletionQueue.class).queue() : w.use(CompletionQueue.class);
    }

    private static void extended(Worker w) {
        var queue = ExtendedCompletionQueue.create(w.use(DeviceContext.class), w.small(200), c -> {
            if (w.chance(2)) {
                c.standardFields();
            } else {
                c.fields(w.one(CompletionField.values()), w.one(CompletionField.values()));
            }
            if (w.chance(4)) {
                c.channel(w.any(CompletionChannel.class)).vector(w.small(2));
            }
            c.singleThreaded(w.chance(4)).ignoreOverrun(w.chance(4));
        });
        w.made(ExtendedCompletionQueue.class, queue);
    }

    private static void read(Worker w) {
        WorkCompletions done = w.own(WorkCompletions.class);
        int index = w.small(3);
        switch (w.random.nextInt(9)) {
            case 0 -> done.wrId(index);
            case 1 -> done.status(index);
            case 2 -> done.opcode(index);
            case 3 -> done.byteLength(index);
            case 4 -> done.immediate(index);
            case 5 -> done.invalidatedRkey(index);
            case 6 -> done.sourceQpNum(index);
            case 7 -> done.dlidPathBits(index);
            default -> Objects.requireNonNull(done.toString());
        }
    }

    private static void extendedPoll(Worker w) {
        ExtendedCompletionQueue queue = w.use(ExtendedCompletionQueue.class);
        switch (w.random.nextInt(14)) {
            case 0, 1, 2 -> w.ignore(queue.startPoll());
            case 3, 4 -> w.ignore(queue.nextPoll());
            case 5, 6, 7 -> queue.endPoll();
            case 8 -> queue.wrId();
            case 9 -> queue.opcode();
            case 10 -> queue.byteLength();
            case 11 -> queue.immediate();
            case 12 -> queue.completionTimestamp();
            default -> queue.tag();
        }
    }

    private static CompletionQueue cq(Worker w) {
        if (w.chance(Worker.NULLS)) {
            w.expected.may(Reason.NULL);
            return null;
        }
        return w.chance(4) ? w.open(ExtendedCompletionQueue.class).queue() : w.open(CompletionQueue.class);
    }

    private static void queuePair(Worker w) {
        QueuePairType type = w.chance(8)
                ? w.one(QueuePairType.values())
                : w.one(QueuePairType.RC, QueuePairType.RC, QueuePairType.UC, QueuePairType.UD);
        CompletionQueue send = cq(w);
        CompletionQueue receive = w.chance(2) ? send : cq(w);
        w.made(
                QueuePair.class,
                w.use(ProtectionDomain.class).createQueuePair(type, send, receive, c -> configure(w, c)));
    }

    private static void configure(Worker w, QueuePairConfig config) {
        config.maxSendWr(w.small(60)).maxRecvWr(w.small(60));
        config.maxSendSge(w.small(5)).maxRecvSge(w.small(5)).maxInline(w.small(200));
        config.signalAll(w.chance(2));
        if (w.chance(3)) {
            config.sharedReceiveQueue(w.any(SharedReceiveQueue.class));
        }
    }

    /** Connects to another queue pair, or to itself, if this worker may. */
    private static void connect(Worker w) {
        QueuePair here = w.use(QueuePair.class);
        QueuePair there = w.chance(2) ? here : w.use(QueuePair.class);
        GidEntry local = here.protectionDomain().context().defaultGid(1);
        GidEntry remote = there.protectionDomain().context().defaultGid(1);
        here.connect(local, there.address(remote));
        if (there != here) {
            there.connect(remote, here.address(local));
        }
    }

    private static QueuePairTransition transition(Worker w) {
        var to = QueuePairTransition.to(w.one(QueuePairState.values()));
        if (w.chance(4)) {
            return to;
        }
        for (int i = w.random.nextInt(6); i > 0; i--) {
            switch (w.random.nextInt(20)) {
                case 0 -> to.pkeyIndex(w.number());
                case 1 -> to.port(w.small(2));
                case 2 -> to.access(MemoryActions.access(w));
                case 3 -> to.path(ObjectActions.vector(w));
                case 4 -> to.pathMtu(w.one(Mtu.values()));
                case 5 -> to.destQpNum(w.number());
                case 6 -> to.rqPsn(w.number());
                case 7 -> to.sqPsn(w.number());
                case 8 -> to.maxRdAtomic(w.number());
                case 9 -> to.maxDestRdAtomic(w.number());
                case 10 -> to.minRnrTimer(w.number());
                case 11 -> to.timeout(w.number());
                case 12 -> to.retryCount(w.number());
                case 13 -> to.rnrRetry(w.number());
                case 14 -> to.qkey(w.number());
                case 15 -> to.currentState(w.one(QueuePairState.values()));
                case 16 -> to.sqdAsyncNotify(w.chance(2));
                case 17 -> to.alternatePath(ObjectActions.vector(w), w.number(), w.number());
                case 18 -> to.rateLimit(w.number());
                default ->
                    to.capabilities(
                            new QueuePairCapabilities(w.number(), w.number(), w.number(), w.number(), w.number()));
            }
        }
        return to;
    }
}
