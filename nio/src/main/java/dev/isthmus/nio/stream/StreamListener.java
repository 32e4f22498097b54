// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import dev.isthmus.RdmaException;
import dev.isthmus.cm.CmEvent;
import dev.isthmus.cm.ConnectionId;
import dev.isthmus.cm.PortSpace;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.AsynchronousCloseException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * A listener at an address. Handshakes go on in the background, many at once. Connections are handed out in the order
 * in which they were established. Thread-safe; handshakes run on the service's thread.
 */
public final class StreamListener implements Handshake.Ends {

    private static final System.Logger LOG = System.getLogger("dev.isthmus.nio");
    private static final int MAX_REQUESTS = 1024;
    static final Duration MAX_HANDSHAKE = Duration.ofSeconds(Integer.getInteger("isthmus.nio.handshakeSeconds", 10));

    private final Service service;
    private final ConnectionId id;
    private final int backlog;
    private final boolean isForRequests; // its user accepts them
    private final Supplier<StreamOptions> options;
    private final Predicate<InetAddress> admits;
    private final Set<Handshake> handshakes = new HashSet<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Deque<Stream> ready = new ArrayDeque<>(); // guarded by the lock, like the next two fields
    private final Deque<StreamRequest> requests = new ArrayDeque<>(); // for which the backlog had no room, or all
    private boolean closed;
    private volatile Watchers watchers = new Watchers();

    private StreamListener(
            Service service,
            ConnectionId id,
            int backlog,
            boolean isForRequests,
            Supplier<StreamOptions> options,
            Predicate<InetAddress> admits) {
        this.service = service;
        this.id = id;
        this.backlog = backlog;
        this.isForRequests = isForRequests;
        this.options = options;
        this.admits = admits;
        id.attach(this);
    }

    /**
     * Listens at an address.
     *
     * @param address the address and port; the wildcard means all devices, and port 0 lets the kernel choose
     * @param backlog how many connections may wait to be accepted; further peers get no answer until there is room,
     *     and 1,024 more of them are refused
     * @param reuse whether others may use the same address and port
     * @param options supplies the options of each stream
     * @param admits decides by its address whether a peer is admitted
     * @return the listener
     * @throws IOException if that fails, for instance because another socket listens there
     */
    public static StreamListener listen(
            InetSocketAddress address,
            int backlog,
            boolean reuse,
            Supplier<StreamOptions> options,
            Predicate<InetAddress> admits)
            throws IOException {
        return listen(address, backlog, reuse, false, options, admits);
    }

    /**
     * Listens at an address for requests, which {@link #nextRequest} takes.
     *
     * @param address the address and port; the wildcard means all devices, and port 0 lets the kernel choose
     * @param reuse whether others may use the same address and port
     * @param protocol what peers speak; the options with which a request is accepted have the same
     * @param admits decides by its address whether a peer is admitted
     * @return the listener
     * @throws IOException if that fails, for instance because another socket listens there
     */
    public static StreamListener listenForRequests(
            InetSocketAddress address, boolean reuse, StreamProtocol protocol, Predicate<InetAddress> admits)
            throws IOException {
        StreamOptions options = StreamOptions.DEFAULT.withProtocol(protocol);
        return listen(address, 0, reuse, true, () -> options, admits);
    }

    private static StreamListener listen(
            InetSocketAddress address,
            int backlog,
            boolean reuse,
            boolean isForRequests,
            Supplier<StreamOptions> options,
            Predicate<InetAddress> admits)
            throws IOException {
        Service service = Service.get();
        ConnectionId id = null;
        try {
            id = service.channel().createId(PortSpace.TCP);
            id.reuseAddress(reuse);
            id.bind(address);
            var listening = new StreamListener(service, id, backlog, isForRequests, options, admits);
            id.listen();
            return listening;
        } catch (RdmaException e) {
            if (id != null) {
                id.close();
            }
            throw CmFailure.ofBind(e, address);
        }
    }

    /**
     * The address that it listens at.
     *
     * @return the address and port
     */
    public InetSocketAddress localAddress() {
        return id.localAddress();
    }

    /** A peer asks for a connection. */
    void onRequest(CmEvent.ConnectRequest event) {
        try {
            var request = new StreamRequest(
                    service,
                    event.id(),
                    ConnectionData.read(
                            event.parameters().privateData(), options.get().protocol()));
            InetSocketAddress from = request.peerAddress();
            if (!admits.test(from.getAddress())) {
                LOG.log(Level.DEBUG, () -> from + " was refused: it is not one of this machine's addresses");
                request.id().close(); // rejects it
            } else if (isQueued(request)) {
                if (isForRequests) {
                    watchers.changed();
                } else {
                    admit();
                }
            } else {
                LOG.log(
                        Level.WARNING,
                        () -> from + " was refused: the backlog of " + backlog + " is full, and " + MAX_REQUESTS
                                + " more peers wait to be accepted");
                request.id().close();
            }
        } catch (ProtocolException | IllegalStateException e) { // the latter if the peer has gone
            refused(event.id(), e);
            event.id().close();
        }
    }

