// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.safety;

import static dev.isthmus.safety.Action.action;

import dev.isthmus.verbs.AddressHandle;
import dev.isthmus.verbs.AddressVector;
import dev.isthmus.verbs.CompletionChannel;
import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.Device;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.Gid;
import dev.isthmus.verbs.GlobalRouteHeader;
import dev.isthmus.verbs.MemoryRegion;
import dev.isthmus.verbs.MemoryWindow;
import dev.isthmus.verbs.ParentDomain;
import dev.isthmus.verbs.ProtectionDomain;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.Rate;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.SharedReceiveQueue;
import dev.isthmus.verbs.ThreadDomain;
import dev.isthmus.verbs.WorkCompletions;
import dev.isthmus.verbs.cqex.ExtendedCompletionQueue;
import dev.isthmus.verbs.xrc.XrcDomain;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;

/** Devices, domains, address handles, events; closing, and handing over. */
final class ObjectActions {

    static final List<Device> DEVICES = Device.list();

    private ObjectActions() {}

    static List<Action> all() {
        return List.of(
                action(
                        "open device",
                        2,
                        w -> w.made(
                                DeviceContext.class, (w.chance(3) ? DEVICES.getFirst() : DEVICES.getLast()).open())),
                action("query device", 1, ObjectActions::query, Reason.ARGUMENT, Reason.DEVICE),
                action(
                        "query GIDs",
                        1,
                        w -> w.use(DeviceContext.class).gid(w.small(2), w.small(3)),
                        Reason.ARGUMENT,
                        Reason.DEVICE),
                action(
                        "query raw GID",
                        1,
                        w -> w.use(DeviceContext.class).rawGid(w.small(2), w.number()),
                        Reason.ARGUMENT,
                        Reason.DEVICE),
                action(
                        "query pkey",
                        1,
                        w -> w.use(DeviceContext.class).pkey(w.small(2), w.number()),
                        Reason.ARGUMENT,
                        Reason.DEVICE),
                action(
                        "find pkey",
                        1,
                        w -> w.use(DeviceContext.class).pkeyIndex(w.small(2), w.number()),
                        Reason.ARGUMENT,
                        Reason.DEVICE),
                action(
                        "GID table",
                        1,
                        w -> w.use(DeviceContext.class).gidTable(w.small(2)),
                        Reason.ARGUMENT,
                        Reason.DEVICE),
                action(
                        "resolve",
                        1,
                        w -> w.use(DeviceContext.class).resolve(vector(w)),
                        Reason.ARGUMENT,
                        Reason.DEVICE),
                action("raw clock", 1, w -> w.use(DeviceContext.class).rawClock(), Reason.DEVICE),
                action(
                        "async events",
                        4,
                        w -> w.ignore(w.use(DeviceContext.class).asyncEvents().poll())),
                action(
                        "await async",
                        1,
                        w -> w.ignore(w.use(DeviceContext.class).asyncEvents().await(w.moment())),
                        Reason.ARGUMENT),
                action("allocate PD", 5, w -> w.made(ProtectionDomain.class, allocatePd(w))),
                action(
                        "import PD",
                        1,
                        w -> w.made(
                                ProtectionDomain.class,
                                w.use(DeviceContext.class).importProtectionDomain(w.number())),
                        Reason.DEVICE),
                action(
                        "thread domain",
                        1,
                        w -> w.made(
                                ThreadDomain.class, w.use(DeviceContext.class).allocateThreadDomain()),
                        Reason.DEVICE),
                action("parent domain", 2, ObjectActions::parent, Reason.ARGUMENT, Reason.DEVICE),
                action(
                        "XRC domain",
                        1,
                        w -> w.made(XrcDomain.class, XrcDomain.open(w.use(DeviceContext.class))),
                        Reason.DEVICE),
                action(
                        "XRC receive QP",
                        1,
                        w -> w.made(QueuePair.class, w.use(XrcDomain.class).createQueuePair()),
                        Reason.DEVICE),
                action(
                        "address handle",
                        4,
                        w -> w.made(
                                AddressHandle.class,
                                w.use(ProtectionDomain.class).createAddressHandle(vector(w))),
                        Reason.ARGUMENT,
                        Reason.DEVICE),
                action(
                        "address handle of sender",
                        2,
                        ObjectActions::sender,
                        Reason.ARGUMENT,
                        Reason.COMPLETION,
                        Reason.DEVICE,
                        Reason.RANGE),
                action(
                        "multicast",
                        3,
                        ObjectActions::multicast,
                        Reason.ARGUMENT,
                        Reason.DEVICE,
                        Reason.KIND,
                        Reason.STATE),
                close("queue pair", 6, QueuePair.class),
                close("completion queue", 3, CompletionQueue.class),
                close("extended completion queue", 2, ExtendedCompletionQueue.class),
                close("channel", 2, CompletionChannel.class),
                close("shared receive queue", 3, SharedReceiveQueue.class),
                close("region", 6, MemoryRegion.class),
                close("window", 3, MemoryWindow.class),
                close("address handle", 3, AddressHandle.class),
                close("PD", 3, ProtectionDomain.class),
                close("thread domain", 1, ThreadDomain.class),
                close("XRC domain", 1, XrcDomain.class),
                close("device", 2, DeviceContext.class),
                // Only this worker may free an arena's memory: see PostActions.
                action("close arena", 3, w -> w.close(w.mine(Arena.class))),
                action("hand over QP", 2, w -> w.handOver(QueuePair.class, QueuePair::handOver), Reason.STATE),
                action(
                        "hand over sends",
                        2,
                        w -> w.handOver(QueuePair.class, Expectation.Use.SENDS, QueuePair::handOverSends),
                        Reason.STATE),
                action(
                        "hand over receives",
                        2,
                        w -> w.handOver(QueuePair.class, Expectation.Use.RECEIVES, QueuePair::handOverReceives)),
                action(
                        "hand over CQ",
                        2,
                        w -> w.handOver(CompletionQueue.class, CompletionQueue::handOver),
                        Reason.STATE),
                action(
                        "hand over extended CQ",
                        1,
                        w -> w.handOver(
                                ExtendedCompletionQueue.class,
                                (queue, to) -> queue.queue().handOver(to)),
                        Reason.STATE),
                action(
                        "share QP",
                        1,
                        w -> w.handOver(QueuePair.class, (qp, to) -> {
                            qp.shareUnder(new ReentrantLock()); // whose owner the caller stays, until it goes on
                            qp.handOver(to);
                        }),
                        Reason.STATE),
                action(
                        "share CQ",
                        1,
                        w -> w.handOver(CompletionQueue.class, (cq, to) -> {
                            cq.shareUnder(new ReentrantLock());
                            cq.handOver(to);
                        }),
                        Reason.STATE),
                action(
                        "share send",
                        1,
                        w -> w.handOver(SendRequest.class, (send, to) -> {
                            send.shareUnder(new ReentrantLock());
                            send.handOver(to);
                        })),
                action("hand over SRQ", 1, w -> w.handOver(SharedReceiveQueue.class, SharedReceiveQueue::handOver)),
                action("hand over send", 1, w -> w.handOver(SendRequest.class, SendRequest::handOver)),
                action("hand over receive", 1, w -> w.handOver(ReceiveRequest.class, ReceiveRequest::handOver)),
                action("hand over AH", 1, w -> w.handOver(AddressHandle.class, AddressHandle::handOver)),
                action("hand over window", 1, w -> w.handOver(MemoryWindow.class, MemoryWindow::handOver)));
    }

