// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import dev.isthmus.RdmaException;
import dev.isthmus.cm.CmEvent;
import dev.isthmus.cm.ConnectionId;
import dev.isthmus.cm.PortSpace;
import dev.isthmus.cm.PrivateData;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.AsynchronousCloseException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * What listens at an address: handshakes go on in the background, any number at once, and connections are handed out in the
 * order in which they were made. Thread-safe; handshakes are of the thread of the service.
 */
public final class Listening {

    private static final System.Logger LOG = System.getLogger("dev.isthmus.nio");
    private static final int MOST_HANDSHAKES = 1024;
    private static final Duration LONGEST_HANDSHAKE =
            Duration.ofSeconds(Integer.getInteger("isthmus.nio.handshakeSeconds", 10));

    private final Service service;
    private final ConnectionId id;
    private final int backlog;
    private final Supplier<StreamOptions> options;
    private final Predicate<InetAddress> lets;
    private final Set<Handshake> handshakes = new HashSet<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Deque<Stream> ready = new ArrayDeque<>(); // guarded by the lock, as what follows
    private boolean closed;
    private volatile Watchers watchers = new Watchers();

    private Listening(
            Service service,
            ConnectionId id,
            int backlog,
            Supplier<StreamOptions> options,
            Predicate<InetAddress> lets) {
        this.service = service;
        this.id = id;
        this.backlog = backlog;
        this.options = options;
        this.lets = lets;
        id.attach(this);
    }

    /**
     * Listens at an address.
     *
     * @param address the address and port; the wildcard is all devices, and port 0 lets the kernel choose
     * @param backlog how many connections wait to be accepted
     * @param reuse whether others may use the same address and port
     * @param options says how the streams are to be
     * @param lets whether a peer with an address is let in
     * @return what listens
     * @throws IOException if it cannot, such as when another one listens there
     */
    public static Listening listen(
            InetSocketAddress address,
            int backlog,
            boolean reuse,
            Supplier<StreamOptions> options,
            Predicate<InetAddress> lets)
            throws IOException {
        Service service = Service.get();
        ConnectionId id = null;
        try {
            id = service.channel().createId(PortSpace.TCP);
            id.reuseAddress(reuse);
            id.bind(address);
            var listening = new Listening(service, id, backlog, options, lets);
            id.listen();
            return listening;
        } catch (RdmaException e) {
            if (id != null) {
                id.close();
            }
            throw CmFailure.of(e, address);
        }
    }

    /**
     * Where it listens.
     *
     * @return the address and port
     */
    public InetSocketAddress localAddress() {
        return id.localAddress();
    }

    /** Somebody wants to connect. */
    void onRequest(CmEvent.ConnectRequest request) {
        Handshake handshake = null;
        try {
            ConnectionData peer = ConnectionData.read(request.parameters().privateData());
            if (!isLetIn(request.id())) {
                request.id().reject(PrivateData.NONE);
            } else {
                handshake = new Handshake(service, this, request.id(), options.get(), peer);
                handshakes.add(handshake);
                handshake.begin(LONGEST_HANDSHAKE);
            }
        } catch (IOException | RdmaException | IllegalStateException e) { // the last when the peer has gone
            LOG.log(
                    e instanceof ProtocolException ? Level.WARNING : Level.DEBUG,
                    () -> request.id() + " is not let in: " + e.getMessage());
            if (handshake != null) {
                handshake.end();
            }
        } finally {
            if (handshake == null) {
                request.id().close(); // this rejects what has no answer yet
            }
        }
    }

    private boolean isLetIn(ConnectionId requested) {
        int waiting;
        lock.lock();
        try {
            waiting = ready.size() + handshakes.size();
            if (closed || ready.size() >= backlog || handshakes.size() >= MOST_HANDSHAKES) {
                return false;
            }
        } finally {
            lock.unlock();
        }
        boolean let = lets.test(requested.peerAddress().getAddress());
        if (!let) {
            LOG.log(Level.DEBUG, () -> requested.peerAddress() + " is not let in; " + waiting + " wait");
        }
        return let;
    }

    /** A handshake is over, and did not make a connection. */
    void ended(Handshake handshake) {
        handshakes.remove(handshake);
    }

    /** A handshake has made a connection. */
    void ended(Handshake handshake, Stream made) {
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
     * Sets the watchers that hear of each connection when it has been made.
     *
     * @param all those of the channel that this is part of
     */
    public void watchedBy(Watchers all) {
        watchers = all;
    }

    /**
     * Whether a connection waits to be accepted.
     *
     * @return whether one does; false when this is closed
     */
    public boolean isReady() {
        lock.lock();
        try {
            return !ready.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes the connection that was made first.
     *
     * @param deadline {@link Deadlines#NEVER} not to wait, or until when to wait for one
     * @return the connection; null if there is none in time
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

    /** Listens no more. Connections that nobody has accepted are reset. Does nothing when it is closed already. */
    public void close() {
        Deque<Stream> left;
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            left = new ArrayDeque<>(ready);
            ready.clear();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        id.close(); // now: the port is free when this returns
        left.forEach(stream -> stream.close(false));
        service.thread().execute(() -> Set.copyOf(handshakes).forEach(Handshake::end));
    }
}
