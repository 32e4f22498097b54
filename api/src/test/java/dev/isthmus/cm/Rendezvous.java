// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import dev.isthmus.testbed.TestDeadlines;
import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.CompletionStatus;
import dev.isthmus.verbs.Device;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.Gid;
import dev.isthmus.verbs.ProtectionDomain;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.QueuePairConfig;
import dev.isthmus.verbs.QueuePairState;
import dev.isthmus.verbs.QueuePairType;
import dev.isthmus.verbs.WorkCompletions;
import dev.isthmus.verbs.attributes.TransportType;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * An event channel with everything that a test creates on it, which this closes in the right order. Listeners are
 * on the second device (or the only one), so connections cross the link. Belongs to the test's thread, which takes
 * all events.
 */
final class Rendezvous implements AutoCloseable {

    /** The end of the message when a device refuses a feature that it lacks. */
    static final String LACKS = "): EOPNOTSUPP (95): the device or its transport does not have it";

    /** How long an event may take. Generous, because the emulated machine is slow and shared. */
    static final Duration DEADLINE = TestDeadlines.ofSeconds(30);

    final EventChannel channel = EventChannel.open();
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final List<CmEvent> waiting = new ArrayList<>();
    private final Map<DeviceContext, ProtectionDomain> domains = new HashMap<>();
    private final Map<QueuePair, CompletionQueue> queues = new HashMap<>();

