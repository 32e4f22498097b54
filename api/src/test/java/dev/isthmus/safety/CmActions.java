// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.safety;

import static dev.isthmus.safety.Action.action;

import dev.isthmus.RdmaUnavailableException;
import dev.isthmus.cm.CmEvent;
import dev.isthmus.cm.CmEventType;
import dev.isthmus.cm.ConnectionId;
import dev.isthmus.cm.EventChannel;
import dev.isthmus.cm.MulticastMembership;
import dev.isthmus.cm.PortSpace;
import dev.isthmus.cm.PrivateData;
import dev.isthmus.verbs.AsyncEventType;
import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.ConnectionEstablishment;
import dev.isthmus.verbs.Device;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.ProtectionDomain;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.QueuePairState;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Event channels and connections, their queue pairs and multicast groups. */
final class CmActions {

    /** Few ports, so that connections sometimes find a listener. */
    private static final int FIRST_PORT = 20_000;

    /** The addresses of the devices, by name, because opening a device to ask takes long. */
    private static final Map<String, byte[]> ADDRESSES = new ConcurrentHashMap<>();

    private CmActions() {}

    static List<Action> all() {
        return List.of(
                action("event channel", 2, w -> w.made(EventChannel.class, EventChannel.open())),
                action("connection id", 6, CmActions::id, Reason.ARGUMENT),
                action(
                        "connection with queue pair",
                        4,
                        CmActions::endpoint,
                        Reason.ARGUMENT,
                        Reason.DEVICE,
                        Reason.STATE),
                action(
                        "bind",
                        4,
                        w -> w.use(ConnectionId.class).bind(address(w)),
                        Reason.ARGUMENT,
                        Reason.DEVICE,
                        Reason.STATE),
                action(
                        "listen",
                        3,
                        w -> w.use(ConnectionId.class).listen(w.small(20)),
                        Reason.ARGUMENT,
                        Reason.DEVICE,
                        Reason.STATE),
                action(
                        "resolve address",
                        6,
                        w -> w.use(ConnectionId.class).resolveAddress(address(w), time(w)),
                        Reason.ARGUMENT,
                        Reason.DEVICE,
                        Reason.STATE),
                action(
                        "resolve route",
                        6,
                        w -> w.use(ConnectionId.class).resolveRoute(time(w)),
                        Reason.ARGUMENT,
                        Reason.DEVICE,
                        Reason.STATE),
                action("QP of connection", 6, CmActions::queuePair, Reason.ARGUMENT, Reason.DEVICE, Reason.STATE),
                action(
                        "connect id",
                        6,
                        w -> w.use(ConnectionId.class).connect(c -> c.privateData(data(w))),
                        Reason.ARGUMENT,
                        Reason.DEVICE,
                        Reason.KIND,
                        Reason.STATE),
                action(
                        "accept",
                        6,
                        w -> w.use(ConnectionId.class).accept(c -> c.privateData(data(w))),
                        Reason.ARGUMENT,
                        Reason.DEVICE,
                        Reason.STATE),
                action(
                        "connect own QP",
                        2,
                        w -> w.use(ConnectionId.class).connect(c -> c.queuePair(w.number(), w.chance(2))),
                        Reason.ARGUMENT,
                        Reason.DEVICE,
                        Reason.STATE),
                action(
                        "reject",
                        2,
                        w -> w.use(ConnectionId.class).reject(data(w)),
                        Reason.ARGUMENT,
                        Reason.DEVICE,
                        Reason.STATE),
                action(
                        "reject ECE",
                        1,
                        w -> w.use(ConnectionId.class).rejectEce(data(w)),
                        Reason.ARGUMENT,
                        Reason.DEVICE,
                        Reason.STATE),
                action("disconnect", 3, w -> w.use(ConnectionId.class).disconnect(), Reason.DEVICE, Reason.STATE),
                action("establish", 2, w -> w.use(ConnectionId.class).establish(), Reason.DEVICE, Reason.STATE),
                action(
                        "notify",
                        1,
                        w -> w.use(ConnectionId.class).notifyOf(w.one(AsyncEventType.values())),
                        Reason.ARGUMENT,
                        Reason.DEVICE,
                        Reason.STATE),
                action(
                        "transition",
                        2,
                        w -> w.use(ConnectionId.class).transition(w.one(QueuePairState.values())),
                        Reason.ARGUMENT,
                        Reason.DEVICE,
                        Reason.STATE),
                action(
                        "migrate",
                        3,
                        w -> w.use(ConnectionId.class).migrate(w.use(EventChannel.class)),
                        Reason.DEVICE,
                        Reason.STATE),
                action("cm option", 2, CmActions::option, Reason.ARGUMENT, Reason.DEVICE, Reason.STATE),
                action("ECE of connection", 1, CmActions::ece, Reason.ARGUMENT, Reason.DEVICE, Reason.STATE),
                action("ask connection", 2, CmActions::ask),
                action("join", 3, CmActions::join, Reason.ARGUMENT, Reason.DEVICE, Reason.STATE),
                action(
                        "poll cm events",
                        30,
                        w -> noted(w, w.use(EventChannel.class).poll()),
                        Reason.ARGUMENT),
                action(
                        "await cm event",
                        4,
                        w -> noted(w, w.use(EventChannel.class).await(w.moment())),
                        Reason.ARGUMENT),
                action("close membership", 2, w -> w.close(MulticastMembership.class)),
                action("close connection", 6, w -> w.close(ConnectionId.class)),
                action("close event channel", 1, w -> w.close(EventChannel.class)));
    }

