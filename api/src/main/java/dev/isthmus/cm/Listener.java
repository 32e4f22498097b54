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
 * <p>Requests are answered while {@link #accept} waits, any number at once. A peer that never finishes its handshake
 * keeps nobody else waiting, and is dropped after a while.
 *
 * <p>It belongs to one thread at a time, at first the one that created it: see {@link #handOver}. Closing it does not
 * close the connections that it has accepted.
 */
public final class Listener implements AutoCloseable {

    private static final int DEFAULT_HANDSHAKES = 128; // each has its own objects on the device
    private static final Duration NO_LIMIT = Duration.ofDays(36_500);

    private final EventChannel channel;
    private final ConnectionId id;
    private final ListenerConfig config;
    private final Lifetime lifetime;
    private final OwnerThread owner;
    private final Map<ConnectionId, PendingHandshake> handshakes = new LinkedHashMap<>(); // the oldest first
    private final Deque<Connection> ready = new ArrayDeque<>();

    private record PendingHandshake(Connection connection, ConnectionParameters peer, Deadline deadline) {}

    private Listener(EventChannel channel, ConnectionId id, ListenerConfig config) {
        this.channel = channel;
        this.id = id;
        this.config = config;
        this.lifetime = new Lifetime("Listener", "" + id.localAddress());
        this.owner = new OwnerThread(lifetime);
    }

    /**
     * Listens at an address with default settings: {@code rdma_bind_addr}, {@code rdma_listen}.
     *
     * @param address the address and port; the wildcard is all devices, and port 0 lets the kernel choose
     * @return the listener, which the caller closes
     * @throws IllegalArgumentException if the address is not resolved
     * @throws dev.isthmus.RdmaUnavailableException if librdmacm or the kernel's rdma_cm is missing, or any device
     * @throws CmException with ADDRESS_IN_USE if another socket listens there, with NO_DEVICE if no RDMA device has
     *     the address
     */
    public static Listener bind(InetSocketAddress address) {
        return bind(address, config -> {});
    }

    /**
     * Listens at an address: {@code rdma_bind_addr}, {@code rdma_listen}.
     *
     * @param address the address and port; the wildcard is all devices, and port 0 lets the kernel choose
     * @param configure sets which peers to admit, how to set up connections, and more
     * @return the listener, which the caller closes
     * @throws IllegalArgumentException if the address is not resolved
     * @throws dev.isthmus.RdmaUnavailableException if librdmacm or the kernel's rdma_cm is missing, or any device
     * @throws CmException with ADDRESS_IN_USE if another socket listens there, with NO_DEVICE if no RDMA device has
     *     the address
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
     * The address at which it listens.
     *
     * @return the address and port
     * @throws IllegalStateException if this is closed
     */
    public InetSocketAddress localAddress() {
        return id.localAddress();
    }

    /**
     * Waits for a connection, which then belongs to the calling thread: {@code rdma_accept}.
     *
     * @param deadline how long to wait
     * @return the connection, which the caller closes
     * @throws InterruptedException if the thread is interrupted before or while it waits; no connection is lost
     * @throws IllegalArgumentException if the deadline is not positive
     * @throws CmException with TIMED_OUT if the time is over, with DEVICE_REMOVED if the device is gone
     * @throws IllegalStateException if this is closed
     * @throws WrongThreadException if this belongs to another thread
     */
    public Connection accept(Duration deadline) throws InterruptedException {
        owner.check();
        var end = Deadline.after(deadline);
        while (ready.isEmpty()) {
            dropExpired();
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
     * Waits for a connection without limit. Otherwise like {@link #accept(Duration)}.
     *
     * @return the connection, which the caller closes
     * @throws InterruptedException if the thread is interrupted before or while it waits; no connection is lost
     * @throws CmException with DEVICE_REMOVED if the device is gone
     * @throws IllegalStateException if this is closed
     * @throws WrongThreadException if this belongs to another thread
     */
    public Connection accept() throws InterruptedException {
        return accept(NO_LIMIT);
    }

    private Duration untilNext(Deadline end) {
        return handshakes.isEmpty()
                ? end.left()
                : end.leftAtMost(
                        handshakes.values().iterator().next().deadline().leftAtMost(NO_LIMIT));
    }

    /** Drops peers that did not finish in time; the oldest come first. */
    private void dropExpired() {
        while (!handshakes.isEmpty()
                && handshakes.values().iterator().next().deadline().hasPassed()) {
            drop(handshakes.keySet().iterator().next());
        }
    }

    private void drop(ConnectionId late) {
        PendingHandshake handshake = handshakes.remove(late);
        if (handshake != null) {
            handshake.connection().close();
        }
    }

    private void onEvent(CmEvent event) {
        switch (event) {
            case CmEvent.ConnectRequest request -> onRequest(request);
            case CmEvent.Established established -> onEstablished(established.id());
            case CmEvent.DeviceRemoval removal when removal.id() == id -> throw CmFailures.of(removal, lifetime.name());
            default -> drop(event.id()); // any other event before it is established ends it
        }
    }

    private void onRequest(CmEvent.ConnectRequest request) {
        ConnectionId requested = request.id();
        try (var undo = new Undo()) {
            undo.add(requested); // closing rejects it
            if (handshakes.size() >= config.handshakesOr(DEFAULT_HANDSHAKES)) {
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
                        new PendingHandshake(
                                connection, request.parameters(), Deadline.after(config.handshakeTimeout())));
            }
        }
    }

    /** The objects of a connection; null if the peer has gone meanwhile, which C reports as EINVAL. */
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
        PendingHandshake handshake = handshakes.get(done);
        if (handshake == null) {
            return;
        }
        EventChannel opened = EventChannel.open();
        handshakes.remove(done); // only now: if there were too many open files, its deadline ends it, or the close
        try (var undo = new Undo()) {
            EventChannel own = undo.add(opened);
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
        for (PendingHandshake handshake : handshakes.values()) {
            handshake.connection().handOver(next);
        }
        ready.forEach(connection -> connection.handOver(next));
        owner.handOver(next);
    }

    /**
     * Stops listening. Closes connections that {@link #accept} has not taken. Does nothing if it is closed already.
     *
     * @throws WrongThreadException if this belongs to another thread
     * @throws dev.isthmus.RdmaException if a call fails; you can try again
     */
    @Override
    public void close() {
        owner.close(() -> {
            List.copyOf(handshakes.keySet()).forEach(this::drop);
            while (!ready.isEmpty()) {
                ready.peek().close(); // it stays listed if that fails
                ready.remove();
            }
            id.close();
            for (CmEvent event = channel.poll(); event != null; event = channel.poll()) {
                event.id().close(); // a request from before
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
