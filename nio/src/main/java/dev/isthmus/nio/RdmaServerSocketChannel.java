// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import dev.isthmus.nio.stream.Deadlines;
import dev.isthmus.nio.stream.Loopback;
import dev.isthmus.nio.stream.Stream;
import dev.isthmus.nio.stream.StreamListener;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;

/**
 * A socket over RDMA that listens: a {@link ServerSocketChannel} whose connections speak the wire protocol of
 * librdmacm's rsocket, like those of C's {@code rlisten} and {@code raccept}. At the wildcard address, peers reach it
 * over every device. Handshakes go on in the background, whether or not {@link #accept} waits. A peer that does not
 * finish its handshake is dropped after 10 seconds, and holds nobody up.
 *
 * <p>Any thread may use it. It owns a connection id, and the connections that nobody has accepted yet; {@link #close}
 * resets them. The backlog says how many of these may wait, by default 1,024. As with TCP, further peers wait until
 * there is room, or until they give up: rdma_cm does after about a minute. 1,024 peers may wait so; more are refused.
 */
public final class RdmaServerSocketChannel extends TimedServerSocketChannel {

    private static final int DEFAULT_BACKLOG = 1024;

    private final ChannelOptions options = new ChannelOptions();
    private final Selectable selectable = new Readiness();
    private final Object state = new Object();
    private InetSocketAddress bound; // as named by the program, with the port; guarded by state; null until it is bound
    private volatile StreamListener listening; // null until it is bound
    private ServerSocket socket; // created on demand; guarded by state

    /** Creates an unbound channel. */
    RdmaServerSocketChannel(SelectorProvider provider) {
        super(provider);
    }

    /**
     * Opens a server socket that is not bound.
     *
     * @return the socket, which the caller closes
     */
    public static RdmaServerSocketChannel open() {
        return new RdmaServerSocketChannel(RdmaSelectorProvider.shared());
    }

    private void checkOpen() throws ClosedChannelException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
    }

    @Override
    public RdmaServerSocketChannel bind(SocketAddress local, int backlog) throws IOException {
        InetSocketAddress address = local == null ? new InetSocketAddress(0) : Addresses.checked(local);
        synchronized (state) {
            checkOpen();
            if (bound != null) {
                throw new AlreadyBoundException();
            }
            listening = listen(address, backlog < 1 ? DEFAULT_BACKLOG : backlog, options);
            listening.watchedBy(selectable.watchers());
            bound = new InetSocketAddress(
                    address.getAddress(), listening.localAddress().getPort());
        }
        selectable.watchers().changed();
        return this;
    }

    /** Listens; at a loopback address for this machine alone. */
    static StreamListener listen(InetSocketAddress address, int backlog, ChannelOptions options) throws IOException {
        Predicate<InetAddress> admits =
                address.getAddress().isLoopbackAddress() ? Loopback::isOfThisMachine : anyone -> true;
        return StreamListener.listen(Loopback.local(address), backlog, options.reuseAddress(), options::stream, admits);
    }

    @Override
    public <T> RdmaServerSocketChannel setOption(SocketOption<T> name, T value) throws IOException {
        Objects.requireNonNull(name, "name");
        synchronized (state) {
            checkOpen();
            options.set(name, value, ChannelOptions.OF_SERVER);
        }
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) throws IOException {
        Objects.requireNonNull(name, "name");
        synchronized (state) {
            checkOpen();
            return options.get(name, ChannelOptions.OF_SERVER);
        }
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return ChannelOptions.OF_SERVER;
    }

    @Override
    public ServerSocket socket() {
        synchronized (state) {
            if (socket == null) {
                socket = ChannelServerSocket.of(this);
            }
            return socket;
        }
    }

    @Override
    public RdmaSocketChannel accept() throws IOException {
        if (!isBlocking()) {
            return acceptNow(checkBound());
        }
        return accept(Deadlines.EVER);
    }

    @Override
    RdmaSocketChannel accept(long deadline) throws IOException {
        return accepted(take(checkBound()::accept, deadline, made -> made.close(true)));
    }

    private StreamListener checkBound() throws ClosedChannelException {
        checkOpen();
        StreamListener from = listening;
        if (from == null) {
            throw new NotYetBoundException();
        }
        return from;
    }

    private RdmaSocketChannel acceptNow(StreamListener from) throws IOException {
        try {
            return accepted(from.accept(Deadlines.NEVER));
        } catch (InterruptedException e) {
            throw new AssertionError("it does not wait", e);
        }
    }

    private RdmaSocketChannel accepted(Stream made) {
        return made == null ? null : new RdmaSocketChannel(provider(), made);
    }

    @Override
    public SocketAddress getLocalAddress() throws IOException {
        synchronized (state) {
            checkOpen();
            return bound;
        }
    }

    @Override
    InetSocketAddress localOrNull() {
        synchronized (state) {
            return bound;
        }
    }

    /** The channel as selectors see it. */
    Selectable selectable() {
        return selectable;
    }

    private final class Readiness extends Selectable {

        @Override
        int ready(int operations, int found, boolean arm) {
            StreamListener from = listening;
            return from != null && from.isReady() ? operations : 0;
        }
    }

    @Override
    protected void implConfigureBlocking(boolean block) {
        // Each call checks the mode. As with TCP, a waiting call goes on waiting.
    }

    @Override
    protected void implCloseSelectableChannel() {
        selectable.watchers().closing();
        synchronized (state) { // not during a bind
            if (listening != null) {
                listening.close();
            }
        }
    }

    @Override
    public String toString() {
        synchronized (state) {
            return "RdmaServerSocketChannel[" + (isOpen() ? bound == null ? "unbound" : bound.toString() : "closed")
                    + "]";
        }
    }
}
