// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import dev.isthmus.CmException;
import dev.isthmus.internal.Deadline;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.OwnerThread;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Listens for connections at an address and port.
 *
 * <pre>{@code
 * try (var listener = Listener.bind(new InetSocketAddress(7471))) {
 *     while (running) {
 *         try (var connection = listener.accept(Duration.ofMinutes(1))) {
 *             serve(connection);
 *         }
 *     }
 * }
 * }</pre>
 *
 * <p>Requests are answered while {@link #accept} waits, any number at once: a peer that never finishes its handshake keeps
 * nobody else from being accepted, and is dropped after a while.
 *
 * <p>It belongs to one thread at a time, at first the one that made it: see {@link #handOver}. Connections that it has
 * accepted live on when it is closed.
 */
public final class Listener implements AutoCloseable {

    private static final int HANDSHAKES = 128; // each has a device's objects of its own
    private static final Duration LONG = Duration.ofDays(36_500);

    private final EventChannel channel;
    private final ConnectionId id;
    private final ListenerConfig config;
    private final Lifetime lifetime;
    private final OwnerThread owner;
    private final Map<ConnectionId, Handshake> handshakes = new LinkedHashMap<>(); // the oldest first
    private final Deque<Connection> ready = new ArrayDeque<>();

    private record Handshake(Connection connection, ConnectionParameters peer, Deadline deadline) {}

    private Listener(EventChannel channel, ConnectionId id, ListenerConfig config) {
        this.channel = channel;
        this.id = id;
        this.config = config;
        this.lifetime = new Lifetime("Listener", "" + id.localAddress());
        this.owner = new OwnerThread(lifetime);
    }

    /**
     * Listens at an address with usual values: {@code rdma_bind_addr}, {@code rdma_listen}.
     *
     * @param address the address and port; the wildcard is all devices, and port 0 lets the kernel choose
     * @return the listener, which the caller closes
     * @throws IllegalArgumentException if the address is not resolved
     * @throws dev.isthmus.RdmaUnavailableException if librdmacm or the kernel's rdma_cm is missing, or any device
     * @throws CmException with ADDRESS_IN_USE if another one listens there, with NO_DEVICE if no RDMA device has the
     *     address
     */
    public static Listener bind(InetSocketAddress address) {
        return bind(address, config -> {});
    }

    /**
     * Listens at an address: {@code rdma_bind_addr}, {@code rdma_listen}.
     *
     * @param address the address and port; the wildcard is all devices, and port 0 lets the kernel choose
     * @param configure sets who is let in, how the connections are to be, and more
     * @return the listener, which the caller closes
     * @throws IllegalArgumentException if the address is not resolved
     * @throws dev.isthmus.RdmaUnavailableException if librdmacm or the kernel's rdma_cm is missing, or any device
     * @throws CmException with ADDRESS_IN_USE if another one listens there, with NO_DEVICE if no RDMA device has the
     *     address
     */
    public static Listener bind(InetSocketAddress address, Consumer<ListenerConfig> configure) {
        var config = new ListenerConfig();
        config.filling.by(configure, config);
        try (var undo = new Undo()) {
            EventChannel channel = undo.add(EventChannel.open());
            ConnectionId id = undo.add(channel.createId(PortSpace.TCP));
            config.applyOptions(id);
            id.bind(address);
            id.listenFor(config.backlog());
            var listener = new Listener(channel, id, config);
            undo.keep();
            return listener;
        }
    }

    /**
     * Where it listens.
     *
     * @return the address and port
     * @throws IllegalStateException if this is closed
     */
    public InetSocketAddress localAddress() {
        return id.localAddress();
    }

    /**
     * Waits for a connection: {@code rdma_accept}. It belongs to the calling thread.
     *
     * @param deadline how long to wait
     * @return the connection, which the caller closes
     * @throws InterruptedException if the thread is interrupted before or while it waits; no connection is lost
     * @throws IllegalArgumentException if the deadline is not positive
     * @throws CmException with TIMED_OUT when the time is over, with DEVICE_REMOVED when the device has gone
     * @throws IllegalStateException if this is closed
     * @throws WrongThreadException if this belongs to another thread
     */
    public Connection accept(Duration deadline) throws InterruptedException {
        owner.check();
        var end = Deadline.after(deadline);
        while (ready.isEmpty()) {
            dropLate();
            CmEvent event = channel.await(untilNext(end));
            if (event != null) {
                onEvent(event);
            } else if (end.hasPassed()) {
                throw CmFailures.timedOut("accept", lifetime.name(), deadline, "connection");
            }
        }
        return ready.poll();
    }

    /**
     * Waits for a connection as long as it takes. As {@link #accept(Duration)} otherwise.
     *
     * @return the connection, which the caller closes
     * @throws InterruptedException if the thread is interrupted before or while it waits; no connection is lost
     * @throws CmException with DEVICE_REMOVED when the device has gone
     * @throws IllegalStateException if this is closed
     * @throws WrongThreadException if this belongs to another thread
     */
    public Connection accept() throws InterruptedException {
        return accept(LONG);
    }

    private Duration untilNext(Deadline end) {
        return handshakes.isEmpty()
                ? end.left()
                : end.leftAtMost(
                        handshakes.values().iterator().next().deadline().leftAtMost(LONG));
    }

    /** Drops peers that did not finish in time; the oldest come first. */
    private void dropLate() {
        while (!handshakes.isEmpty()
                && handshakes.values().iterator().next().deadline().hasPassed()) {
            drop(handshakes.keySet().iterator().next());
        }
    }

    private void drop(ConnectionId late) {
        Handshake handshake = handshakes.remove(late);
        if (handshake != null) {
            handshake.connection().close();
        }
    }

    private void onEvent(CmEvent event) {
        switch (event) {
            case CmEvent.ConnectRequest request -> onRequest(request);
            case CmEvent.Established established -> onEstablished(established.id());
            case CmEvent.DeviceRemoval removal when removal.id() == id -> throw CmFailures.of(removal, lifetime.name());
            default -> drop(event.id()); // whatever else comes before it is established ends it
        }
    }

    private void onRequest(CmEvent.ConnectRequest request) {
        ConnectionId requested = request.id();
        try (var undo = new Undo()) {
            undo.add(requested); // closing it rejects it
            if (handshakes.size() >= config.handshakesOr(HANDSHAKES)) {
                return;
            }
            Admission admission = config.admission().apply(request);
            if (!admission.isAccepted()) {
                Answers.reject(requested, admission.privateData());
                return;
            }
            config.setup().applyOptions(requested);
            Connection connection = prepared(requested);
            if (connection == null) {
                return;
            }
            undo.add(connection);
            if (Answers.accept(requested, config.setup().parameters(), admission.privateData())) {
                undo.keep();
                handshakes.put(
                        requested,
                        new Handshake(connection, request.parameters(), Deadline.after(config.handshakeTimeout())));
            }
        }
    }

    /** What belongs to a connection; null when the peer has gone meanwhile, for which C says EINVAL. */
    private Connection prepared(ConnectionId requested) {
        try {
            return Connection.prepared(requested, config.setup());
        } catch (CmException e) {
            if (Answers.hasEnded(requested)) {
                return null;
            }
            throw e;
        }
    }

    private void onEstablished(ConnectionId done) {
        Handshake handshake = handshakes.remove(done);
        if (handshake == null) {
            return;
        }
        try (var undo = new Undo()) {
            EventChannel own = undo.add(EventChannel.open());
            undo.add(handshake.connection());
            done.migrate(own);
            handshake.connection().established(handshake.peer(), own);
            undo.keep();
        }
        ready.add(handshake.connection());
    }

    /**
     * Gives the listener to another thread, as {@link dev.isthmus.verbs.QueuePair#handOver} does.
     *
     * @param next the new owner
     * @throws WrongThreadException if this belongs to another thread than the caller
     * @throws IllegalStateException if this is closed
     */
    public void handOver(Thread next) {
        for (Handshake handshake : handshakes.values()) {
            handshake.connection().handOver(next);
        }
        ready.forEach(connection -> connection.handOver(next));
        owner.handOver(next);
    }

    /**
     * Stops listening. Connections that were not taken by {@link #accept} are closed. Does nothing when it is closed
     * already.
     *
     * @throws WrongThreadException if this belongs to another thread
     * @throws dev.isthmus.RdmaException if a call fails; it can be tried again
     */
    @Override
    public void close() {
        owner.close(() -> {
            List.copyOf(handshakes.keySet()).forEach(this::drop);
            while (!ready.isEmpty()) {
                ready.poll().close();
            }
            id.close();
            for (CmEvent event = channel.poll(); event != null; event = channel.poll()) {
                event.id().close(); // a request that came before
            }
            channel.close();
        });
    }

    /** The class, and the address. */
    @Override
    public String toString() {
        return lifetime.toString();
    }
}