    private static ConnectionId id(Worker w) {
        ConnectionId id = w.use(EventChannel.class).createId(w.one(PortSpace.values()));
        w.made(ConnectionId.class, id);
        return id;
    }

    /** Creates objects that fit together, so that something succeeds. */
    private static void endpoint(Worker w) {
        ConnectionId id = id(w);
        id.bind(new InetSocketAddress(address(w).getAddress(), 0));
        DeviceContext device = id.device();
        if (device == null) {
            return; // the wildcard is all devices
        }
        w.made(DeviceContext.class, device, id).lasts(); // it is librdmacm's
        ProtectionDomain pd = device.allocateProtectionDomain();
        w.made(ProtectionDomain.class, pd, device);
        CompletionQueue cq = device.createCompletionQueue(16);
        w.made(CompletionQueue.class, cq, device);
        w.made(QueuePair.class, id.createQueuePair(pd, cq, cq, config -> {}), id, pd, cq);
    }

    private static void queuePair(Worker w) {
        CompletionQueue cq = w.use(CompletionQueue.class);
        w.made(
                QueuePair.class,
                w.use(ConnectionId.class).createQueuePair(w.use(ProtectionDomain.class), cq, cq, config -> {}));
    }

    /** Whether the kernel has an rdma_cm: a simulated card has none. */
    static boolean exist() {
        try {
            EventChannel.open().close();
            return true;
        } catch (RdmaUnavailableException e) {
            return false;
        }
    }

    /** Makes librdmacm create what it keeps for the rest of the process: each device's context and domain. */
    static void warmUp() {
        try (var channel = EventChannel.open()) {
            for (Device device : ObjectActions.DEVICES) {
                try (var id = channel.createId(PortSpace.TCP)) {
                    id.bind(address(device, 0, false));
                    id.device();
                }
            }
        }
    }

    /** The address of a device, or rarely one without a device. */
    static InetSocketAddress address(Worker w) {
        Device device = w.one(ObjectActions.DEVICES.getFirst(), ObjectActions.DEVICES.getLast());
        return address(device, FIRST_PORT + w.random.nextInt(4), w.chance(10));
    }

    private static InetSocketAddress address(Device which, int port, boolean wildcard) {
        try {
            byte[] ip = wildcard ? new byte[4] : ADDRESSES.computeIfAbsent(which.name(), name -> ip(which));
            return new InetSocketAddress(InetAddress.getByAddress(ip), port);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    private static byte[] ip(Device which) {
        try (DeviceContext device = which.open()) {
            return Arrays.copyOfRange(device.defaultGid(1).gid().bytes(), 12, 16);
        }
    }

    private static Duration time(Worker w) {
        return Duration.ofMillis(w.chance(10) ? w.number() : 20);
    }

    private static PrivateData data(Worker w) {
        return PrivateData.of(new byte[w.chance(4) ? Math.floorMod(w.number(), 300) : 20]);
    }

    private static void option(Worker w) {
        ConnectionId id = w.use(ConnectionId.class);
        switch (w.random.nextInt(4)) {
            case 0 -> id.typeOfService(w.number());
            case 1 -> id.ackTimeout(w.number());
            case 2 -> id.reuseAddress(w.chance(2));
            default -> id.addressFamilyOnly(w.chance(2));
        }
    }

    private static void ece(Worker w) {
        ConnectionId id = w.use(ConnectionId.class);
        if (w.chance(2)) {
            id.localEce(new ConnectionEstablishment(w.number(), w.number()));
        } else {
            id.remoteEce();
        }
    }

    private static void ask(Worker w) {
        ConnectionId id = w.use(ConnectionId.class);
        id.localAddress();
        id.peerAddress();
        id.devicePort();
        DeviceContext device = id.device();
        if (device != null) {
            w.made(DeviceContext.class, device).lasts(); // it is librdmacm's
        }
    }

    private static void join(Worker w) throws UnknownHostException {
        var group =
                new InetSocketAddress(InetAddress.getByAddress(new byte[] {(byte) 239, 1, 2, (byte) w.small(3)}), 0);
        ConnectionId id = w.use(ConnectionId.class);
        w.made(MulticastMembership.class, w.chance(3) ? id.joinMulticastToSend(group) : id.joinMulticast(group));
    }

    /** A request belongs to the thread that takes it. */
    private static void noted(Worker w, CmEvent event) {
        if (event != null && event.type() == CmEventType.CONNECT_REQUEST) {
            w.made(ConnectionId.class, event.id());
        }
    }
}