    /** Closes an object, sometimes twice. */
    private static <T extends AutoCloseable> Action close(String what, int weight, Class<T> type) {
        return action(
                "close " + what,
                weight,
                w -> {
                    Thing thing = w.pick(type);
                    VerbsPools.mayHold(w, thing);
                    MemoryActions.mayHold(w, thing);
                    w.close(thing);
                    if (w.chance(4)) {
                        w.close(thing);
                    }
                    Objects.requireNonNull(thing.toString());
                },
                Reason.STATE,
                Reason.DEVICE);
    }

    private static ProtectionDomain allocatePd(Worker w) {
        return w.use(DeviceContext.class).allocateProtectionDomain();
    }

    private static void query(Worker w) {
        DeviceContext device = w.use(DeviceContext.class);
        switch (w.random.nextInt(3)) {
            case 0 -> device.attributes();
            case 1 -> device.extendedAttributes();
            default -> device.port(w.small(3));
        }
    }

    private static void parent(Worker w) {
        ThreadDomain thread = w.chance(2) ? null : w.use(ThreadDomain.class);
        w.expected.may(Reason.NULL);
        ParentDomain made = w.use(ProtectionDomain.class).allocateParentDomain(thread, null);
        w.made(ProtectionDomain.class, made);
    }

    /** A path that is valid most of the time. */
    static AddressVector vector(Worker w) {
        var good = AddressVector.global(
                w.use(DeviceContext.class).defaultGid(1),
                w.use(DeviceContext.class).defaultGid(1).gid());
        if (!w.chance(4)) {
            return good;
        }
        return switch (w.random.nextInt(6)) {
            case 0 -> AddressVector.local(w.number(), w.number());
            case 1 -> good.withHopLimit(w.number());
            case 2 -> good.withFlowLabel(w.number()).withTrafficClass(w.number());
            case 3 -> good.withStaticRate(w.one(Rate.values()));
            case 4 -> good.withServiceLevel(w.number()).withSrcPathBits(w.number());
            default -> AddressVector.global(w.use(DeviceContext.class).defaultGid(1), gid(w));
        };
    }

    private static Gid gid(Worker w) {
        byte[] bytes = new byte[w.chance(10) ? w.random.nextInt(20) : 16];
        w.random.nextBytes(bytes);
        if (w.chance(2) && bytes.length > 1) {
            bytes[0] = (byte) 0xff;
        }
        return Gid.of(bytes);
    }

    private static void sender(Worker w) {
        MemoryRegion region = w.use(MemoryRegion.class);
        GlobalRouteHeader header = w.chance(2) ? null : GlobalRouteHeader.of(region.segment(), w.length());
        w.expected.may(Reason.NULL);
        w.made(
                AddressHandle.class,
                w.use(ProtectionDomain.class)
                        .createAddressHandle(w.small(2), w.own(WorkCompletions.class), w.small(3), header));
    }

    private static void multicast(Worker w) {
        QueuePair qp = w.use(QueuePair.class);
        Gid group =
                w.chance(2) ? gid(w) : Gid.of(new byte[] {(byte) 0xff, 0x0e, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1});
        if (w.chance(2)) {
            qp.attachMulticast(group, w.chance(3) ? w.number() : 0);
        } else {
            qp.detachMulticast(group, w.chance(3) ? w.number() : 0);
        }
    }
}