    /** Queues a request, unless too many wait already. */
    private boolean isQueued(StreamRequest request) {
        lock.lock();
        try {
            boolean isQueued = !closed && requests.size() < MAX_REQUESTS;
            if (isQueued) {
                requests.add(request);
            }
            return isQueued;
        } finally {
            lock.unlock();
        }
    }

    /** Begins handshakes while the backlog has room. As on Linux over TCP, one more than the backlog may wait. */
    private void admit() {
        for (StreamRequest next = nextAdmitted(); next != null; next = nextAdmitted()) {
            begin(next);
        }
    }

    private StreamRequest nextAdmitted() {
        lock.lock();
        try {
            if (ready.size() + handshakes.size() <= backlog) {
                return requests.poll();
            }
            if (!requests.isEmpty()) {
                LOG.log(Level.DEBUG, () -> "the backlog of " + backlog + " is full, and more wait: " + requests.size());
            }
            return null;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes the oldest request.
     *
     * @return the request; null if there is none, or this is closed
     */
    public StreamRequest nextRequest() {
        lock.lock();
        try {
            return requests.poll();
        } finally {
            lock.unlock();
        }
    }

    private void admitLater() {
        if (!requests.isEmpty()) {
            service.thread().execute(this::admit);
        }
    }

    private void begin(StreamRequest request) {
        Handshake handshake = null;
        try {
            handshake = new Handshake(service, this, request.id(), options.get(), request.peer(), null);
            handshakes.add(handshake);
            handshake.begin(MAX_HANDSHAKE);
        } catch (IOException | RdmaException | IllegalStateException e) { // the last if the peer has gone
            refused(request.id(), e);
            if (handshake != null) {
                handshake.end();
            } else {
                request.id().close();
            }
        }
    }

    static void refused(ConnectionId id, Exception why) {
        LOG.log(
                why instanceof ProtocolException ? Level.WARNING : Level.DEBUG,
                () -> id + " was refused: " + why.getMessage());
    }

    @Override
    public void ended(Handshake handshake) {
        handshakes.remove(handshake);
        lock.lock();
        try {
            admitLater();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void ended(Handshake handshake, Stream made) {
        handshakes.remove(handshake);
        lock.lock();
        try {
            if (!closed) {
                ready.add(made);
                changed.signal();
                watchers.changed();
                return;
            }
        } finally {
            lock.unlock();
        }
        made.close(false);
    }

    /**
     * Sets the watchers, which are notified of each established connection, or each request.
     *
     * @param all the watchers of this listener's channel
     */
    public void watchedBy(Watchers all) {
        watchers = all;
    }

    /**
     * Whether a connection, or a request, waits to be accepted.
     *
     * @return whether one does; false if this is closed
     */
    public boolean isReady() {
        lock.lock();
        try {
            return isForRequests ? !requests.isEmpty() : !ready.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes the oldest established connection.
     *
     * @param deadline {@link Deadlines#NEVER} not to wait, or when to stop waiting for one
     * @return the connection; null if none arrives in time
     * @throws AsynchronousCloseException if this is closed
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public Stream accept(long deadline) throws AsynchronousCloseException, InterruptedException {
        lock.lock();
        try {
            while (!closed) {
                Stream first = ready.poll();
                long left = deadline == Deadlines.EVER ? deadline : deadline - System.nanoTime();
                if (first != null || deadline == Deadlines.NEVER || left <= 0) {
                    admitLater();
                    return first;
                }
                if (deadline == Deadlines.EVER) {
                    changed.await();
                } else {
                    changed.await(left, TimeUnit.NANOSECONDS);
                }
            }
            throw new AsynchronousCloseException();
        } finally {
            lock.unlock();
        }
    }

    /** Stops listening. Connections that nobody has accepted are reset. Does nothing if it is closed already. */
    public void close() {
        Deque<Stream> left;
        List<StreamRequest> unanswered;
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            left = new ArrayDeque<>(ready);
            ready.clear();
            unanswered = List.copyOf(requests);
            requests.clear();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        id.close(); // not later: the port must be free when this returns
        left.forEach(stream -> stream.close(false));
        service.thread().execute(() -> {
            unanswered.forEach(request -> request.id().close());
            Set.copyOf(handshakes).forEach(Handshake::end);
        });
    }
}