    /** The address of a device, by its GID. */
    static InetAddress addressOf(Device device) {
        try (DeviceContext context = device.open()) {
            Gid gid = context.defaultGid(1).gid();
            byte[] bytes = gid.bytes();
            boolean isV4 = bytes[10] == -1 && bytes[11] == -1 && bytes[0] == 0;
            return InetAddress.getByAddress(isV4 ? Arrays.copyOfRange(bytes, 12, 16) : bytes);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    /** The address from which connections are made. */
    static InetAddress near() {
        return given(0).orElseGet(() -> addressOf(Device.list().getFirst()));
    }

    /** The address of listeners. */
    static InetAddress far() {
        return given(1).orElseGet(() -> addressOf(Device.list().getLast()));
    }

    /** One of the addresses that the testbed names, if it does, because the GIDs of iWARP devices are not addresses. */
    private static Optional<InetAddress> given(int which) {
        String both = System.getenv().getOrDefault("ISTHMUS_ADDRESSES", "");
        try {
            return both.isEmpty() ? Optional.empty() : Optional.of(InetAddress.getByName(both.split(" ", 2)[which]));
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    /** Whether connections here are iWARP's, which does some things differently from RoCE and InfiniBand. */
    static boolean isIwarp() {
        return Device.list().getFirst().transportType() == TransportType.IWARP;
    }

    /** Asserts which state a queue pair has according to the kernel. SoftiWARP of Linux 6.1 always says RESET. */
    static void assertState(QueuePairState expected, QueuePair qp) {
        QueuePairState said = qp.query().state();
        if (said != expected && !(isIwarp() && said == QueuePairState.RESET)) {
            throw new AssertionError("the kernel says " + said + ", not " + expected);
        }
        if (qp.state() != expected) {
            throw new AssertionError(qp + " is in " + qp.state() + ", not " + expected);
        }
    }

    ConnectionId id(PortSpace space) {
        return closed(channel.createId(space));
    }

    /** Closes a resource together with this. */
    <T extends AutoCloseable> T closed(T resource) {
        open.push(resource);
        return resource;
    }

    /** A listener at a port chosen by the kernel. */
    ConnectionId listener(PortSpace space) {
        ConnectionId listener = id(space);
        listener.bind(new InetSocketAddress(far(), 0));
        listener.listen();
        return listener;
    }

    /** An id whose route to a listener is resolved. */
    ConnectionId resolved(ConnectionId listener) {
        return resolved(listener.portSpace(), listener.localAddress());
    }

    ConnectionId resolved(PortSpace space, InetSocketAddress to) {
        ConnectionId id = id(space);
        resolveAddress(id, to);
        id.resolveRoute(DEADLINE);
        expect(id, CmEvent.RouteResolved.class);
        return id;
    }

    /**
     * Resolves an address in several short tries, because the kernel can miss the answer of a host as near as this one,
     * and looks again only when the time is over (Linux 6.1).
     */
    void resolveAddress(ConnectionId id, InetSocketAddress to) {
        resolveAddress(id, new InetSocketAddress(near(), 0), to);
    }

    /** Resolves an address from a local address, in several short tries. */
    void resolveAddress(ConnectionId id, InetSocketAddress from, InetSocketAddress to) {
        long end = System.nanoTime() + DEADLINE.toNanos();
        while (true) {
            id.resolveAddress(from, to, Duration.ofMillis(500));
            CmEvent event = expect(id, CmEvent.class);
            if (event instanceof CmEvent.AddressResolved) {
                return;
            }
            if (System.nanoTime() - end > 0) {
                throw new AssertionError(event.toString());
            }
        }
    }

    ProtectionDomain domain(DeviceContext device) {
        return domains.computeIfAbsent(device, d -> closed(d.allocateProtectionDomain()));
    }

    QueuePair queuePair(ConnectionId id) {
        return queuePair(id, config -> {});
    }

    QueuePair queuePair(ConnectionId id, Consumer<QueuePairConfig> configure) {
        ProtectionDomain pd = domain(id.device());
        CompletionQueue cq = closed(id.device().createCompletionQueue(256));
        QueuePair qp = closed(id.createQueuePair(pd, cq, cq, configure));
        queues.put(qp, cq);
        return qp;
    }

    /** A queue pair of the test's own, for {@link ConnectionConfig#queuePair}: iWARP's kernel looks for it. */
    QueuePair ownQueuePair(ConnectionId id) {
        CompletionQueue cq = closed(id.device().createCompletionQueue(16));
        QueuePair own = closed(domain(id.device()).createQueuePair(QueuePairType.RC, cq, cq));
        own.modify(id.transition(QueuePairState.INIT));
        return own;
    }

    /** Polls the completion queue of an id's queue pair until there is one completion, a success. */
    void awaitSuccess(ConnectionId id) {
        await(id);
    }

    /** The next event of a type about an id; keeps the others until they are asked for. */
    <T extends CmEvent> T expect(ConnectionId id, Class<T> type) {
        long end = System.nanoTime() + DEADLINE.toNanos();
        for (int i = 0; ; ) {
            for (; i < waiting.size(); i++) {
                CmEvent event = waiting.get(i);
                if (type.isInstance(event) && (id == about(event))) {
                    waiting.remove(i);
                    return type.cast(event);
                }
            }
            take(Duration.ofNanos(end - System.nanoTime()), type.getSimpleName() + " of " + id);
        }
    }

    private void take(Duration left, String what) {
        try {
            CmEvent event = channel.await(left);
            if (event == null) {
                throw new AssertionError("no " + what + ", but " + waiting);
            }
            if (event.type() == CmEventType.CONNECT_REQUEST) {
                closed(event.id());
            }
            waiting.add(event);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** A request is about its listener, until it has been taken. */
    private static ConnectionId about(CmEvent event) {
        return event.type() == CmEventType.CONNECT_REQUEST ? event.id().listener() : event.id();
    }

    /** A connection of a listener and an id, both with queue pairs. */
    Pair connect() {
        ConnectionId listener = listener(PortSpace.TCP);
        ConnectionId active = resolved(listener);
        queuePair(active);
        active.connect(config -> {});
        ConnectionId passive = expect(listener, CmEvent.ConnectRequest.class).id();
        queuePair(passive);
        passive.accept(config -> {});
        expect(active, CmEvent.Established.class);
        expect(passive, CmEvent.Established.class);
        return new Pair(active, passive);
    }

    record Pair(ConnectionId active, ConnectionId passive) {}

    /** Polls the completion queue of an id's queue pair until there is one completion, a failure. */
    CompletionStatus awaitFailure(ConnectionId id) {
        WorkCompletions done = awaitOne(id);
        if (done.isSuccess(0)) {
            throw new AssertionError(done.toString());
        }
        return done.status(0);
    }

    /** Polls the completion queue of an id's queue pair until there is one completion, a success. */
    WorkCompletions await(ConnectionId id) {
        WorkCompletions done = awaitOne(id);
        if (!done.isSuccess(0)) {
            throw new AssertionError(done.toString());
        }
        return done;
    }

    /** Polls the completion queue of an id's queue pair until there is one completion. */
    WorkCompletions awaitOne(ConnectionId id) {
        CompletionQueue cq = queues.get(id.queuePair());
        WorkCompletions done = WorkCompletions.allocate(1);
        long end = System.nanoTime() + DEADLINE.toNanos();
        while (cq.poll(done) == 0) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("no completion in " + cq);
            }
            Thread.onSpinWait();
        }
        return done;
    }

    @Override
    public void close() {
        try {
            // Closes queue pairs first, whatever the order of creation.
            for (AutoCloseable resource : List.copyOf(open)) {
                if (resource instanceof QueuePair qp) {
                    qp.close();
                }
            }
            while (!open.isEmpty()) {
                open.pop().close();
            }
        } catch (Exception e) {
            throw new AssertionError("could not be closed", e);
        }
        channel.close();
    }
}
