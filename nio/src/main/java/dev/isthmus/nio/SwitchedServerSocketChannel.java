// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import dev.isthmus.nio.stream.Deadlines;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.Set;

/**
 * A server for RDMA, TCP or both, which the rules decide when it is bound. Accepted channels are over RDMA, or
 * the JDK's.
 */
final class SwitchedServerSocketChannel extends TimedServerSocketChannel {

    private final RdmaSelectorProvider provider;
    private final ProtocolFamily family; // null for both
    private final Object state = new Object();
    private final SwitchedOptions options; // until it is decided
    private final SwitchedSelectable selectable = new SwitchedSelectable();
    private volatile ServerSocketChannel chosen; // null until then; set under blockingLock and state
    private volatile DualServer<SocketChannel>
            both; // null unless peers reach it by both; then chosen is the one over TCP
    private ServerSocket socket; // created on demand; guarded by state

    SwitchedServerSocketChannel(RdmaSelectorProvider provider, ProtocolFamily family) {
        super(provider);
        this.provider = provider;
        this.family = family;
        this.options = new SwitchedOptions(ChannelOptions.OF_SERVER, this::openJdk);
    }

    private ServerSocketChannel openJdk() throws IOException {
        SelectorProvider jdk = provider.jdk();
        return family == null ? jdk.openServerSocketChannel() : jdk.openServerSocketChannel(family);
    }

    /**
     * The channel as selectors see it. Called under the lock of a registration.
     *
     * @throws UnsupportedOperationException if it uses TCP, and the JVM lacks the option that selectors need for that
     */
    Selectable selectable() {
        if (chosen != null && !selectable.isChosen()) {
            selectable.choose(of(chosen));
        }
        return selectable;
    }

    private Selectable of(ServerSocketChannel one) {
        if (both != null) {
            return both;
        }
        return one instanceof RdmaServerSocketChannel rdma ? rdma.selectable() : new JdkChannel(one);
    }

    /** The channel that was chosen; null if none is yet. */
    ServerSocketChannel chosen() {
        return chosen;
    }

    private ServerSocketChannel decidedOrNull() throws ClosedChannelException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
        return chosen;
    }

    private ServerSocketChannel decided() throws ClosedChannelException {
        ServerSocketChannel one = decidedOrNull();
        if (one == null) {
            throw new NotYetBoundException();
        }
        return one;
    }

    @Override
    public ServerSocketChannel bind(SocketAddress local, int backlog) throws IOException {
        InetSocketAddress address = local == null ? new InetSocketAddress(0) : Addresses.checked(local, family);
        Rules.TransportChoice way = provider.rules().bind(address);
        synchronized (blockingLock()) {
            synchronized (state) {
                if (decidedOrNull() != null) {
                    throw new AlreadyBoundException();
                }
                if (way == Rules.TransportChoice.BOTH) {
                    ServerSocketChannel tcp = bound(Rules.TransportChoice.TCP, address, backlog);
                    both = DualServer.of(tcp, boundBeside(tcp, address, backlog), backlog);
                    chosen = tcp;
                    if (isRegistered()) {
                        selectable.choose(both);
                    }
                } else {
                    chosen = boundAlone(way, address, backlog);
                }
            }
        }
        return this;
    }

    /** Binds one that is in this one's mode, and shows it to selectors. */
    private ServerSocketChannel boundAlone(Rules.TransportChoice way, InetSocketAddress address, int backlog)
            throws IOException {
        ServerSocketChannel one = bound(way, address, backlog);
        try {
            one.configureBlocking(isBlocking());
            if (isRegistered()) {
                selectable.choose(of(one));
            }
        } catch (Throwable t) { // such as the UnsupportedOperationException of selectable()
            one.close();
            throw t;
        }
        return one;
    }

    private ServerSocketChannel bound(Rules.TransportChoice way, InetSocketAddress address, int backlog)
            throws IOException {
        ServerSocketChannel one = way == Rules.TransportChoice.TCP ? openJdk() : new RdmaServerSocketChannel(provider);
        try {
            options.applyTo(one);
            if (way == Rules.TransportChoice.VALKEY) {
                one.setOption(RdmaSocketOptions.VALKEY, true);
            }
            return one.bind(address, backlog);
        } catch (Throwable t) {
            one.close();
            throw t;
        }
    }

    /** Binds a server for RDMA at TCP's port. */
    private ServerSocketChannel boundBeside(ServerSocketChannel tcp, InetSocketAddress address, int backlog)
            throws IOException {
        int port = ((InetSocketAddress) tcp.getLocalAddress()).getPort();
        try {
            return bound(Rules.TransportChoice.RDMA, new InetSocketAddress(address.getAddress(), port), backlog);
        } catch (BindException e) {
            tcp.close();
            throw notBeside(port, e);
        } catch (Throwable t) {
            tcp.close();
            throw t;
        }
    }

    /** Says why RDMA cannot have the port that TCP has. */
    static BindException notBeside(int port, BindException cause) {
        var e = new BindException("port " + port + " is not available to RDMA beside TCP; iWARP shares TCP's ports: "
                + cause.getMessage());
        e.initCause(cause);
        return e;
    }

    @Override
    public SocketChannel accept() throws IOException {
        ServerSocketChannel one = decided();
        DualServer<SocketChannel> two = both;
        if (two != null && !isBlocking()) {
            return two.poll();
        }
        return two != null ? accept(Deadlines.EVER) : accept(one);
    }

    private SocketChannel accept(ServerSocketChannel from) throws IOException {
        try {
            return from.accept();
        } catch (IOException e) {
            if (!from.isOpen()) {
                close(); // an interrupt has closed it
            }
            throw e;
        }
    }

    @Override
    SocketChannel accept(long deadline) throws IOException {
        ServerSocketChannel one = decided();
        DualServer<SocketChannel> two = both;
        if (two != null) {
            return take(two::take, deadline, Quietly::close);
        }
        if (deadline == Deadlines.EVER) {
            return accept(one);
        }
        if (one instanceof RdmaServerSocketChannel rdma) {
            return rdma.accept(deadline);
        }
        one.socket().setSoTimeout(SwitchedSocketChannel.millis(deadline));
        return one.socket().accept().getChannel();
    }

    @Override
    public SocketAddress getLocalAddress() throws IOException {
        ServerSocketChannel one = decidedOrNull();
        return one == null ? null : one.getLocalAddress();
    }

    @Override
    InetSocketAddress localOrNull() {
        ServerSocketChannel one = chosen;
        return one == null ? null : (InetSocketAddress) one.socket().getLocalSocketAddress();
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
    public <T> ServerSocketChannel setOption(SocketOption<T> name, T value) throws IOException {
        synchronized (state) {
            options.set(decidedOrNull(), name, value);
        }
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) throws IOException {
        synchronized (state) {
            return options.get(decidedOrNull(), name);
        }
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return options.supported(chosen);
    }

    @Override
    protected void implConfigureBlocking(boolean block) throws IOException {
        ServerSocketChannel one = chosen; // none is chosen meanwhile
        if (one != null && both == null) {
            one.configureBlocking(block);
        }
    }

    @Override
    protected void implCloseSelectableChannel() throws IOException {
        selectable.watchers().closing();
        synchronized (state) { // not during a bind
            if (both != null) {
                both.close();
            } else if (chosen != null) {
                chosen.close();
            }
        }
    }

    @Override
    public String toString() {
        ServerSocketChannel one = chosen;
        return one != null ? one.toString() : "SwitchedServerSocketChannel[" + (isOpen() ? "unbound]" : "closed]");
    }
}
